//! Traits and generics: dynamic dispatch, associated types and constants, default methods, supertraits, operators, closures.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};
use std::ops::{Add, Deref, Index, IndexMut, Mul, Neg, Sub};
use std::rc::{Rc, Weak};

trait Shape {
    const SIDES: u32;
    fn area(&self) -> f64;
    fn describe(&self) -> String {
        format!("{} sides, area {:.2}", Self::SIDES, self.area())
    }
}

struct Square(f64);
struct Rectangle(f64, f64);

impl Shape for Square {
    const SIDES: u32 = 4;
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Rectangle {
    const SIDES: u32 = 4;
    fn area(&self) -> f64 {
        self.0 * self.1
    }
    fn describe(&self) -> String {
        format!("{} by {}", self.0, self.1)
    }
}

trait Named {
    fn name(&self) -> String;
}

trait Animal: Named {
    fn legs(&self) -> u32;
    fn speak(&self, times: usize) -> String {
        vec![format!("{} on {} legs", self.name(), self.legs()); times].join(", ")
    }
}

#[derive(Clone)]
struct Dog {
    name: String,
}
struct Bird;

impl Named for Dog {
    fn name(&self) -> String {
        self.name.clone()
    }
}
impl Animal for Dog {
    fn legs(&self) -> u32 {
        4
    }
}
impl Named for Bird {
    fn name(&self) -> String {
        "bird".into()
    }
}
impl Animal for Bird {
    fn legs(&self) -> u32 {
        2
    }
    fn speak(&self, _: usize) -> String {
        "tweet".into()
    }
}

/// A matrix over any ring.
#[derive(Clone, Debug, PartialEq)]
struct Matrix<T, const R: usize, const C: usize>([[T; C]; R]);

impl<T: Copy + Default + Add<Output = T> + Mul<Output = T>, const R: usize, const K: usize, const C: usize>
    Mul<&Matrix<T, K, C>> for &Matrix<T, R, K>
{
    type Output = Matrix<T, R, C>;
    fn mul(self, other: &Matrix<T, K, C>) -> Matrix<T, R, C> {
        let mut product = Matrix([[T::default(); C]; R]);
        for i in 0..R {
            for j in 0..C {
                product[(i, j)] = (0..K).fold(T::default(), |sum, k| sum + self[(i, k)] * other[(k, j)]);
            }
        }
        product
    }
}

impl<T, const R: usize, const C: usize> Index<(usize, usize)> for Matrix<T, R, C> {
    type Output = T;
    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.0[row][column]
    }
}

impl<T, const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<T, R, C> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut T {
        &mut self.0[row][column]
    }
}

#[derive(Copy, Clone, Default, PartialEq, Debug)]
struct Complex {
    re: i64,
    im: i64,
}

impl Add for Complex {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}
impl Sub for Complex {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}
impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}
impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}
impl Display for Complex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() { write!(f, "({:>4}, {:<4})", self.re, self.im) } else { write!(f, "{}{:+}i", self.re, self.im) }
    }
}

/// A tree whose nodes know their parents.
struct Node {
    value: i32,
    parent: Option<Weak<Node>>,
    children: std::cell::RefCell<Vec<Rc<Node>>>,
}

impl Node {
    fn new(value: i32, parent: Option<&Rc<Node>>) -> Rc<Node> {
        let node = Rc::new(Node { value, parent: parent.map(Rc::downgrade), children: Default::default() });
        if let Some(parent) = parent {
            parent.children.borrow_mut().push(node.clone());
        }
        node
    }
    fn path(&self) -> Vec<i32> {
        let mut path = self.parent.as_ref().and_then(Weak::upgrade).map_or(vec![], |parent| parent.path());
        path.push(self.value);
        path
    }
    fn sum(&self) -> i32 {
        self.value + self.children.borrow().iter().map(|child| child.sum()).sum::<i32>()
    }
}

struct Loud<T: Debug>(T);
impl<T: Debug> Deref for Loud<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
impl<T: Debug> Drop for Loud<T> {
    fn drop(&mut self) {
        println!("drop {:?}", self.0);
    }
}

fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |x| g(f(x))
}

fn operations() -> BTreeMap<&'static str, Box<dyn Fn(i64, i64) -> Option<i64>>> {
    let offset = std::hint::black_box(1);
    BTreeMap::from([
        ("add", Box::new(i64::checked_add) as Box<dyn Fn(i64, i64) -> Option<i64>>),
        ("divide", Box::new(|a, b| a.checked_div(b))),
        ("power", Box::new(|a, b| a.checked_pow(u32::try_from(b).ok()?))),
        ("shift", Box::new(move |a, b| a.checked_shl(b as u32)?.checked_add(offset))),
    ])
}

fn as_any<T: 'static>(value: T) -> &'static str {
    let value: Box<dyn std::any::Any> = Box::new(value);
    match value.downcast::<i32>().map_err(|value| value.downcast::<&str>()) {
        Ok(_) => "i32",
        Err(Ok(_)) => "&str",
        Err(Err(_)) => "other",
    }
}

fn main() {
    println!("{}; {}", Square(1.5).describe(), Rectangle(2.0, 3.5).describe());
    let dog = Dog { name: "Rex".into() };
    let animals: Vec<Rc<dyn Animal>> = vec![Rc::new(dog.clone()), Rc::new(Bird), Rc::new(dog)];
    for animal in &animals {
        println!("{} / {}", animal.speak(2), (animal.as_ref() as &dyn Named).name());
    }
    let a = Matrix([[1, 2, 3], [4, 5, 6]]);
    let b = Matrix([[7, 8], [9, 10], [11, 12]]);
    println!("{:?} {:?}", &a * &b, (&b * &a)[(2, 1)]);
    let i = Complex { re: 0, im: 1 };
    let c = Matrix([[i, i + i], [Complex { re: 3, im: -2 }, -i]]);
    let square = &c * &c;
    println!("{} {} {:#} {}", square[(0, 0)], square[(0, 1)], square[(1, 0)], square[(1, 1)] - i);

    let root = Node::new(1, None);
    let child = Node::new(2, Some(&root));
    let leaf = Node::new(3, Some(&child));
    Node::new(4, Some(&root));
    println!("{:?} {} {} {}", leaf.path(), root.sum(), Rc::strong_count(&child), Rc::weak_count(&root));
    drop(root);
    println!("{:?}", leaf.path());

    let outer = Loud(vec![1, 2]);
    let shout = compose(|x: i32| x * 2, |y: i32| format!("<{y}>"));
    {
        let inner = Loud("inner");
        println!("{} {} {}", inner.len(), outer.len(), shout(21));
        let moved = outer;
        println!("{}", moved.iter().sum::<i32>());
    }
    for (name, operation) in &operations() {
        println!("{name}: {:?} {:?} {:?}", operation(7, 3), operation(i64::MAX, 2), operation(1, 0));
    }
    println!("{} {} {}", as_any(1), as_any("x"), as_any(1.0));
    let mut counter = 0;
    let mut steps: Vec<Box<dyn FnMut() -> i32 + '_>> = Vec::new();
    steps.push(Box::new(|| {
        counter += 5;
        counter
    }));
    let total: i32 = (0..4).map(|_| steps[0]()).sum();
    drop(steps);
    println!("{total} {counter}");
}
