//! Variables of C programs that a debugger finds after optimization: what the records in the module say of them, and what gdb
//! prints.

use std::path::Path;
use std::process::Command;

use rvsdg_tests::tools::{jlm_opt, output};

/// The text of a C program after the optimizer, in which all variables were in memory.
fn optimized(program: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("there is room for files");
    let module = compile(folder.path(), program);
    output(jlm_opt().args(arguments).arg(&module).args(["-S", "-o", "-"])).expect("it is optimized").0
}

fn compile(folder: &Path, program: &str) -> std::path::PathBuf {
    let (source, module) = (folder.join("program.c"), folder.join("program.ll"));
    std::fs::write(&source, program).expect("the file can be written");
    let mut clang = Command::new("clang-22");
    // Without `-funroll-loops`, `-O1` says of loops that they are not to be unrolled.
    clang.args(["-g", "-O1", "-funroll-loops", "-Xclang", "-disable-llvm-passes"]);
    clang.args(["-fno-discard-value-names", "-S", "-emit-llvm"]);
    output(clang.arg(&source).arg("-o").arg(&module)).expect("it is C");
    module
}

/// What the records say of a variable, in order: value and expression. `declare` stands before an address.
fn said_of(text: &str, variable: &str) -> Vec<String> {
    let name = format!("name: \"{variable}\"");
    let numbers: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("!DILocalVariable(") && line.contains(&name))
        .filter_map(|line| line.split(" = ").next())
        .collect();
    let mut said = Vec::new();
    for line in text.lines().map(str::trim) {
        let (kind, rest) = match line.split_once('(') {
            Some(("#dbg_value", rest)) => ("", rest),
            Some(("#dbg_declare", rest)) => ("declare ", rest),
            _ => continue,
        };
        for number in &numbers {
            if let Some((value, after)) = rest.split_once(&format!(", {number}, !DIExpression(")) {
                let expression = after.split_once("), !").map_or("", |(expression, _)| expression);
                let separator = if expression.is_empty() { "" } else { " " };
                said.push(format!("{kind}{value}{separator}{expression}"));
            }
        }
    }
    said
}

/// The number of the only variable with a name.
fn number_of<'a>(text: &'a str, variable: &str) -> &'a str {
    let name = format!("!DILocalVariable(name: \"{variable}\"");
    let described = text.lines().find(|line| line.contains(&name)).and_then(|line| line.split(" = ").next());
    described.expect("it is described")
}

fn assert_said(text: &str, variable: &str, expected: &[&str]) {
    let said = said_of(text, variable);
    for what in expected {
        assert!(said.iter().any(|said| said == what), "nothing says that {variable} is {what}: {said:?}\n{text}");
    }
}

#[test]
fn a_parameter_and_a_promoted_scalar() {
    let text = optimized("int g(int); int f(int n) { int x = g(n); g(3); return x + n; }", &["-O1"]);
    assert_said(&text, "n", &["i32 %n"]);
    assert_said(&text, "x", &["i32 %call"]);
    assert!(!text.contains("#dbg_declare"), "{text}");
}

#[test]
fn a_loop_variable_is_known_at_the_start_of_the_body() {
    let text =
        optimized("int g(int); int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += g(i); return s; }", &["-O1"]);
    for variable in ["i", "s"] {
        let said = said_of(&text, variable);
        let values: Vec<&str> = said.iter().filter_map(|said| said.strip_prefix("i32 ")).collect();
        let is_phi = |value: &&str| text.contains(&format!("{value} = phi i32"));
        assert!(values.contains(&"0") && values.iter().any(is_phi), "{variable}: {said:?}\n{text}");
    }
}

const TAIL_CALL: &str = "volatile int sink;
    static __attribute__((noinline)) int walk(int n, int acc) { sink = n; if (n == 0) return acc; return walk(n - 1, acc * 2 + n); }
    int f(int c) { return walk(c + 4, 1); }";

#[test]
fn a_parameter_of_a_function_whose_tail_call_became_a_loop() {
    let text = optimized(TAIL_CALL, &["-passes=sra,mvf,red,dne,tre,red,dne"]);
    assert!(!text.contains("call i32 @walk(i32 noundef %sub"), "{text}");
    for (variable, first) in [("n", "i32 %n"), ("acc", "i32 %acc")] {
        let said = said_of(&text, variable);
        let is_phi = |said: &String| text.contains(&format!("{} = phi i32", &said[4..]));
        assert!(said.iter().any(is_phi) && !said.iter().any(|said| said == first), "{variable}: {said:?}\n{text}");
    }
}

#[test]
fn such_a_parameter_where_the_function_is_inlined() {
    let program = TAIL_CALL.replace("__attribute__((noinline))", "");
    let text = optimized(&program, &["-passes=sra,mvf,red,dne,tre,red,dne,iln,dne"]);
    assert!(!text.contains("@walk("), "{text}");
    let said = said_of(&text, "acc");
    assert!(!said.contains(&"i32 1".to_owned()), "acc is what it was at first: {said:?}\n{text}");
}

#[test]
fn a_value_after_a_conditional() {
    let text = optimized("int g(int); int f(int c) { int x = 1; if (c) x = g(2); g(3); return x; }", &["-O1"]);
    let said = said_of(&text, "x");
    let is_phi = |said: &String| text.contains(&format!("{} = phi i32", said.trim_start_matches("i32 ")));
    assert!(said.iter().any(is_phi), "{said:?}\n{text}");
}

#[test]
fn a_select_in_the_place_of_a_conditional() {
    let text = optimized("int g(int); int f(int c) { int x = 1; if (c) x = 2; g(3); return x; }", &["-O1"]);
    let said = said_of(&text, "x");
    let is_choice = |said: &String| text.contains(&format!("{} = select", said.trim_start_matches("i32 ")));
    assert!(said.iter().any(is_choice), "{said:?}\n{text}");
}

#[test]
fn a_struct_that_is_taken_apart() {
    let program = "struct p { int a; int b; }; int g(int);
        int f(int n) { struct p q; q.a = g(n); q.b = n; g(1); return q.a + q.b; }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "q", &["i32 %call DW_OP_LLVM_fragment, 0, 32", "i32 %n DW_OP_LLVM_fragment, 32, 32"]);
}

#[test]
fn variables_of_an_inlined_callee() {
    let program = "int g(int); static int add(int a, int b) { int c = a + b; g(c); return c; } int f(int n) { return add(n, 5); }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "a", &["i32 %n"]);
    assert_said(&text, "b", &["i32 5"]);
    assert!(said_of(&text, "c").iter().any(|said| said.starts_with("i32 %")), "{text}");
    assert!(text.contains("inlinedAt"), "{text}");
}

/// Nothing needs the constant any more when what was computed from it is one, too.
#[test]
fn a_constant_that_only_debuggers_need() {
    let program = "int g(int); static void add(int a) { int k = a * 2; g(k + 1); } void f(void) { add(3); }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "k", &["i32 6"]);
    assert!(text.contains("@g(i32 noundef 7)"), "{text}");
}

/// What is passed in its place now is not what the program says.
#[test]
fn a_parameter_that_calls_pass_no_more() {
    let program = "int g(int); static __attribute__((noinline)) int half(int a, int b) { g(a); return a; }
        int f(int n) { return half(n, g(n)) + half(g(3), n); }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "a", &["i32 %a"]);
    assert_said(&text, "b", &["i32 poison"]);
}

/// The same where what does not need it is inlined: what memory held of it in the callee is not what is passed now.
#[test]
fn a_parameter_that_calls_pass_no_more_of_what_is_inlined() {
    let program = "int g(int); static int half(int a, int b) { if (b == 3) return g(a); return g(a + 1); }
        static int two(int a, int b) { if (b != 3) return half(a, b); return 7; }
        int f(int n) { return two(n, 2) + two(g(n), 2); }";
    let said = said_of(&optimized(program, &["-O2"]), "b");
    assert_eq!(said, ["i32 2"; 4]);
}

/// What is before a call of the source is said before what was inlined for it.
#[test]
fn a_parameter_is_known_before_what_is_inlined() {
    let program = "int g(int); static void twice(int a) { g(a); g(a + 1); } void outer(int n) { twice(n); }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "n", &["i32 %n"]);
    let outer = text.split_once("@outer(").expect("it is a function").1;
    let number = number_of(&text, "n");
    let (said, called) = (outer.find(&format!("#dbg_value(i32 %n, {number},")), outer.find("call i32 @g("));
    assert!(said < called, "{text}");
}

/// The same where nothing is left in its place of the first block that was inlined.
#[test]
fn a_parameter_is_known_before_a_loop_that_is_inlined() {
    let program = "struct s { int n, k; unsigned bits; char *out; };\n\
        static void flush(struct s *s, int n) { while (s->n >= 8) { s->out[s->k++] = s->bits >> 24; s->n -= 8; } s->n += n; }\n\
        static void put(struct s *s, char c) { flush(s, 8); s->bits |= c; }\n\
        void outer(struct s *to, int q) { put(to, 66); put(to, q); if (q > 4) put(to, 119); }";
    let text = optimized(program, &["-O2"]);
    let outer = text.split_once("@outer(").expect("it is a function").1;
    let entry = outer.split_once("\n  br ").expect("it branches").0;
    for variable in ["to", "q"] {
        let number = number_of(&text, variable);
        assert!(entry.contains(&format!(", {number}, !DIExpression()")), "{variable}: {text}");
    }
}

/// The same where what was inlined has no use for it, so that nothing brings it into the conditional any more.
#[test]
fn a_parameter_that_nothing_needs() {
    let program = "int use(int); struct s { int n; }; static void note(struct s *at, int n) { use(n); }\n\
        void outer(struct s *own, int n) { for (int i = 0; i < n; i++) { if (use(i)) note(own, i); } own->n = n; }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "at", &["ptr %own"]);
}

/// The same where the first block ended with a branch of which it is known where it goes: that leads to the only thing that is left, and
/// nothing is left that was executed before.
#[test]
fn a_parameter_is_known_before_what_a_decided_branch_leads_to() {
    let program = "int hash(int); static int hashed(const char *p) { return hash(*p); }\n\
        static void put(const char *position, int *to, int way) {\n\
            switch (way) { default: case 0: return; case 1: *to = 1; return; case 3: *to = hashed(position); } }\n\
        void outer(const char *text, int *out) { if (*out) hash(1); put(text, out, 3); }";
    let text = optimized(program, &["-O1"]);
    let outer = text.split_once("@outer(").expect("it is a function").1;
    let block = outer.split_once("\n  %conv = sext").expect("it hashes").0.rsplit_once(":").expect("it has a label").1;
    for variable in ["position", "to", "way"] {
        assert!(block.contains(&format!(", {}, !DIExpression()", number_of(&text, variable))), "{variable}: {text}");
    }
}

/// Where nothing is left of a conditional but a select, what it was before is said where all ways come together, if no others do.
#[test]
fn a_variable_before_a_conditional_that_became_a_select() {
    let program = "int g(int);
        int f(int n, int k) { int q = n > 7; g(q); if (k) g(2); int x = n, y = 5; if (x > 7) y = 3; return g(y); }
        int h(int n, int k) { int q = n > 7; g(q); int y = 7, z = 0;
            if (k) { z = n; if (z > 7) y = 3; else y = 5; } else g(9); return g(y) + k; }";
    let text = optimized(program, &["-O1"]);
    assert_said(&text, "x", &["i32 %n"]);
    assert_said(&text, "z", &["i32 0", "i32 %n"]);
    let together = text.split_once("@h(").expect("it is a function").1.split_once(" = phi i32").expect("it has one").1;
    let said = format!("#dbg_value(i32 %n, {}", number_of(&text, "z"));
    assert!(!together.contains(&said), "{text}");
}

/// Where a branch became a part of another condition, what is left behind it says nothing of where it was.
#[test]
fn a_variable_before_a_branch_that_is_part_of_another() {
    let program = "int g(int);\n\
        int f(int n, int k) { g(1); if (k) g(2); int x = n; if (x && !(k & 4)) g(5); return g(k); }";
    let text = optimized(program, &["-O1"]);
    let block = text
        .split_once("call i32 @g(i32 noundef 5)")
        .expect("it is called")
        .0
        .rsplit_once(':')
        .expect("it has a label")
        .1;
    assert!(!block.contains("#dbg_value"), "{text}");
}

/// At the label of a switch that is also fallen through to, a variable is what comes together there, though it stays that at the next.
#[test]
fn a_variable_at_a_label() {
    let program = "int g(int);\n\
        int f(int at) { int x = g(0); switch (at) { case 0: x = g(x); case 1: g(x + 1); case 2: g(x + 2); } return x; }";
    let text = optimized(program, &["-O2"]);
    let sum = text.lines().find(|line| line.contains(" add nsw i32 ")).expect("one is added");
    let joined = sum.split_once("i32 ").and_then(|(_, rest)| rest.split_once(',')).expect("to something").0;
    assert!(text.contains(&format!("{joined} = phi i32")), "{text}");
    assert_said(&text, "x", &[&format!("i32 {joined}")]);
}

/// A loop variable that became wide enough for addresses.
#[test]
fn a_widened_loop_variable() {
    let program = "int g(int); void f(int *a, int n) { for (int i = 0; i < n; i++) a[i] = g(a[i]); }";
    let text = optimized(program, &["-O2"]);
    assert!(text.contains("phi i64"), "{text}");
    assert!(said_of(&text, "i").iter().any(|said| said.starts_with("i64 %") && !said.contains("DW_OP")), "{text}");
}

/// A record that repeats what is known ends it where the value is in no register any more.
#[test]
fn nothing_is_said_twice() {
    let program = "int g(int); int f(int n, int m) { int s = 0; while (s < m) { s += g(n); if (s & 1) s += g(s + n); } return s; }";
    let text = optimized(program, &["-O2"]);
    assert_eq!(said_of(&text, "n"), ["i32 %n"], "{text}");
    assert_eq!(said_of(&text, "m"), ["i32 %m"], "{text}");
}

#[test]
fn each_copy_of_an_unrolled_loop_describes_its_own_values() {
    let program = "int g(int); int f(int n) { int s = n; for (int i = 0; i < 3; i++) { s = g(s); } return s; }";
    let text = optimized(program, &["-O3"]);
    let calls: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(" call i32 @g("))
        .filter_map(|line| line.trim().split(" = ").next())
        .collect();
    assert_eq!(calls.len(), 3, "{text}");
    for call in calls {
        assert_said(&text, "s", &[&format!("i32 {call}")]);
    }
}

#[test]
fn a_sum_that_nothing_needs_is_described_by_its_parts() {
    let text = optimized("int g(int); int f(int n) { int x = n + 7; g(n); return n; }", &["-O1"]);
    assert_said(&text, "x", &["i32 %n DW_OP_plus_uconst, 7, DW_OP_stack_value"]);
}

#[test]
fn memory_that_stays_stays_declared() {
    let program = "void h(int *); int f(int n) { int x = n; h(&x); return x; }";
    let text = optimized(program, &["-O2"]);
    assert_said(&text, "x", &["declare ptr %x"]);
    // Without passes nothing becomes a value.
    let unchanged = optimized(program, &[]);
    assert_eq!(unchanged.matches("#dbg_declare").count(), 2, "{unchanged}");
    assert!(!unchanged.contains("#dbg_value"), "{unchanged}");
}

#[test]
fn a_dead_store_ends_what_was_known() {
    let program = "int g(int); int f(int n) { int x = 1; g(n); x = 2; g(n); return n; }";
    let text = optimized(program, &["-O1"]);
    assert_eq!(said_of(&text, "x"), ["i32 1", "i32 2"], "{text}");
    let first_call = text.find("call i32 @g").expect("there are calls");
    assert!(text.find("#dbg_value(i32 2").expect("it is described") > first_call, "{text}");
}

const MACHINE: &str = r#"
#include <stdio.h>
struct state { int at, a, b, c, n; const unsigned char *in; };
__attribute__((noinline)) void stop(int a, int b, int c) { __asm__ volatile("" : : "r"(a), "r"(b), "r"(c)); }
__attribute__((noinline)) int work(struct state *s, int limit) {
  int a = s->a, b = s->b, c = s->c, at = s->at, left = limit;
  for (;;) {
    switch (at) {
    case 0:
      if (left-- == 0) { at = 0; goto out; }
      a += s->in[s->n++ & 7];
      stop(a, b, c);
      if (a & 1) { at = 2; continue; }
    case 1:
      if (left-- == 0) { at = 1; goto out; }
      b = a ^ c;
      stop(a, b, c);
    case 2:
      if (left-- == 0) { at = 2; goto out; }
      c += b * 3;
      stop(a, b, c);
      if (c & 4) { int t = a; a = b; b = t; stop(a, b, c); at = 1; continue; }
    case 3:
      if (left-- == 0) { at = 3; goto out; }
      stop(a, b, c);
      a = c - b;
      at = 0;
    }
  }
out:
  stop(a, b, c);
  s->a = a; s->b = b; s->c = c; s->at = at;
  return at;
}
int main(void) {
  static const unsigned char in[8] = {1, 2, 3, 5, 8, 13, 21, 34};
  struct state s = {0, 1, 2, 3, 0, in};
  for (int i = 1; i < 9; i++) work(&s, i);
}
"#;

/// Compares, at each stop, what the caller's variables are said to be with the arguments that they were just given as.
const COMPARE: &str = r#"python
known = wrong = gone = 0
while gdb.selected_inferior().pid and gdb.selected_frame().name() == "stop":
    for name in "abc":
        value = gdb.selected_frame().older().read_var(name)
        if value.is_optimized_out:
            gone += 1
        elif int(value) == int(gdb.selected_frame().read_var(name)):
            known += 1
        else:
            wrong += 1
    gdb.execute("continue", to_string=True)
print("known", known, "gone", gone, "wrong", wrong)"#;

/// The program with debug information, optimized.
fn debuggable(folder: &Path, program: &str) -> std::path::PathBuf {
    let module = compile(folder, program);
    let (better, binary) = (folder.join("better.bc"), folder.join("program"));
    output(jlm_opt().arg("-O2").arg(&module).arg("-o").arg(&better)).expect("it is optimized");
    let mut clang = Command::new("clang-22");
    clang.args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"]).arg(&better).arg("-o").arg(&binary);
    output(&mut clang).expect("it is linked");
    binary
}

/// gdb with a program that it may start.
fn gdb() -> Option<Command> {
    if Command::new("gdb").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI needs gdb, which scripts/setup installs");
        eprintln!("left out: a debugger prints variables (no gdb on PATH)");
        return None;
    }
    let mut gdb = Command::new("gdb");
    gdb.args(["--batch", "--nx", "-iex", "set debuginfod enabled off", "-ex", "set startup-with-shell off"]);
    Some(gdb)
}

/// Where ways of a machine with states come together, a debugger may not know a variable, but what it says is so.
#[test]
fn gdb_says_nothing_wrong() {
    let Some(mut gdb) = gdb() else { return };
    let folder = tempfile::tempdir().expect("there is room for files");
    let binary = debuggable(folder.path(), MACHINE);
    gdb.args(["-ex", "break stop", "-ex", "run", "-ex", COMPARE]).arg(binary);
    let (said, complaints) = output(&mut gdb).expect("gdb runs");
    let counts: Vec<u32> =
        said.lines().last().into_iter().flat_map(str::split_whitespace).filter_map(|word| word.parse().ok()).collect();
    let [known, gone, wrong] = counts[..] else { panic!("{said}\n{complaints}") };
    assert!(wrong == 0 && known > 100 && gone < 20, "{said}\n{complaints}");
}

/// Reads arguments and locals of a frame in a program that was compiled with `-g` and optimized.
#[test]
fn gdb_prints_arguments_and_locals() {
    let Some(mut gdb) = gdb() else { return };
    let program = "#include <stdio.h>
__attribute__((noinline)) void stop(int n) { printf(\"%d\\n\", n); }
__attribute__((noinline)) int work(int count, const char *name) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += i * 3;
        stop(sum);
    }
    printf(\"%s\\n\", name);
    return sum + count;
}
int main(void) { return work(7, \"seven\") == 70 ? 0 : 1; }
";
    let folder = tempfile::tempdir().expect("there is room for files");
    let binary = debuggable(folder.path(), program);
    gdb.args(["-ex", "break stop", "-ex", "run", "-ex", "continue", "-ex", "continue", "-ex", "print n", "-ex", "up"]);
    gdb.args(["-ex", "print sum", "-ex", "print i", "-ex", "print count", "-ex", "print name"]).arg(&binary);
    let (said, complaints) = output(&mut gdb).expect("gdb runs");
    let printed: Vec<&str> =
        said.lines().filter_map(|line| line.strip_prefix('$')?.split_once(" = ")).map(|of| of.1).collect();
    assert_eq!(printed[..4], ["9", "9", "2", "7"], "{said}\n{complaints}");
    assert!(printed[4].ends_with("\"seven\""), "{said}\n{complaints}");
}
