#!/usr/bin/env bash
# A compiler in the build of a project. Where the variable names a file, a line goes to it for every call, its fields separated by tabs:
# user and system seconds, exit status, the first remark of jlc itself, folder, arguments.
compiler=(@COMPILER@)
[ -n "${PROJECTS_LOG-}" ] || exec "${compiler[@]}" "$@"
said=$PROJECTS_LOG.$$
TIMEFORMAT='%U %S'
exec 3>&1
times=$({ time "${compiler[@]}" @MEASURED@ "$@" 2>"$said" 1>&3 3>&-; } 2>&1)
status=$?
cat "$said" >&2
remark=$(grep --max-count=1 '^jlc: remark: ' "$said")
rm -f "$said"
printf -v arguments '\t%s' "${@//[$'\t\n']/ }"
printf '%s\t%s\t%s\t%s%s\n' "$times" "$status" "$remark" "$PWD" "$arguments" >>"$PROJECTS_LOG"
exit "$status"
