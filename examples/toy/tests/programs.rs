//! Toy programs, compiled and run; and mistakes in programs, with where they are.

use std::path::Path;
use std::process::{Command, Output};

fn toy(arguments: &[&str], program: &str, name: &str) -> Output {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toy"));
    std::fs::write(&file, program).unwrap();
    Command::new(env!("CARGO_BIN_EXE_example-toy")).args(arguments).arg(&file).output().unwrap()
}

/// What a program prints, under the interpreter and, where there is an LLVM, under its interpreter too.
fn prints(name: &str, program: &str, expected: &str) {
    let run = toy(&["--run"], program, name);
    let printed = String::from_utf8(run.stdout).unwrap();
    assert_eq!(printed, format!("{expected}returned 0\n"), "{}", String::from_utf8_lossy(&run.stderr));
    let text = toy(&[], program, name).stdout;
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.ll"));
    std::fs::write(&file, text).unwrap();
    if let Ok(run) = Command::new("lli-22").arg(&file).output() {
        assert_eq!(String::from_utf8(run.stdout).unwrap(), expected, "{}", String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success());
    }
}

#[test]
fn loops_with_breaks_and_arrays() {
    let program = "
        // The primes below 30.
        fn sieve(composite[], limit) {
            let p = 2;
            while p * p < limit {
                if composite[p] { p = p + 1; continue; }
                let multiple = p * p;
                while 1 {
                    if multiple >= limit { break; }
                    composite[multiple] = 1;
                    multiple = multiple + p;
                }
                p = p + 1;
            }
            return 0;
        }
        fn main() {
            let composite[30];
            sieve(composite, 30);
            let n = 2;
            let sum = 0;
            while n < 30 {
                if !composite[n] { sum = sum + n; }
                n = n + 1;
            }
            print sum;
        }";
    prints("sieve", program, "129\n");
}

#[test]
fn functions_that_call_one_another() {
    let program = "
        fn even(n) { if n == 0 { return 1; } return odd(n - 1); }
        fn odd(n) { if n == 0 { return 0; } return even(n - 1); }
        fn fib(n) { if n < 2 { return n; } else { return fib(n - 1) + fib(n - 2); } }
        fn main() { print even(10) * 10 + odd(7); print fib(15); }";
    prints("recursive", program, "11\n610\n");
}

#[test]
fn early_returns_from_nested_loops() {
    let program = "
        fn find(numbers[], count, sum) {
            let i = 0;
            while i < count {
                let j = i + 1;
                while j < count {
                    if numbers[i] + numbers[j] == sum { return i * 10 + j; }
                    j = j + 1;
                }
                i = i + 1;
            }
            return -1;
        }
        fn main() {
            let numbers[5];
            let i = 0;
            while i < 5 { numbers[i] = i * i - 3; i = i + 1; }
            print find(numbers, 5, 14);
            print find(numbers, 5, 100);
        }";
    prints("find", program, "24\n-1\n");
}

#[test]
fn operators_have_the_precedence_of_c() {
    let program = "
        fn loud(x) { print x; return x; }
        fn main() {
            print 2 + 3 * 4 - 10 / 3 % 2;
            print -7 / 2;
            print -7 % 3;
            print (1 < 2) + (2 <= 2) + !(3 != 3) + (1 > 2);
            print loud(0) && loud(1) || loud(2);
        }";
    prints("operators", program, "13\n-3\n-1\n3\n0\n2\n1\n");
}

#[test]
fn mistakes_have_a_place() {
    for (program, expected) in [
        ("fn main() {\n  print 1 + ;\n}", "2:13: expected an expression, found ';'"),
        ("fn main() {\n  print x;\n}", "2:9: there is no variable 'x'"),
        ("fn f(a[]) { return a[0]; }\nfn main() { return f(1); }", "2:20: argument 1 of 'f' has to be an array"),
        ("fn f(a) { return a; }\nfn main() { return f(1, 2); }", "2:20: 'f' has 1 parameters, not 2"),
        ("fn main() { return g(); }", "1:20: there is no function 'g'"),
        ("fn main() { break; }", "1:13: there is no loop around this 'break'"),
        ("fn main() { let a[3]; return a; }", "1:30: 'a' is an array, not a number"),
        ("fn main() { return 1 }", "1:22: expected ';', found '}'"),
        ("fn main() { return 99999999999999999999; }", "1:20: 99999999999999999999 has over 63 bits"),
        ("fn main() { return # ; }", "1:20: '#' means nothing"),
        ("fn f() {}\nfn f() {}", "2:4: there is a function 'f' already"),
    ] {
        let output = toy(&[], program, "mistake");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(said.trim_end().ends_with(expected), "{said}");
    }
    let deep = format!("fn main() {{ return {}1{}; }}", "(".repeat(100_000), ")".repeat(100_000));
    let said = String::from_utf8(toy(&[], &deep, "deep").stderr).unwrap();
    assert!(said.contains("this is nested more than 100 deep"), "{said}");
}

/// What the builder is for.
#[test]
fn code_generation_is_short() {
    let code = include_str!("../src/codegen.rs").lines().map(str::trim);
    let lines = code.filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    assert!(lines <= 140, "{lines} lines");
}
