//! Memory: own containers with raw pointers, layout, unions, unsized types, drop order, copy on write, C functions.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};

struct List<T> {
    pointer: NonNull<T>,
    len: usize,
    capacity: usize,
    owns: PhantomData<T>,
}

impl<T> List<T> {
    fn new() -> Self {
        List { pointer: NonNull::dangling(), len: 0, capacity: 0, owns: PhantomData }
    }
    fn grow(&mut self) {
        let capacity = (self.capacity * 2).max(2);
        let layout = Layout::array::<T>(capacity).expect("it fits");
        let pointer = unsafe {
            if self.capacity == 0 {
                alloc(layout)
            } else {
                let old = Layout::array::<T>(self.capacity).expect("it fits");
                realloc(self.pointer.as_ptr().cast(), old, layout.size())
            }
        };
        self.pointer = NonNull::new(pointer.cast()).expect("there is memory");
        self.capacity = capacity;
    }
    fn push(&mut self, value: T) {
        if self.len == self.capacity {
            self.grow();
        }
        unsafe { self.pointer.add(self.len).write(value) };
        self.len += 1;
    }
    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(unsafe { self.pointer.add(self.len).read() })
    }
}

impl<T> std::ops::Deref for List<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
        if self.capacity > 0 {
            unsafe { dealloc(self.pointer.as_ptr().cast(), Layout::array::<T>(self.capacity).expect("it fits")) };
        }
    }
}

struct Counted<'a>(u32, &'a Cell<u32>);
impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() * 3 + self.0);
    }
}

#[repr(C)]
union Bits {
    float: f32,
    int: u32,
    bytes: [u8; 4],
}

#[repr(C, packed)]
struct Packed {
    tag: u8,
    value: u64,
    half: u16,
}

#[repr(align(32))]
#[derive(Clone, Copy)]
struct Aligned([u8; 5]);

#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Zero,
    Five = 5,
    Last = 200,
}

impl TryFrom<u8> for Kind {
    type Error = u8;
    fn try_from(n: u8) -> Result<Self, u8> {
        [Kind::Zero, Kind::Five, Kind::Last].into_iter().find(|&kind| kind as u8 == n).ok_or(n)
    }
}

fn escape(text: &str) -> Cow<'_, str> {
    if text.contains('<') { Cow::Owned(text.replace('<', "&lt;")) } else { Cow::Borrowed(text) }
}

unsafe extern "C" {
    fn qsort(base: *mut c_void, count: usize, size: usize, compare: extern "C" fn(*const c_void, *const c_void) -> c_int);
    fn strlen(text: *const c_char) -> usize;
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

extern "C" fn descending(a: *const c_void, b: *const c_void) -> c_int {
    let (a, b) = unsafe { (*a.cast::<i32>(), *b.cast::<i32>()) };
    b.cmp(&a) as c_int
}

/// A linked list turned around in place.
struct Link {
    value: u32,
    next: Option<Box<Link>>,
}

fn reverse(mut list: Option<Box<Link>>) -> Option<Box<Link>> {
    let mut reversed = None;
    while let Some(mut link) = list {
        list = mem::replace(&mut link.next, reversed);
        reversed = Some(link);
    }
    reversed
}

fn main() {
    let drops = Cell::new(0);
    {
        let mut list = List::new();
        (1..=7).for_each(|n| list.push(Counted(n, &drops)));
        drop(list.pop());
        println!("{} {} {}", list.len(), list.iter().map(|item| item.0).sum::<u32>(), drops.get());
        let [mut a, b] = [list.pop().unwrap(), list.pop().unwrap()];
        mem::swap(&mut a.0, &mut Counted(50, &drops).0);
        let _kept = ManuallyDrop::new(b);
    }
    println!("{}", drops.get());
    let mut texts = List::new();
    ["a", "bc", "def"].iter().for_each(|text| texts.push(text.repeat(2)));
    println!("{} {:?}", texts.join("-"), texts.iter().rev().next());

    let bits = Bits { float: -1.25 };
    println!("{:x} {:?}", unsafe { bits.int }, unsafe { bits.bytes });
    let packed = Packed { tag: 7, value: 1 << 40, half: 9 };
    let (value, half) = (packed.value, packed.half);
    println!("{} {value} {half} {} {}", packed.tag, size_of::<Packed>(), mem::offset_of!(Packed, half));
    let aligned = [Aligned([1; 5]), Aligned([2; 5])];
    println!("{} {} {}", size_of_val(&aligned), (&raw const aligned[1]).addr() % 32, aligned[1].0[4]);
    println!("{} {} {}", size_of::<Option<Box<i32>>>(), size_of::<Option<Kind>>(), size_of::<Option<Option<bool>>>());
    println!("{:?} {:?}", [0, 5, 6, 200].map(Kind::try_from), unsafe { mem::transmute::<u8, Kind>(5) });

    let mut raw: [MaybeUninit<String>; 4] = [const { MaybeUninit::uninit() }; 4];
    for (i, slot) in raw.iter_mut().enumerate() {
        slot.write(format!("slot {i}"));
    }
    println!("{}", raw.iter_mut().map(|slot| unsafe { slot.assume_init_read() }).collect::<Vec<_>>().join(", "));
    let mut bytes = *b"overlapping copies";
    unsafe {
        let start = bytes.as_mut_ptr();
        ptr::copy(start, start.add(4), 8);
        ptr::swap(start, start.add(17));
        ptr::write_volatile(start.add(1), b'V');
        ptr::write_unaligned(start.add(9).cast::<u32>(), u32::from_le_bytes(*b"odd!"));
    }
    println!("{}", String::from_utf8_lossy(&bytes));
    println!("{} {}", escape("plain"), escape("a<b"));

    let mut numbers = [3, -1, 20, 7, 7, -30];
    unsafe { qsort(numbers.as_mut_ptr().cast(), numbers.len(), size_of::<i32>(), descending) };
    let text = CString::new("for C").expect("no zero inside");
    let mut buffer = [0u8; 32];
    let written = unsafe { snprintf(buffer.as_mut_ptr().cast(), buffer.len(), c"%s %d %.2f".as_ptr(), text.as_ptr(), 42, 2.5f64) };
    println!("{numbers:?} {} {written} {:?}", unsafe { strlen(text.as_ptr()) }, CStr::from_bytes_until_nul(&buffer));

    let list = (0..6).fold(None, |next, value| Some(Box::new(Link { value, next })));
    let mut reversed = &reverse(list);
    while let Some(link) = reversed {
        print!("{} ", link.value);
        reversed = &link.next;
    }
    let unsized_slice: Box<[u16]> = (0..4).map(|n| n * 1000).collect();
    let text: Box<str> = "boxed".into();
    let object: Box<dyn Fn(usize) -> u16> = Box::new(move |i| unsized_slice.get(i).copied().unwrap_or(u16::MAX));
    println!("{} {} {} {}", object(3), object(4), &text[1..], size_of_val(&*text));
}
