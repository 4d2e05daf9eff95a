//! The words of a command line: option files, one dash or two, LLVM's options, and hints for unknown ones.

use std::ffi::{OsStr, OsString};

use clap::CommandFactory;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rvsdg_llvm::{LlvmOption, LlvmPasses};
use rvsdg_passes::Registry;

use super::Arguments;

/// Says of an unknown option what it may have meant, and no more: the parser guesses too much. A flag of `opt` that there is none of
/// here was hardly meant to be another one, or a file.
pub(super) fn explained(mut error: clap::Error, registry: &Registry) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.split(['=', ' ']).next().map(str::to_owned),
        _ => None,
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(given) = text(ContextKind::InvalidArg) else { return error };
    let suggested = text(ContextKind::SuggestedArg);
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::Suggested);
    let name = given.trim_start_matches('-');
    let passes = || LlvmPasses::names();
    let tip = if let Some(reason) = refusal(name) {
        Some(reason.to_owned())
    } else if registry.find(name).is_some() || passes().iter().any(|known| known.split('<').next() == Some(name)) {
        Some(format!("'{name}' is a pass: -passes={name}"))
    } else {
        let near = |known: &str| strsim::damerau_levenshtein(name, known.trim_start_matches('-'));
        let is_near = |known: &str| near(known) <= 1 + known.trim_start_matches('-').len() / 5;
        let own = Arguments::command();
        let own = own.get_opts().filter_map(|option| option.get_long().map(|name| format!("--{name}")));
        let known =
            own.chain(suggested).chain(rvsdg_llvm::llvm_option_names().into_iter().map(|name| format!("-{name}")));
        known
            .filter(|known| is_near(known))
            .min_by_key(|known| near(known))
            .map(|near| format!("a similar option exists: '{near}'"))
    };
    let tips = tip.into_iter().map(StyledStr::from).collect::<Vec<_>>();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// Why there is no such option, of those that `opt` has.
pub fn refusal(name: &str) -> Option<&'static str> {
    Some(match name {
        "debug" | "debug-only" => {
            "LLVM prints this only in builds with assertions; for our passes, use -debug-pass-manager and -print-changed"
        }
        "save-stats" => "statistics are printed with -stats and written with -stats-json",
        "strip-named-metadata" => "debug information and module flags are named metadata: see -strip-debug",
        "disable-simplify-libcalls" | "disable-builtin" | "enable-builtin" => {
            "library functions are not configured by name: clang's -fno-builtin sets attributes"
        }
        "disable-loop-unrolling" => "list the passes with -passes=, without unroll",
        "disable-debug-info-type-map" => "types of one C++ class are always merged",
        "enable-profcheck" => "a check of LLVM's own passes: -passes=prof-inject,…,prof-verify",
        "load" => "only LLVM's pass plugins are loaded: -load-pass-plugin=FILE",
        "bugpoint-enable-legacy-pm" | "codegen-opt-level" => "it belongs to LLVM's legacy pass manager",
        "thin-link-bitcode-file" | "thinlto-split-lto-unit" => {
            "link-time optimization is the linker's: see -thinlto-bc"
        }
        "verify-debuginfo-preserve"
        | "verify-each-debuginfo-preserve"
        | "verify-di-preserve-export"
        | "debugify-export" => "see -enable-debugify and -debugify-each",
        _ if name.starts_with("polly") => "Polly is not included",
        _ => return None,
    })
}

/// Whose the words of a command line are.
#[derive(Default)]
pub(super) struct Words {
    /// This program's, its name included.
    pub own: Vec<OsString>,
    /// LLVM's options, with their values after `=`.
    pub llvm: Vec<String>,
    /// What follows the input of a program that is run.
    pub program: Vec<OsString>,
}

/// Adds a second dash to long options with one, and separates the words that are not this program's.
pub(super) fn normalize(arguments: impl IntoIterator<Item = OsString>) -> Words {
    let mut words = Words::default();
    let mut arguments = arguments.into_iter();
    words.own.extend(arguments.next());
    let command = Arguments::command();
    let (mut runs, mut only_inputs) = (false, false);
    while let Some(argument) = arguments.next() {
        if !only_inputs && let Some((name, option)) = llvm_option(&argument, &command) {
            match option.takes_value && !name.contains('=') {
                true => {
                    let value = arguments.next().unwrap_or_default();
                    words.llvm.push(format!("-{name}={}", value.to_string_lossy()));
                }
                false => words.llvm.push(format!("-{name}")),
            }
            continue;
        }
        let argument = if !only_inputs && is_long(&argument) { long(&argument) } else { argument };
        let is_option = !only_inputs && argument != "-" && argument.as_encoded_bytes().starts_with(b"-");
        let takes_value = is_option && takes_value(&argument, &command);
        runs |= is_option && (argument == "--run" || argument.as_encoded_bytes().starts_with(b"--run="));
        only_inputs |= argument == "--";
        words.own.push(argument);
        if takes_value {
            words.own.extend(arguments.next());
        } else if runs && !is_option {
            break;
        }
    }
    words.program = arguments.collect();
    words
}

/// An option of LLVM's that is not also one of this program, without dashes.
fn llvm_option(argument: &OsStr, command: &clap::Command) -> Option<(String, LlvmOption)> {
    let text = argument.to_str()?.strip_prefix('-')?;
    let text = text.strip_prefix('-').unwrap_or(text);
    let name = text.split('=').next()?;
    // Polly's options are in some builds of LLVM's libraries, and its passes in no pipeline here.
    let is_own = name.len() < 2
        || refusal(name).is_some()
        || ["help", "version"].contains(&name)
        || command.get_opts().any(|option| option.get_long() == Some(name));
    if is_own { None } else { Some((text.to_owned(), rvsdg_llvm::llvm_option(name)?)) }
}

/// How deep files of options may name each other.
const MAX_FILES: usize = 16;

/// Replaces `@FILE` by the contents of the file.
pub(super) fn expanded(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, clap::Error> {
    let mut pending: Vec<(OsString, usize)> = arguments.into_iter().map(|argument| (argument, 0)).collect();
    pending.reverse();
    let mut words = Vec::new();
    while let Some((argument, depth)) = pending.pop() {
        let file = argument.to_str().and_then(|text| text.strip_prefix('@')).filter(|_| !words.is_empty());
        // A name that no file has is an argument, as for LLVM's tools.
        let text = match file.map(std::fs::read_to_string) {
            Some(Ok(text)) => text,
            _ => {
                words.push(argument);
                continue;
            }
        };
        if depth == MAX_FILES {
            let message = format!("{}: files of options name each other", argument.to_string_lossy());
            return Err(Arguments::command().error(ErrorKind::ValueValidation, message));
        }
        pending.extend(split(&text).into_iter().rev().map(|word| (word.into(), depth + 1)));
    }
    Ok(words)
}

/// The words of a file of options, as a shell has them: spaces separate, quotes and backslashes protect.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Whether an argument with one dash is a long option: its name has several characters, and is not an optimization level.
fn is_long(argument: &OsStr) -> bool {
    let Some(option) = argument.to_str().and_then(|text| text.strip_prefix('-')) else { return false };
    let name = option.split('=').next().unwrap_or_default();
    let level = name.len() == 2 && name.starts_with('O');
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.len() > 1 && !level
}

/// Whether an option's value is the next argument.
fn takes_value(argument: &OsStr, command: &clap::Command) -> bool {
    let Some(text) = argument.to_str() else { return false };
    let option = command.get_opts().find(|option| match (option.get_long(), option.get_short()) {
        (Some(name), _) => text.strip_prefix("--") == Some(name),
        (None, Some(letter)) => text.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter])),
        (None, None) => false,
    });
    option.is_some_and(|option| option.get_action().takes_values() && !option.is_require_equals_set())
}

fn long(argument: &OsStr) -> OsString {
    let mut long = OsString::from("-");
    long.push(argument);
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_in_a_shell() {
        assert_eq!(split(r#"a\ b "c\"d" 'e\f' ""  "#), ["a b", "c\"d", "e\\f", ""]);
    }
}
