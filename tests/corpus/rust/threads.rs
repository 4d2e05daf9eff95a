//! Threads and atomics: every order, channels, mutexes, condition variables, scoped threads, barriers, one-time initialization.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::hint::spin_loop;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;

struct SpinLock<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for SpinLock<T> {}

struct SpinGuard<'a, T>(&'a SpinLock<T>);

impl<T> SpinLock<T> {
    const fn new(value: T) -> Self {
        SpinLock { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }
    fn lock(&self) -> SpinGuard<'_, T> {
        while self.held.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            spin_loop();
            thread::yield_now();
        }
        SpinGuard(self)
    }
}

impl<T> Deref for SpinGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.0.value.get() }
    }
}
impl<T> DerefMut for SpinGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.0.value.get() }
    }
}
impl<T> Drop for SpinGuard<'_, T> {
    fn drop(&mut self) {
        self.0.held.store(false, Ordering::Release);
    }
}

/// A stack without locks, from which nothing is removed before all is there.
struct Stack {
    head: AtomicPtr<Entry>,
}

struct Entry {
    value: u64,
    next: *mut Entry,
}

impl Stack {
    fn push(&self, value: u64) {
        let entry = Box::into_raw(Box::new(Entry { value, next: ptr::null_mut() }));
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            unsafe { (*entry).next = head };
            match self.head.compare_exchange_weak(head, entry, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(current) => head = current,
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let mut entry = *self.head.get_mut();
        let (mut count, mut sum) = (0, 0);
        while !entry.is_null() {
            let owned = unsafe { Box::from_raw(entry) };
            (count, sum) = (count + 1, sum + owned.value);
            entry = owned.next;
        }
        println!("dropped {count} entries, {sum}");
    }
}

struct Queue<T> {
    items: Mutex<VecDeque<T>>,
    changed: Condvar,
    limit: usize,
}

impl<T> Queue<T> {
    fn put(&self, item: T) {
        let mut items = self.changed.wait_while(self.items.lock().unwrap(), |items| items.len() >= self.limit).unwrap();
        items.push_back(item);
        self.changed.notify_all();
    }
    fn take(&self) -> T {
        let mut items = self.changed.wait_while(self.items.lock().unwrap(), |items| items.is_empty()).unwrap();
        let item = items.pop_front().expect("it is not empty");
        self.changed.notify_all();
        item
    }
}

static COUNTER: SpinLock<u64> = SpinLock::new(0);
static LAZY: LazyLock<Vec<u32>> = LazyLock::new(|| {
    println!("made once");
    (1..=5).map(|n| n * n).collect()
});
static ONCE: Once = Once::new();
static CELL: OnceLock<String> = OnceLock::new();

fn orders() {
    let n = AtomicU32::new(10);
    let old = [
        n.fetch_add(5, Ordering::Relaxed),
        n.fetch_sub(3, Ordering::Acquire),
        n.fetch_and(0b1110, Ordering::Release),
        n.fetch_or(0b1_0000, Ordering::AcqRel),
        n.fetch_xor(0xff, Ordering::SeqCst),
        n.fetch_nand(0xf0, Ordering::Relaxed),
        n.fetch_max(7, Ordering::SeqCst),
        n.fetch_min(1000, Ordering::AcqRel),
        n.swap(77, Ordering::AcqRel),
    ];
    println!("{old:?} {}", n.load(Ordering::Acquire));
    let signed = AtomicI8::new(-5);
    println!("{} {}", signed.fetch_max(3, Ordering::SeqCst), signed.fetch_min(-100, Ordering::SeqCst));
    println!("{:?} {:?}", signed.compare_exchange(-100, 1, Ordering::SeqCst, Ordering::Acquire), signed.compare_exchange(0, 2, Ordering::Release, Ordering::Relaxed));
    println!("{:?}", n.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |x| x.checked_sub(100)));
    fence(Ordering::SeqCst);
    std::sync::atomic::compiler_fence(Ordering::AcqRel);
}

/// One side writes, then raises a flag; the other waits for the flag, then reads.
fn message() -> u64 {
    let (data, ready) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.store(42, Ordering::Relaxed);
            ready.store(true, Ordering::Release);
        });
        while !ready.load(Ordering::Acquire) {
            thread::yield_now();
        }
        data.load(Ordering::Relaxed)
    })
}

fn main() {
    orders();
    println!("{}", message());

    let stack = Stack { head: AtomicPtr::new(ptr::null_mut()) };
    thread::scope(|scope| {
        for t in 0..4 {
            let stack = &stack;
            scope.spawn(move || (0..250).for_each(|i| stack.push(t * 1000 + i)));
            scope.spawn(|| (0..250).for_each(|_| *COUNTER.lock() += 1));
        }
    });
    drop(stack);
    println!("{}", *COUNTER.lock());

    let queue = Arc::new(Queue { items: Mutex::new(VecDeque::new()), changed: Condvar::new(), limit: 3 });
    let producer = {
        let queue = queue.clone();
        thread::spawn(move || {
            (0..200).for_each(|n| queue.put(Some(n)));
            queue.put(None);
        })
    };
    let mut sum = 0;
    while let Some(n) = queue.take() {
        sum += n * n;
    }
    producer.join().unwrap();
    println!("{sum}");

    let (sender, receiver) = mpsc::channel::<(usize, String)>();
    let workers: Vec<_> = (0..3)
        .map(|id| {
            let sender = sender.clone();
            thread::spawn(move || (0..5).for_each(|n| sender.send((id, "x".repeat(n))).unwrap()))
        })
        .collect();
    drop(sender);
    let mut received: Vec<_> = receiver.iter().collect();
    received.sort();
    println!("{} {:?}", received.len(), received.last());
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    let (bounded, last) = mpsc::sync_channel(1);
    thread::spawn(move || (0..10).try_for_each(|n| bounded.send(n)).is_err());
    println!("{:?} {:?}", last.recv(), last.iter().take(3).collect::<Vec<i32>>());

    let shared = RwLock::new(vec![1]);
    let (barrier, leaders) = (Barrier::new(3), AtomicUsize::new(0));
    thread::scope(|scope| {
        for n in 0..3 {
            let (shared, barrier, leaders) = (&shared, &barrier, &leaders);
            scope.spawn(move || {
                ONCE.call_once(|| println!("called once"));
                CELL.get_or_init(|| LAZY.iter().sum::<u32>().to_string());
                shared.write().unwrap().push(n);
                leaders.fetch_add(usize::from(barrier.wait().is_leader()), Ordering::SeqCst);
                assert_eq!(shared.read().unwrap().len(), 4);
            });
        }
    });
    let mut values = shared.into_inner().unwrap();
    values.sort_unstable();
    println!("{values:?} {} {:?}", leaders.load(Ordering::SeqCst), CELL.get());
    thread_local!(static LOCAL: std::cell::RefCell<Vec<i32>> = const { std::cell::RefCell::new(Vec::new()) });
    let lengths: Vec<usize> = (0..3)
        .map(|n| {
            thread::spawn(move || LOCAL.with_borrow_mut(|v| {
                v.extend(0..n);
                v.len()
            }))
            .join()
            .unwrap()
        })
        .collect();
    println!("{lengths:?} {}", LOCAL.with_borrow(Vec::len));
}
