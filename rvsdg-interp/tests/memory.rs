//! Memory: what is stored, bounds, alignment, lifetimes, atomics, globals.

#![allow(missing_docs, reason = "tests")]

mod common;

use common::{function, ints, observed, run, violated};
use rvsdg_core::text::parse_module;
use rvsdg_interp::observe::{Byte, Object, Seen};
use rvsdg_interp::{Argument, Buffer, Config, Location, Outcome, Rule, Value, observe};

fn body(lines: &str) -> Outcome {
    run("i32", &[], lines, &[])
}

fn returned(outcome: &Outcome) -> u64 {
    match outcome {
        Outcome::Returned(Some(Value::Int(number))) => *number,
        other => panic!("{other}"),
    }
}

const ARRAY: &str = "v0 = const i32 4\nv1: ptr, mem1 = alloca i32, v0, mem0, align 4\n";

#[test]
fn stored_values_come_back() {
    let lines = "v2 = const i32 7\nmem2 = store v2, v1, mem1, align 4\nv3: i32, mem3 = load v1, mem2, align 4\nyield v3, mem3, io0";
    assert_eq!(returned(&body(&format!("{ARRAY}{lines}"))), 7);
}

#[test]
fn bytes_are_little_endian() {
    let lines = "v2 = const i32 258\nmem2 = store v2, v1, mem1, align 4\nv3: i8, mem3 = load v1, mem2, align 1\n\
                 v4: i32 = zext v3\nyield v4, mem3, io0";
    assert_eq!(returned(&body(&format!("{ARRAY}{lines}"))), 2);
}

#[test]
fn new_memory_is_undef() {
    let lines = "v2: i32, mem2 = load v1, mem1, align 4\nyield v2, mem2, io0";
    assert_eq!(body(&format!("{ARRAY}{lines}")), Outcome::Returned(Some(Value::Undef)));
}

#[test]
fn accesses_stay_within_their_object() {
    for (index, inside) in [(3, true), (4, false), (-1, false)] {
        let lines = format!(
            "v2 = const i64 {index}\nv3: ptr = getelementptr i32, v1, v2\nmem2 = store v0, v3, mem1, align 4\nyield v0, mem2, io0"
        );
        let outcome = body(&format!("{ARRAY}{lines}"));
        if inside {
            assert_eq!(returned(&outcome), 4);
        } else {
            assert_eq!(violated(&outcome), Rule::OutOfBounds);
        }
    }
}

#[test]
fn inbounds_addresses_outside_are_poison() {
    let lines = "v2 = const i64 5\nv3: ptr = getelementptr inbounds nusw i32, v1, v2\nmem2 = store v0, v3, mem1, align 4\nyield v0, mem2, io0";
    assert_eq!(violated(&body(&format!("{ARRAY}{lines}"))), Rule::AddressNotDefined);
}

#[test]
fn alignment_and_null_are_checked() {
    let lines =
        "v2 = const i64 1\nv3: ptr = getelementptr i8, v1, v2\nmem2 = store v0, v3, mem1, align 4\nyield v0, mem2, io0";
    assert_eq!(violated(&body(&format!("{ARRAY}{lines}"))), Rule::Misaligned);
    let lines = "v2 = const ptr null\nv3: i32, mem2 = load v2, mem1, align 4\nyield v3, mem2, io0";
    assert_eq!(violated(&body(&format!("{ARRAY}{lines}"))), Rule::Null);
}

const MODULE: &str = r#"module "test"
@table = constant [2 x i32] data [5, 6], align 4
@counter = global i32 1, align 4
@place = global ptr null, align 8
@dangling = function ptr ()
@f = function i32 ()
@set = function void (ptr)
delta @table []
delta @counter []
delta @place []
lambda @dangling [] (mem0, io0) {
  v0 = const i32 1
  v1: ptr, mem1 = alloca i32, v0, mem0, align 4
  yield v1, mem1, io0
}
lambda @f [@dangling] (mem0, io0) {
  v0: ptr, mem1, io1 = call ptr () @dangling(), mem0, io0
  v1: i32, mem2 = load v0, mem1, align 4
  yield v1, mem2, io1
}
lambda @set [@table, @counter, @place] (v0: ptr, mem0, io0) {
  v1 = const i64 1
  v2: ptr = getelementptr i32, @table, v1
  v3: i32, mem1 = load v2, mem0, align 4
  mem2 = store v3, @counter, mem1, align 4
  mem3 = store v2, @place, mem2, align 8
  mem4 = store v3, v0, mem3, align 4
  yield mem4, io0
}
export @f
export @set
"#;

#[test]
fn objects_end_with_their_function() {
    assert_eq!(violated(&observed(MODULE, "f", &[]).outcome), Rule::Dead);
}

#[test]
fn final_memory_is_observed() {
    let seen = observed(MODULE, "set", &[Argument::Memory(Buffer::new(vec![1; 5], 4))]);
    assert_eq!(seen.outcome, Outcome::Returned(None));
    let contents = |object: &Object| seen.memory.iter().find(|contents| contents.object == *object).unwrap();
    let bytes = |numbers: &[u8]| numbers.iter().map(|&number| Byte::Bits(number, 0)).collect::<Vec<_>>();
    assert_eq!(contents(&Object::Symbol("counter".into())).bytes, bytes(&[6, 0, 0, 0]));
    assert_eq!(contents(&Object::Argument(0)).bytes, bytes(&[6, 0, 0, 0, 1]));
    let place = contents(&Object::Symbol("place".into()));
    assert_eq!(place.pointers, [(0, Seen::Pointer(Object::Symbol("table".into()), 4))]);
}

#[test]
fn constants_are_not_written() {
    let text = MODULE.replace("store v3, @counter, mem1", "store v3, @table, mem1");
    let seen = observed(&text, "set", &[Argument::Memory(Buffer::new(vec![0; 4], 4))]);
    assert_eq!(violated(&seen.outcome), Rule::WriteToConstant);
}

#[test]
fn atomics() {
    let lines = "v2 = const i32 7\nmem2 = store v2, v1, mem1, align 4\n\
                 v3: i32, mem3, io1 = atomicrmw add v1, v0, mem2, io0, seq_cst, align 4\n\
                 v4 = const i32 11\nv5: { i32, i1 }, mem4, io2 = cmpxchg v1, v4, v2, mem3, io1, acq_rel, monotonic, align 4\n\
                 v6: i32 = extractvalue v5, 0\nv7: i1 = extractvalue v5, 1\nv8: i32 = zext v7\n\
                 v9: i32, mem5 = load v1, mem4, align 4\nv10: i32 = mul v6, v9\nv11: i32 = add v10, v8\nyield v11, mem5, io2";
    assert_eq!(returned(&body(&format!("{ARRAY}{lines}"))), 11 * 7 + 1);
}

#[test]
fn undef_flows_through_memory_by_bits() {
    let lines = "mem1 = store v1, v0, mem0, align 1\nv2: i8, mem2 = load v0, mem1, align 1\nyield v2, mem2, io0";
    let text = function("i8", &["ptr", "i8"], lines);
    let memory = Argument::Memory(Buffer::new(vec![0], 1));
    let seen = observed(&text, "f", &[memory, Argument::Value(Value::Poison)]);
    assert_eq!(seen.value, Some(Seen::Poison));
    assert_eq!(seen.memory[0].bytes, [Byte::Poison]);
}

#[test]
fn sizes_of_arguments_are_those_of_the_call() {
    assert_eq!(violated(&run("i32", &["i32"], "yield v0, mem0, io0", &ints([]))), Rule::CallMismatch);
}

/// A machine lets an address go where it wants, as long as it comes back before it is used.
#[test]
fn loose_addresses_leave_their_objects() {
    let lines = "v1 = const i64 100\nv2 = const i64 -100\nv3 = const i8 7\n\
                 v4: ptr = getelementptr inbounds i8, v0, v1\nv5: ptr = getelementptr inbounds i8, v4, v2\n\
                 mem1 = store v3, v5, mem0, align 1\nv6: i8, mem2 = load v5, mem1, align 1\nyield v6, mem2, io0";
    let text = function("i8", &["ptr"], lines);
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let verified = module.verify().unwrap_or_else(|violations| panic!("{}:\n{text}", violations[0]));
    for loose_addresses in [false, true] {
        let arguments = [Argument::Memory(Buffer::new(vec![0; 8], 1))];
        let config = Config { loose_addresses, ..Config::default() };
        let outcome = observe(verified, "f", &arguments, config).outcome;
        assert_eq!(matches!(outcome, Outcome::Returned(_)), loose_addresses, "{outcome}");
    }
}

/// A list of arguments that leads to the last bytes of all has none.
#[test]
fn a_list_of_arguments_at_the_end_of_all_memory() {
    let text = function("i64", &["ptr"], "v1: i64, mem1, io1 = va_arg v0, mem0, io0\nyield v1, mem1, io1");
    let arguments = [Argument::Memory(Buffer::new(vec![0xff; 24], 8))];
    assert_eq!(violated(&observed(&text, "f", &arguments).outcome), Rule::VariadicArguments);
}

fn at(object: Object, offset: u64) -> Location {
    Location { object, offset }
}

/// Arguments lead into the same memory, and memory holds addresses.
#[test]
fn arguments_may_overlap() {
    let lines = "v2 = const i32 7\nv3 = const i64 4\nmem1 = store v2, v0, mem0, align 1\n\
                 v4: ptr = getelementptr i8, v1, v3\nv5: i32, mem2 = load v4, mem1, align 1\nyield v5, mem2, io0";
    let text = function("i32", &["ptr", "ptr"], lines);
    let memory = Argument::Memory(Buffer::new(vec![0; 16], 8));
    let places = |first, second| [at(Object::Argument(2), first), at(Object::Argument(2), second)].map(Argument::At);
    let of = |first, second| {
        let [first, second] = places(first, second);
        returned(&observed(&text, "f", &[first, second, memory.clone()]).outcome)
    };
    assert_eq!((of(5, 1), of(1, 1), of(3, 0)), (7, 0, 0));
    let lines = "v1: ptr, mem1 = load v0, mem0, align 8\nv2: i32, mem2 = load v1, mem1, align 4\nyield v2, mem2, io0";
    let itself = Buffer { pointers: vec![(0, at(Object::Argument(0), 8))], ..Buffer::new(vec![3; 16], 8) };
    let seen = observed(&function("i32", &["ptr"], lines), "f", &[Argument::Memory(itself)]);
    assert_eq!(returned(&seen.outcome), 0x0303_0303);
}

/// What nobody defines writes what it can reach, and nothing that only the function it is called from knows.
#[test]
fn unknown_functions_write_memory() {
    let text = "module \"test\"\n@see = function void (ptr)\n@f = function void (ptr, ptr, ptr)\nimport @see\n\
                lambda @f [@see] (v0: ptr, v1: ptr, v2: ptr, mem0, io0) {\n\
                mem1, io1 = call void (ptr) @see(v2), mem0, io0\nyield mem1, io1\n}\nexport @f\n";
    let shared = || Buffer::new(vec![9; 64], 8);
    let own = |pointers| Argument::Memory(Buffer { exclusive: true, pointers, ..shared() });
    let is_written = |given: Argument, argument: usize| {
        let arguments = [Argument::Memory(shared()), own(vec![]), given];
        let seen = observed(text, "f", &arguments);
        assert_eq!(seen.outcome, Outcome::Returned(None));
        seen.memory[argument].bytes.iter().any(|&byte| byte != Byte::Bits(9, 0))
    };
    let nothing = || Argument::At(at(Object::None, 0));
    assert!(is_written(nothing(), 0) && !is_written(nothing(), 1));
    assert!(is_written(own(vec![]), 2) && !is_written(own(vec![]), 1));
    assert!(is_written(own(vec![(8, at(Object::Argument(1), 0))]), 1));
}
