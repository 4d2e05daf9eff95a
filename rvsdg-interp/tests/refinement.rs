//! When one run may stand for another.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{function, observed};
use rvsdg_interp::observe::Seen;
use rvsdg_interp::{Argument, Buffer, Config, Observed, Outcome, Value, Verdict, limits, refines};

fn of(lines: &str, arguments: &[u64]) -> Observed {
    let params = vec!["i32"; arguments.len()];
    let arguments: Vec<Argument> = arguments.iter().map(|&bits| Argument::Value(Value::Int(bits))).collect();
    observed(&function("i32", &params, lines), "f", &arguments)
}

#[test]
fn poison_may_become_anything_and_nothing_becomes_poison() {
    let poison = of("v1 = const i32 poison\nyield v1, mem0, io0", &[5]);
    let undef = of("v1 = const i32 undef\nyield v1, mem0, io0", &[5]);
    let five = of("yield v0, mem0, io0", &[5]);
    for (source, target, right) in [
        (&poison, &five, true),
        (&poison, &undef, true),
        (&undef, &five, true),
        (&undef, &undef, true),
        (&five, &five, true),
        (&five, &poison, false),
        (&five, &undef, false),
        (&undef, &poison, false),
    ] {
        assert_eq!(!refines(source, target).is_violation(), right, "{:?} to {:?}", source.value, target.value);
    }
}

#[test]
fn lanes_that_are_undef_may_become_a_vector_that_is() {
    let vector = |lines: &str| observed(&function("<2 x i32>", &[], lines), "f", &[]);
    let whole = vector("v0 = const <2 x i32> undef\nyield v0, mem0, io0");
    let lanes = vector("v0 = const <2 x i32> <i32 undef, i32 undef>\nyield v0, mem0, io0");
    let half = vector("v0 = const <2 x i32> <i32 undef, i32 1>\nyield v0, mem0, io0");
    assert_eq!(refines(&lanes, &whole), Verdict::Refines);
    assert_eq!(refines(&whole, &lanes), Verdict::Refines);
    assert!(refines(&half, &whole).is_violation());
}

#[test]
fn frozen_poison_may_become_any_value() {
    let chosen = of("v1 = const i32 poison\nv2: i32 = freeze v1\nyield v2, mem0, io0", &[5]);
    let frozen = of("v1: i32 = freeze v0\nyield v1, mem0, io0", &[5]);
    let five = of("yield v0, mem0, io0", &[5]);
    assert!(matches!(refines(&chosen, &five), Verdict::Unknown(_)));
    assert_eq!(refines(&chosen, &chosen), Verdict::Refines);
    assert!(refines(&five, &chosen).is_violation());
    assert_eq!(refines(&frozen, &five), Verdict::Refines);
}

#[test]
fn an_address_that_is_read_as_a_number_may_become_another() {
    let module = |[declaration, import]: [&str; 2], ty: &str| {
        let text = format!(
            "module \"test\"\n{declaration}@h = function void ()\n@f = function {ty} (ptr)\n{import}import @h\n\
             lambda @f [@h] (v0: ptr, mem0, io0) {{\nmem1 = store @h, v0, mem0, align 8\n\
             v1: {ty}, mem2 = load v0, mem1, align 8\nyield v1, mem2, io0\n}}\nexport @f\n"
        );
        observed(&text, "f", &[Argument::Memory(Buffer::new(vec![0; 8], 8))])
    };
    let more = ["@g = function void ()\n", "import @g\n"];
    let number = [module(more, "i64"), module([""; 2], "i64")];
    assert!(matches!(refines(&number[0], &number[1]), Verdict::Unknown(_)));
    let converted = |more: [&str; 2]| {
        let text = format!(
            "module \"test\"\n{}@h = function void ()\n@f = function i64 ()\n{}import @h\n\
             lambda @f [@h] (mem0, io0) {{\nv0: i64 = ptrtoint @h\nyield v0, mem0, io0\n}}\nexport @f\n",
            more[0], more[1]
        );
        observed(&text, "f", &[])
    };
    assert!(matches!(refines(&converted(more), &converted([""; 2])), Verdict::Unknown(_)));
    let address = [module(more, "ptr"), module([""; 2], "ptr")];
    assert_eq!(refines(&address[0], &address[1]), Verdict::Refines);
}

/// No word of memory has its object.
#[test]
fn an_address_that_is_not_aligned_in_memory_may_become_another() {
    let stored = |[declaration, import]: [&str; 2]| {
        let text = format!(
            "module \"test\"\n{declaration}@h = function void ()\n@f = function void (ptr)\n{import}import @h\n\
             lambda @f [@h] (v0: ptr, mem0, io0) {{\nv1 = const i64 4\nv2: ptr = getelementptr i8, v0, v1\n\
             mem1 = store @h, v2, mem0, align 1\nyield mem1, io0\n}}\nexport @f\n"
        );
        observed(&text, "f", &[Argument::Memory(Buffer::new(vec![0; 16], 8))])
    };
    let moved = refines(&stored(["@g = function void ()\n", "import @g\n"]), &stored([""; 2]));
    assert!(matches!(moved, Verdict::Unknown(_)), "{moved}");
}

#[test]
fn a_nan_that_is_computed_may_become_any_nan() {
    let computed = of("v1 = const float 0.0\nv2: float = fdiv v1, v1\nv3: i32 = bitcast v2\nyield v3, mem0, io0", &[5]);
    let bits = of("v1 = const i32 2143289344\nyield v1, mem0, io0", &[5]);
    assert!(matches!(refines(&computed, &bits), Verdict::Unknown(_)));
    assert!(refines(&bits, &computed).is_violation());
}

#[test]
fn undefined_behaviour_may_become_anything_and_nothing_becomes_undefined() {
    let undefined = of("io1 = unreachable io0\nyield v0, mem0, io1", &[5]);
    let five = of("yield v0, mem0, io0", &[5]);
    assert!(matches!(refines(&undefined, &five), Verdict::Vacuous(_)));
    assert!(refines(&five, &undefined).is_violation());
}

const CALLER: &str = "module \"test\"\n@see = function void (i32)\n@f = function i32 (i32)\nimport @see\n\
                      lambda @f [@see] (v0: i32, mem0, io0) {\nBODY\n}\nexport @f\n";

fn calls(lines: &str) -> Observed {
    observed(&CALLER.replace("BODY", lines), "f", &[Argument::Value(Value::Int(1))])
}

#[test]
fn calls_stay_and_keep_their_order() {
    let both = "v1 = const i32 2\nmem1, io1 = call void (i32) @see(v0), mem0, io0\n\
                mem2, io2 = call void (i32) @see(v1), mem1, io1\nyield v0, mem2, io2";
    let other = both.replace("@see(v0)", "@see(v9)").replace("@see(v1)", "@see(v0)").replace("@see(v9)", "@see(v1)");
    let one = "mem1, io1 = call void (i32) @see(v0), mem0, io0\nyield v0, mem1, io1";
    assert_eq!(refines(&calls(both), &calls(both)), Verdict::Refines);
    assert!(refines(&calls(both), &calls(&other)).is_violation());
    assert!(refines(&calls(both), &calls(one)).is_violation());
    assert!(refines(&calls(one), &calls(both)).is_violation());
}

#[test]
fn memory_that_stays_is_compared() {
    let text = |operation: &str| {
        function(
            "i32",
            &["ptr", "i32"],
            &format!("v2: i32 = {operation}\nmem1 = store v2, v0, mem0, align 4\nyield v1, mem1, io0"),
        )
    };
    let of = |operation: &str| {
        let memory = Argument::Memory(Buffer::new(vec![0; 8], 4));
        observed(&text(operation), "f", &[memory, Argument::Value(Value::Int(6))])
    };
    assert_eq!(refines(&of("add v1, v1"), &of("add v1, v1")), Verdict::Refines);
    assert!(refines(&of("add v1, v1"), &of("sub v1, v1")).is_violation());
    assert!(refines(&of("udiv exact v1, v1"), &of("add v1, v1")).is_violation());
}

#[test]
fn runs_that_are_cut_off_agree_as_far_as_they_go() {
    let endless = "v1: i32, mem1, io1 = theta (v2: i32 = v0, mem2 = mem0, io2 = io0, v5: ptr = @see) {\n\
                   mem3, io3 = call void (i32) v5(v2), mem2, io2\nv3: ctl(2) = ctl 1 of 2\nnext v2, mem3, io3, v5 while v3\n}\n\
                   yield v1, mem1, io1";
    let endless = endless.replace("io1 = theta", "io1, v6: ptr = theta");
    assert!(matches!(refines(&calls(&endless), &calls(&endless)), Verdict::Unknown(_)));
}

/// A target that has many times the fuel that the source needed and does not come to its end has none.
#[test]
fn what_never_ends_is_wrong() {
    let endless = "v1: i32, mem1, io1 = theta (v2: i32 = v0, mem2 = mem0, io2 = io0) {\n\
                   v3: ctl(2) = ctl 1 of 2\nnext v2, mem2, io2 while v3\n}\nyield v1, mem1, io1";
    let (endless, ends) = (of(endless, &[5]), of("yield v0, mem0, io0", &[5]));
    let config = Config { fuel: 1 << 40, ..Config::default() };
    assert!(limits(&ends, &config).fuel < 100_000);
    assert!(refines(&ends, &endless).is_violation());
    assert!(matches!(refines(&endless, &ends), Verdict::Unknown(_)));
}

#[test]
fn a_zero_whose_sign_is_free_may_become_the_other_and_nothing_else() {
    let half = |lines: &str, bits: u64| {
        observed(&function("half", &["half"], lines), "f", &[Argument::Value(Value::Int(bits))])
    };
    let subtracted = |flags: &str| format!("v1 = const half 0x0\nv2: half = fsub {flags}v1, v0\nyield v2, mem0, io0");
    let negated = "v1: half = fneg v0\nyield v1, mem0, io0";
    let one = "v1 = const half 0x3C00\nyield v1, mem0, io0";
    for bits in [0, 0x8000, 0x3c00] {
        assert_eq!(refines(&half(&subtracted("nsz "), bits), &half(negated, bits)), Verdict::Refines);
    }
    assert!(refines(&half(&subtracted(""), 0), &half(negated, 0)).is_violation());
    assert!(refines(&half(&subtracted("nsz "), 0), &half(one, 0)).is_violation());
    // What is divided by such a zero is infinite, with a sign that is free as well.
    let inverse = |zero: &str| format!("{zero}\nv9 = const half 0x3C00\nv10: half = fdiv v9, v2\nyield v10, mem0, io0");
    let [source, target] = ["fsub nsz v1, v0", "fneg v0"]
        .map(|zero| half(&inverse(&format!("v1 = const half 0x0\nv2: half = {zero}")), 0));
    assert!(matches!(refines(&source, &target), Verdict::Unknown(_)));
}

#[test]
fn addresses_whose_distance_wraps_are_poison_where_that_is_promised() {
    let equals = |flags: &str, index: u64| {
        let lines = format!("v2: ptr = getelementptr {flags}i32, v0, v1\nv3: i1 = icmp eq v2, v0\nyield v3, mem0, io0");
        let arguments = [Argument::Memory(Buffer::new(vec![0; 64], 16)), Argument::Value(Value::Int(index))];
        observed(&function("i1", &["ptr", "i64"], &lines), "f", &arguments).value
    };
    let [poison, yes, no] = [Seen::Poison, Seen::Bits(vec![1]), Seen::Bits(vec![])].map(Some);
    // Four times this is a multiple of the number of addresses.
    let wraps = 1 << 62;
    assert_eq!(equals("", wraps), yes);
    assert_eq!(equals("inbounds nusw ", wraps), poison);
    assert_eq!(equals("nusw ", wraps), poison);
    assert_eq!(equals("nuw ", wraps), poison);
    assert_eq!(equals("inbounds nusw ", 0), yes);
    assert_eq!(equals("inbounds nusw nuw ", 3), no);
    // Backwards is a large number without sign.
    assert_eq!(equals("nusw ", 1u64.wrapping_neg()), no);
    assert_eq!(equals("nuw ", 1u64.wrapping_neg()), poison);
}

#[test]
fn an_address_less_aligned_than_a_call_says_is_poison() {
    let copied = |align: u64, offset: u64| {
        let text = format!(
            "module \"test\"\n@llvm.memcpy.p0.p0.i64 = function void (ptr, ptr, i64, i1)\n@f = function void (ptr, ptr)\n\
             import @llvm.memcpy.p0.p0.i64\nlambda @f [@llvm.memcpy.p0.p0.i64] (v0: ptr, v1: ptr, mem0, io0) {{\n\
             v2 = const i64 8\nv3 = const i1 false\n\
             mem1 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(v0, v1, v2, v3) #0, mem0\n\
             yield mem1, io0\n}}\nexport @f\nattributes #0 = params ({{ align {align} }}, {{}})\n"
        );
        let memory = || Argument::Memory(Buffer::new(vec![1; 32], 16));
        let place = rvsdg_interp::observe::Location { object: rvsdg_interp::observe::Object::Argument(2), offset };
        observed(&text, "f", &[Argument::At(place), memory(), memory()]).outcome
    };
    assert!(matches!(copied(4, 4), Outcome::Returned(_)));
    assert!(matches!(copied(8, 4), Outcome::Undefined { .. }));
}
