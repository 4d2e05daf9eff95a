//! Which attributes of functions prevent inlining, and how a caller's attributes change by it: LLVM's rules (`Attributes.td`, CompatRule
//! and MergeRule; `InlineCost.cpp`).

use rvsdg_core::Pool;
use rvsdg_core::attribute::{Attribute, AttributeKind, AttributeList, Attributes, has_any};

use super::decline::Decline;

/// Attributes that both functions have or neither has.
const EQUAL: &[AttributeKind] = &[
    AttributeKind::SanitizeAddress,
    AttributeKind::SanitizeThread,
    AttributeKind::SanitizeType,
    AttributeKind::SanitizeMemory,
    AttributeKind::SanitizeHwaddress,
    AttributeKind::SanitizeMemtag,
    AttributeKind::SanitizeNumericalStability,
    AttributeKind::SanitizeRealtime,
    AttributeKind::SanitizeRealtimeBlocking,
    AttributeKind::SafeStack,
    AttributeKind::ShadowCallStack,
    AttributeKind::NoProfile,
];

/// Keys whose values must be equal, if present.
const EQUAL_VALUES: &[&str] =
    &["use-sample-profile", "sign-return-address", "sign-return-address-key", "branch-protection-pauth-lr"];

const STACK_PROTECTORS: [AttributeKind; 3] = [AttributeKind::Ssp, AttributeKind::SspStrong, AttributeKind::SspReq];

/// Whether code of a function with `callee`'s attributes may be placed in one with `caller`'s.
pub(super) fn compatible(caller: &AttributeList, callee: &AttributeList, triple: &str) -> Result<(), Decline> {
    let check = |good: bool, reason: Decline| if good { Ok(()) } else { Err(reason) };
    let same = |&kind: &AttributeKind| caller.function_has(kind) == callee.function_has(kind);
    check(!has_any(&caller.function, &[AttributeKind::OptNone, AttributeKind::Naked]), Decline::CallerOptNone)?;
    check(EQUAL.iter().all(same), Decline::Sanitizer)?;
    let same_value = |key: &&str| caller.value(key) == callee.value(key);
    check(EQUAL_VALUES.iter().all(same_value), Decline::Sanitizer)?;
    check(same(&AttributeKind::StrictFp), Decline::StrictFp)?;
    check(denormals(caller).eq(denormals(callee)), Decline::Denormals)?;
    let null = AttributeKind::NullPointerIsValid;
    check(!callee.function_has(null) || caller.function_has(null), Decline::NullPointer)?;
    let protected = |list: &AttributeList| has_any(&list.function, &STACK_PROTECTORS);
    check(protected(caller) == protected(callee), Decline::StackProtector)?;
    check(target(caller, callee, triple), Decline::Target)
}

/// How numbers close to zero are treated: strings, and LLVM's later attribute.
fn denormals(list: &AttributeList) -> impl Iterator<Item = &Attribute> {
    list.function.iter().filter(|attribute| match attribute {
        Attribute::String { key: name, .. } | Attribute::Other { text: name, .. } => name.starts_with("denormal"),
        _ => false,
    })
}

/// Whether the caller's processor can run the callee's code: the same processor with at least the callee's features if features only add
/// instructions (x86), otherwise with exactly its features.
fn target(caller: &AttributeList, callee: &AttributeList, triple: &str) -> bool {
    let says_nothing = |key: &str| callee.value(key).is_none();
    if triple.starts_with("nvptx") && says_nothing("target-cpu") && says_nothing("target-features") {
        // A PTX module is for one machine: libraries of device functions do not say which.
        return true;
    }
    let cpu = caller.value("target-cpu");
    if cpu != callee.value("target-cpu") {
        return false;
    }
    let [has, needs] = [caller, callee].map(|list| list.value("target-features").unwrap_or_default());
    if has == needs {
        return true;
    }
    let is_x86 = ["x86_64", "i386", "i486", "i586", "i686"].iter().any(|arch| triple.starts_with(arch));
    if !is_x86 {
        return false;
    }
    let has = x86_features(cpu, has, triple.starts_with("x86_64"));
    needs.split(',').filter_map(|feature| feature.strip_prefix('+')).all(|feature| has.contains(&feature))
}

/// Features that imply one another, each with the next (`X86.td`).
const X86_IMPLIED: &[(&str, &str)] = &[
    ("avx512f", "avx2"),
    ("avx512f", "fma"),
    ("avx512f", "f16c"),
    ("avx2", "avx"),
    ("fma", "avx"),
    ("f16c", "avx"),
    ("avx", "sse4.2"),
    ("sse4.2", "sse4.1"),
    ("sse4.1", "ssse3"),
    ("ssse3", "sse3"),
    ("aes", "sse2"),
    ("pclmul", "sse2"),
    ("sse3", "sse2"),
    ("sse2", "sse"),
];

/// The features of every processor named `x86-64`, with or without a level.
const X86_64: &[&str] = &["64bit", "x87", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2"];

/// The features that are certain from a feature list and a processor, as far as [the table](X86_IMPLIED) knows. As in LLVM, the list is
/// read in order, and removing a feature removes those that imply it.
fn x86_features<'a>(cpu: Option<&str>, list: &'a str, is_64: bool) -> Vec<&'a str> {
    let mut has: Vec<&str> = match cpu {
        Some("x86-64" | "x86-64-v2" | "x86-64-v3" | "x86-64-v4") if is_64 => X86_64.to_vec(),
        _ if is_64 => vec!["sse", "sse2"],
        _ => Vec::new(),
    };
    for feature in list.split(',') {
        if let Some(feature) = feature.strip_prefix('+') {
            let mut added = vec![feature];
            while let Some(feature) = added.pop() {
                has.push(feature);
                added.extend(X86_IMPLIED.iter().filter(|(from, _)| *from == feature).map(|&(_, to)| to));
            }
        } else if let Some(feature) = feature.strip_prefix('-') {
            let mut removed = vec![feature];
            while let Some(feature) = removed.pop() {
                has.retain(|&other| other != feature);
                removed.extend(X86_IMPLIED.iter().filter(|(_, to)| *to == feature).map(|&(from, _)| from));
            }
        }
    }
    has
}

/// The attributes of a caller into which the callee was inlined.
pub(super) fn merge(pool: &Pool, caller: Attributes, callee: Attributes) -> Attributes {
    let (old, other) = (pool.attributes(caller), pool.attributes(callee));
    let mut function: Vec<Attribute> = old.function.to_vec();
    let mut changed = false;
    let mut set = |function: &mut Vec<Attribute>, new: Option<Attribute>, remove: &dyn Fn(&Attribute) -> bool| {
        function.retain(|attribute| !remove(attribute));
        function.extend(new);
        changed = true;
    };
    let is = |attribute: &Attribute, key: &str| attribute.key() == Some(key);
    for name in ["less-precise-fpmad", "no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math"] {
        if old.value(name) == Some("true") && other.value(name) != Some("true") {
            set(&mut function, Some(Attribute::string(name, "false")), &|attribute| is(attribute, name));
        }
    }
    for name in ["no-jump-tables", "profile-sample-accurate"] {
        if other.value(name) == Some("true") && old.value(name) != Some("true") {
            set(&mut function, Some(Attribute::string(name, "true")), &|attribute| is(attribute, name));
        }
    }
    for kind in [AttributeKind::NoImplicitFloat, AttributeKind::SpeculativeLoadHardening] {
        if other.function_has(kind) && !old.function_has(kind) {
            set(&mut function, Some(kind.into()), &|_| false);
        }
    }
    let progress = AttributeKind::MustProgress;
    if old.function_has(progress) && !other.function_has(progress) {
        set(&mut function, None, &|attribute| attribute.is(progress));
    }
    let level = |list: &AttributeList| STACK_PROTECTORS.iter().rposition(|&kind| list.function_has(kind));
    if let (Some(mine), Some(theirs)) = (level(old), level(other))
        && theirs > mine
    {
        let is_weaker = |attribute: &Attribute| STACK_PROTECTORS.iter().any(|&kind| attribute.is(kind));
        set(&mut function, Some(STACK_PROTECTORS[theirs].into()), &is_weaker);
    }
    if let (None, Some(probe)) = (old.value("probe-stack"), other.value("probe-stack")) {
        set(&mut function, Some(Attribute::string("probe-stack", probe)), &|_| false);
    }
    let number = |list: &AttributeList, name| list.value(name).map(|text| text.parse::<u64>().unwrap_or_default());
    let size = "stack-probe-size";
    if let Some(theirs) = number(other, size)
        && number(old, size).is_none_or(|mine| theirs < mine)
    {
        let new = Attribute::string(size, &theirs.to_string());
        set(&mut function, Some(new), &|attribute| is(attribute, size));
    }
    let width = "min-legal-vector-width";
    match (number(old, width), number(other, width)) {
        (Some(mine), Some(theirs)) if theirs > mine => {
            let new = Attribute::string(width, &theirs.to_string());
            set(&mut function, Some(new), &|attribute| is(attribute, width));
        }
        (Some(_), None) => set(&mut function, None, &|attribute| is(attribute, width)),
        _ => {}
    }
    if !changed {
        return caller;
    }
    pool.intern_attributes(AttributeList {
        function: function.into(),
        result: old.result.clone(),
        params: old.params.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> AttributeList {
        let function = texts.iter().map(|&text| Attribute::parse(text)).collect();
        AttributeList { function, ..AttributeList::default() }
    }

    #[test]
    fn features_are_a_subset_on_x86_only() {
        let (more, less) = (list(&["\"target-features\"=\"+avx,+sse\""]), list(&["\"target-features\"=\"+sse,-avx\""]));
        assert_eq!(compatible(&more, &less, "x86_64-linux-gnu"), Ok(()));
        assert_eq!(compatible(&less, &more, "x86_64-linux-gnu"), Err(Decline::Target));
        assert_eq!(compatible(&more, &less, "aarch64-linux-gnu"), Err(Decline::Target));
    }

    #[test]
    fn x86_features_are_implied() {
        let cpu = "\"target-cpu\"=\"x86-64\"";
        let with = |features: &str| list(&[cpu, &format!("\"target-features\"=\"{features}\"")]);
        let has = |caller: &str, callee: &str| compatible(&with(caller), &with(callee), "x86_64-linux-gnu").is_ok();
        assert!(has("", "+sse,+sse2"));
        assert!(has("+avx2", "+sse4.1,+fxsr"));
        assert!(!has("+sse4.1", "+sse4.2"));
        assert!(!has("-sse2", "+sse2"));
        assert!(!has("+avx2,-sse3", "+avx"));
        assert!(has("-avx,+avx2", "+avx"));
        assert_eq!(compatible(&list(&[]), &with("+sse"), "x86_64-linux-gnu"), Err(Decline::Target));
        let sse = list(&["\"target-features\"=\"+sse2\""]);
        assert_eq!(compatible(&list(&[]), &sse, "x86_64-linux-gnu"), Ok(()));
        assert_eq!(compatible(&list(&[]), &sse, "i686-linux-gnu"), Err(Decline::Target));
    }

    #[test]
    fn libraries_for_gpus_leave_the_machine_open() {
        let [cpu, features] = ["\"target-cpu\"=\"sm_90\"", "\"target-features\"=\"+ptx80,+sm_90\""];
        let fits = |caller: &[&str], callee: &[&str], triple| compatible(&list(caller), &list(callee), triple).is_ok();
        assert!(fits(&[cpu, features], &[], "nvptx64-nvidia-cuda"));
        assert!(!fits(&[cpu, features], &[], "amdgcn-amd-amdhsa"));
        assert!(!fits(&[], &[cpu], "nvptx64-nvidia-cuda"));
        assert!(!fits(&[cpu, features], &[cpu], "nvptx64-nvidia-cuda"));
        assert!(!fits(&[features], &["\"target-features\"=\"+ptx83\""], "nvptx64-nvidia-cuda"));
    }

    #[test]
    fn attributes_that_must_agree() {
        let pairs: [(&[&str], &[&str], Decline); 6] = [
            (&["sanitize_address"], &[], Decline::Sanitizer),
            (&[], &["strictfp"], Decline::StrictFp),
            (&[], &["null_pointer_is_valid"], Decline::NullPointer),
            (&["ssp"], &[], Decline::StackProtector),
            (&["\"denormal-fp-math\"=\"preserve-sign\""], &[], Decline::Denormals),
            (&["optnone"], &[], Decline::CallerOptNone),
        ];
        for (caller, callee, reason) in pairs {
            assert_eq!(compatible(&list(caller), &list(callee), ""), Err(reason));
        }
        assert_eq!(compatible(&list(&["null_pointer_is_valid"]), &list(&[]), ""), Ok(()));
    }

    #[test]
    fn merging_weakens_promises_and_strengthens_protection() {
        let pool = Pool::new();
        let caller = list(&["mustprogress", "ssp", "\"no-nans-fp-math\"=\"true\"", "\"min-legal-vector-width\"=\"0\""]);
        let callee = list(&["sspreq", "noimplicitfloat", "\"min-legal-vector-width\"=\"256\""]);
        let [caller, callee] = [caller, callee].map(|list| pool.intern_attributes(list));
        let merged = pool.attributes(merge(&pool, caller, callee));
        let texts: Vec<String> = merged.function.iter().map(Attribute::to_string).collect();
        let expected =
            ["\"no-nans-fp-math\"=\"false\"", "noimplicitfloat", "sspreq", "\"min-legal-vector-width\"=\"256\""];
        assert_eq!(texts, expected);
        assert_eq!(merge(&pool, callee, callee), callee);
    }
    /// The resulting attributes of a caller for each attribute with a rule, in each combination of caller and callee.
    #[test]
    fn every_pair_of_attributes() {
        let pool = Pool::new();
        let mut table = String::new();
        let with = |name: &str, values: &[&str]| -> Vec<String> {
            let named = values.iter().map(|value| format!("\"{name}\"=\"{value}\""));
            [String::new()].into_iter().chain(named).collect()
        };
        let bare = |names: &[&str]| -> Vec<String> { [""].iter().chain(names).map(|&name| name.to_owned()).collect() };
        let mut groups = vec![
            bare(&["mustprogress"]),
            bare(&["noimplicitfloat"]),
            bare(&STACK_PROTECTORS.map(AttributeKind::name)),
            bare(&["naked"]),
            bare(&["safestack"]),
            with("no-nans-fp-math", &["false", "true"]),
            with("no-jump-tables", &["false", "true"]),
            with("probe-stack", &["a", "b"]),
            with("stack-probe-size", &["1", "2"]),
            with("min-legal-vector-width", &["0", "256"]),
            with("sign-return-address", &["all"]),
            with("target-cpu", &["a", "b"]),
            with("target-features", &["+a", "+a,+b", "+a,-b", "-a"]),
            with("target-features", &["+avx,-sse", "+avx"]),
        ];
        groups.push(vec!["\"denormal-fp-math\"=\"ieee\"".into(), "denormal_fpenv(ieee)".into()]);
        for (caller, callee) in
            groups.iter().flat_map(|group| group.iter().flat_map(move |a| group.iter().map(move |b| (a, b))))
        {
            let [mine, theirs] = [caller, callee].map(|text| {
                let texts: Vec<&str> = ["cold", text].into_iter().filter(|text| !text.is_empty()).collect();
                pool.intern_attributes(list(&texts))
            });
            let merged = pool.attributes(merge(&pool, mine, theirs));
            let merged: Vec<String> = merged.function.iter().map(Attribute::to_string).collect();
            let fits = compatible(pool.attributes(mine), pool.attributes(theirs), "x86_64-linux-gnu").is_ok();
            let fits = if fits { "" } else { ", which do not fit" };
            table.push_str(&format!("{caller} with {callee}: {}{fits}\n", merged.join(" ")));
        }
        expect_test::expect_file!["attributes/pairs.txt"].assert_eq(&table);
    }
}
