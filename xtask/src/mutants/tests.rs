//! The conditions of today's sources are found, and switches leave programs that can be parsed.

use super::equivalents::Equivalents;
use super::tree::Tree;
use super::{schema, scope, sites};
use crate::tools;

/// What the conditions of a function become, and the function with switches.
fn mutants(source: &str) -> (Vec<String>, String) {
    let sites = sites::find("rvsdg-passes/src/memory/memory_forwarding.rs", source).expect("it can be parsed");
    let text = |site: &sites::Site| {
        format!("{}: {} -> {}", site.function, &source[site.range.clone()], schema::becomes(source, site))
    };
    (sites.iter().map(text).collect(), schema::switched(source, &sites, 1))
}

#[test]
fn conjuncts_and_disjuncts_are_left_out() {
    let (mutants, switched) = mutants("fn f(a: bool, b: bool, c: bool) { if a && (b || !c) { g() } }");
    let expected = [
        "f: a && (b || !c) -> false",
        "f: a -> true",
        "f: b || !c -> true",
        "f: b -> false",
        "f: !c -> false",
        "f: !c -> c",
    ];
    assert_eq!(mutants, expected);
    assert!(switched.contains("(crate::mutants::is(2) || (a))"), "{switched}");
    assert!(switched.contains("(!crate::mutants::is(4) && (b))"), "{switched}");
}

#[test]
fn what_closures_guards_and_functions_say_is_a_condition() {
    let source = "
        impl T {
            fn f(&self, l: &[u8]) -> bool { l.iter().all(|x| self.0 < *x) }
            fn g(&self) -> u8 { match self.0 { x if x == 2 => 1, _ => 0 } }
        }";
    let expected = [
        "T::f: l.iter().all(|x| self.0 < *x) -> true",
        "T::f: l.iter().all(|x| self.0 < *x) -> false",
        "T::f: l.iter().all(|x| self.0 < *x) -> l.iter().any(|x| self.0 < *x)",
        "T::f: self.0 < *x -> true",
        "T::f: self.0 < *x -> false",
        "T::f: self.0 < *x -> self.0 <= *x",
        "T::g: x == 2 -> true",
        "T::g: x == 2 -> false",
        "T::g: x == 2 -> x != 2",
        "T::g: 2 -> 3",
    ];
    let mut found = mutants(source).0;
    found.sort();
    let mut sorted = expected.map(str::to_owned).to_vec();
    sorted.sort();
    assert_eq!(found, sorted);
}

#[test]
fn all_of_other_types_has_no_counterpart() {
    let found = mutants("fn f(t: T) { if t.all(g(1)) { h() } if l.all(is_zero) { h() } }").0;
    assert_eq!(
        found.iter().filter(|text| text.contains("any")).collect::<Vec<_>>(),
        ["f: l.all(is_zero) -> l.any(is_zero)"]
    );
}

#[test]
fn cases_and_notes_are_left_out() {
    let (found, switched) =
        mutants("fn f(&mut self, x: u8) { self.known = matches!(x, 1 | 2 | 3); self.escaped.insert(x); }");
    let expected = [
        "f: matches!(x, 1 | 2 | 3) -> matches!(x, 2 | 3)",
        "f: matches!(x, 1 | 2 | 3) -> matches!(x, 1 | 3)",
        "f: matches!(x, 1 | 2 | 3) -> matches!(x, 1 | 2)",
        "f: self.escaped.insert(x); -> ",
    ];
    assert_eq!(found.iter().filter(|text| expected.contains(&text.as_str())).count(), 4, "{found:?}");
    assert!(switched.contains("if !crate::mutants::is(4) { self.escaped.insert(x); }"), "{switched}");
}

#[test]
fn limits_constants_and_tests_do_not_count() {
    let source = "
        const C: bool = 1 < 2;
        fn f(n: usize) { if n > MAX_PAIRS || !cx.rewrite(\"x\", graph, node) { return } }
        fn k(n: usize) { if n > MAX_PAIRS { if n == 7 { g() } return } }
        fn g() { if !seeded::is_active(Bug::Some) { return } }
        fn h(n: usize) { if seeded::is_active(Bug::Some) && n > 1 { if n > 2 { return } } }
        fn m(n: usize) { match n { 0 if seeded::is_active(Bug::Some) && n > 2 => if n > 3 { g() }, _ => g() } }
        #[cfg(test)] mod tests { fn f(n: usize) { if n > 1 { return } } }";
    assert_eq!(mutants(source).0, Vec::<String>::new());
}

/// The sources as they are: every pass has mutants, each file can be parsed with switches, the lists are not stale.
#[test]
fn the_tree_has_mutants() {
    let root = tools::root();
    let tree = Tree::read(&root).expect("the sources can be parsed");
    for (pass, places) in scope::PASSES {
        let count = tree.mutants.iter().filter(|mutant| mutant.pass == *pass).count();
        assert!(count >= 15, "{pass} has {count} mutants");
        let is_there = |place: &&str| place.ends_with('/') || root.join(place).exists();
        assert!(places.iter().any(is_there), "{pass} is at none of {places:?}");
    }
    for (name, text) in tree.switched() {
        syn::parse_file(text).unwrap_or_else(|error| panic!("{name} with switches: {error}"));
    }
    Equivalents::read().and_then(|list| list.check(&tree)).expect("the list is up to date");
}

#[test]
fn what_is_left_out_exists() {
    let root = tools::root();
    let read = |file: &str| String::from_utf8(tools::read(&root.join(file)).expect(file)).expect("sources are text");
    for entry in scope::EXCLUDED {
        let name = entry.function.rsplit("::").next().unwrap_or_default();
        let (text, forms) = (read(entry.file), [format!("fn {name}"), format!("struct {name}")]);
        assert!(forms.iter().any(|form| text.contains(form)) || name.is_empty(), "{}: {name}", entry.file);
    }
    let tree = Tree::read(&root).expect("the sources can be parsed");
    let sources: Vec<String> = tree.switched().map(|(name, _)| read(name)).collect();
    for limit in scope::LIMITS {
        assert!(sources.iter().any(|text| text.contains(&format!("const {limit}: "))), "there is no {limit}");
    }
}
