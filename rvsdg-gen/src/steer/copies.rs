//! A function that copies objects on the stack to each other and fills them, in turn with stores to them and loads.

use std::fmt::Write;

use rvsdg_core::Module;

use super::replace;
use crate::entropy::Entropy;

const OBJECTS: usize = 4;
const BYTES: usize = 16;
const COPY: &str = "llvm.memcpy.p0.p0.i64";
const FILL: &str = "llvm.memset.p0.i64";
const END: &str = "llvm.lifetime.end.p0";

/// Adds the function.
pub(super) fn add(module: &mut Module, entropy: &mut Entropy<'_>) {
    let mut text = format!("{module}\n");
    for (name, ty, number) in [(COPY, "ptr, ptr, i64, i1", 1000), (END, "ptr", 1001), (FILL, "ptr, i8, i64, i1", 1002)]
    {
        // Modules may have them.
        if !text.contains(&format!("\n@{name} =")) {
            let _ = writeln!(text, "@{name} = function void ({ty}), #{number}\nimport @{name}");
        }
    }
    text += "@steer.copies = function i64 (i64, i64)\n";
    let mut maker = Maker { text, values: 2, states: 0, entropy };
    let head =
        format!("lambda @steer.copies [@{COPY}, @{END}, @{FILL}] (v0: i64, v1: i64, mem0, io0) {{\nv2 = const i32 1\n");
    maker.text += &head;
    let (copy, fill, end) = (format!("@{COPY}"), format!("@{FILL}"), format!("@{END}"));
    let mut place = Place { objects: Vec::new(), copy, fill, end, sum: 0 };
    for _ in 0..OBJECTS {
        let object = maker.value();
        let (before, after) = maker.state();
        let _ = writeln!(maker.text, "v{object}: ptr, mem{after} = alloca [{BYTES} x i8], v2, mem{before}, align 8");
        place.objects.push(object);
    }
    for index in 0..OBJECTS {
        for offset in [0, 8] {
            maker.store(&place, index, offset, index % 2);
        }
    }
    let mut living = OBJECTS;
    for _ in 0..4 + maker.entropy.below(8) {
        if maker.entropy.chance(1, 5) {
            maker.conditional(&mut place, living);
        } else if maker.entropy.chance(1, 8) && living > 2 {
            living -= 1;
            let (object, end) = (place.objects[living], place.end.clone());
            let (before, after) = maker.state();
            let _ = writeln!(maker.text, "mem{after} = call void (ptr) {end}(v{object}), mem{before}");
        } else {
            maker.step(&mut place, living);
        }
    }
    let (sum, state) = (place.sum, maker.states);
    let _ = writeln!(maker.text, "yield v{sum}, mem{state}, io0\n}}\nexport @steer.copies");
    let effects = "nocallback, nofree, nounwind, willreturn, memory(argmem: readwrite)";
    let _ = writeln!(
        maker.text,
        "attributes #1000 = function {{ {effects} }} params ({{ noalias, writeonly, captures(none) }}, {{ noalias, readonly, captures(none) }}, {{}}, {{ immarg }})\n\
         attributes #1001 = function {{ {effects} }} params ({{ captures(none) }})\n\
         attributes #1002 = function {{ {effects} }} params ({{ writeonly, captures(none) }}, {{}}, {{}}, {{ immarg }})"
    );
    replace(module, &maker.text);
}

/// Names in a region.
#[derive(Clone)]
struct Place {
    objects: Vec<usize>,
    copy: String,
    fill: String,
    end: String,
    /// What was loaded so far.
    sum: usize,
}

struct Maker<'m, 'e> {
    text: String,
    values: usize,
    states: usize,
    entropy: &'m mut Entropy<'e>,
}

impl Maker<'_, '_> {
    fn value(&mut self) -> usize {
        self.values += 1;
        self.values
    }

    /// The state that there is, and the next.
    fn state(&mut self) -> (usize, usize) {
        self.states += 1;
        (self.states - 1, self.states)
    }

    fn constant(&mut self, ty: &str, number: impl std::fmt::Display) -> usize {
        let value = self.value();
        let _ = writeln!(self.text, "v{value} = const {ty} {number}");
        value
    }

    fn address(&mut self, place: &Place, object: usize, offset: usize) -> usize {
        let base = place.objects[object];
        if offset == 0 {
            return base;
        }
        let by = self.constant("i64", offset);
        let address = self.value();
        let _ = writeln!(self.text, "v{address}: ptr = getelementptr inbounds i8, v{base}, v{by}");
        address
    }

    fn store(&mut self, place: &Place, object: usize, offset: usize, value: usize) {
        let address = self.address(place, object, offset);
        let (before, after) = self.state();
        let _ = writeln!(self.text, "mem{after} = store v{value}, v{address}, mem{before}, align 8");
    }

    fn load(&mut self, place: &mut Place, object: usize, offset: usize) {
        let address = self.address(place, object, offset);
        let (before, after) = self.state();
        let (loaded, sum) = (self.value(), self.value());
        let old = std::mem::replace(&mut place.sum, sum);
        let _ = writeln!(
            self.text,
            "v{loaded}: i64, mem{after} = load v{address}, mem{before}, align 8\nv{sum}: i64 = sub v{loaded}, v{old}"
        );
    }

    /// A copy, a fill with a load, a store or a load.
    fn step(&mut self, place: &mut Place, living: usize) {
        let object = self.entropy.below(living);
        let offset = self.entropy.pick(&[0, 0, 8]);
        match self.entropy.below(6) {
            0 => self.store(place, object, offset, place.sum),
            1 => self.load(place, object, offset),
            2 => {
                let len = (BYTES - offset).min(self.entropy.pick(&[4, 8, 16, 16]));
                let byte = self.entropy.pick(&["0", "0", "1"]);
                let to = self.address(place, object, offset);
                let (byte, len, volatile) =
                    (self.constant("i8", byte), self.constant("i64", len), self.constant("i1", "false"));
                let (before, after) = self.state();
                let fill = &place.fill;
                let _ = writeln!(
                    self.text,
                    "mem{after} = call void (ptr, i8, i64, i1) {fill}(v{to}, v{byte}, v{len}, v{volatile}), mem{before}"
                );
                self.load(place, object, offset);
            }
            _ => {
                let other = (object + 1 + self.entropy.below(living - 1)) % living;
                let from_offset = self.entropy.pick(&[0, 0, 8]);
                let len = (BYTES - offset.max(from_offset)).min(self.entropy.pick(&[8, 16, 16]));
                let (to, from) = (self.address(place, object, offset), self.address(place, other, from_offset));
                let (len, volatile) = (self.constant("i64", len), self.constant("i1", "false"));
                let (before, after) = self.state();
                let copy = &place.copy;
                let _ = writeln!(
                    self.text,
                    "mem{after} = call void (ptr, ptr, i64, i1) {copy}(v{to}, v{from}, v{len}, v{volatile}), mem{before}"
                );
            }
        }
    }

    /// Steps under a condition.
    fn conditional(&mut self, place: &mut Place, living: usize) {
        let (predicate, sum) = (self.value(), self.value());
        let (before, after) = self.state();
        let objects = place.objects.iter().map(|object| format!("v{object}, ")).collect::<String>();
        let (copy, fill, old) = (place.copy.clone(), place.fill.clone(), place.sum);
        let _ = writeln!(
            self.text,
            "v{predicate}: ctl(2) = match i64 v{old} [1 -> 0, _ -> 1]\n\
             v{sum}: i64, mem{after} = gamma v{predicate} ({objects}{copy}, {fill}, v{old}, mem{before})"
        );
        for case in 0..2 {
            let objects: Vec<usize> = place.objects.iter().map(|_| self.value()).collect();
            let (copy, fill, sum) = (self.value(), self.value(), self.value());
            let (_, state) = self.state();
            let arguments = objects.iter().map(|object| format!("v{object}: ptr, ")).collect::<String>();
            let _ =
                writeln!(self.text, "case {case} ({arguments}v{copy}: ptr, v{fill}: ptr, v{sum}: i64, mem{state}) {{");
            let mut inner =
                Place { objects, copy: format!("v{copy}"), fill: format!("v{fill}"), end: String::new(), sum };
            for _ in 0..self.entropy.below(4) {
                self.step(&mut inner, living);
            }
            let (sum, state) = (inner.sum, self.states);
            let _ = writeln!(self.text, "yield v{sum}, mem{state}\n}}");
        }
        // What follows takes the state of the conditional.
        let (_, next) = self.state();
        place.sum = sum;
        self.rename(after, next);
    }

    /// Gives the state of the conditional that was written last the number that what follows takes.
    fn rename(&mut self, old: usize, new: usize) {
        let at = self.text.rfind(&format!(", mem{old} = gamma")).unwrap_or_default();
        let end = at + format!(", mem{old}").len();
        self.text.replace_range(at..end, &format!(", mem{new}"));
    }
}
