//! Trait objects and generics: shapes through pointers, closures in boxes, a state machine of trait objects.

trait Shape {
    fn area(&self) -> f64;
    fn scale(&mut self, by: f64);
    fn corners(&self) -> u32 {
        0
    }
}

struct Circle(f64);
struct Square(f64);
struct Triangle(f64, f64, f64);

impl Shape for Circle {
    fn area(&self) -> f64 {
        3.14159 * self.0 * self.0
    }
    fn scale(&mut self, by: f64) {
        self.0 *= by;
    }
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
    fn scale(&mut self, by: f64) {
        self.0 *= by;
    }
    fn corners(&self) -> u32 {
        4
    }
}

impl Shape for Triangle {
    fn area(&self) -> f64 {
        let s = (self.0 + self.1 + self.2) / 2.0;
        (s * (s - self.0) * (s - self.1) * (s - self.2)).max(0.0).sqrt()
    }
    fn scale(&mut self, by: f64) {
        self.0 *= by;
        self.1 *= by;
        self.2 *= by;
    }
    fn corners(&self) -> u32 {
        3
    }
}

trait State {
    fn step(self: Box<Self>, input: u32) -> Box<dyn State>;
    fn value(&self) -> u64;
}

struct Even(u64);
struct Odd(u64);

impl State for Even {
    fn step(self: Box<Self>, input: u32) -> Box<dyn State> {
        if input & 1 == 1 { Box::new(Odd(self.0 + u64::from(input))) } else { self }
    }
    fn value(&self) -> u64 {
        self.0
    }
}

impl State for Odd {
    fn step(mut self: Box<Self>, input: u32) -> Box<dyn State> {
        if input & 1 == 1 {
            Box::new(Even(self.0 ^ u64::from(input)))
        } else {
            self.0 += 1;
            self
        }
    }
    fn value(&self) -> u64 {
        !self.0
    }
}

fn total(shapes: &[Box<dyn Shape>]) -> f64 {
    shapes.iter().map(|shape| shape.area() + f64::from(shape.corners())).sum()
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let mut shapes: Vec<Box<dyn Shape>> = (0..500)
        .map(|i| -> Box<dyn Shape> {
            let size = 1.0 + f64::from(i) / 100.0;
            match i % 3 {
                0 => Box::new(Circle(size)),
                1 => Box::new(Square(size)),
                _ => Box::new(Triangle(size, size + 0.5, size + 1.0)),
            }
        })
        .collect();
    let steps: Vec<Box<dyn Fn(u64) -> u64>> = (0..16u64)
        .map(|i| -> Box<dyn Fn(u64) -> u64> {
            if i % 2 == 0 { Box::new(move |x| x.wrapping_mul(i + 3)) } else { Box::new(move |x| x ^ (x >> i)) }
        })
        .collect();
    let (mut area, mut sum) = (0.0, 0u64);
    let mut state: Box<dyn State> = Box::new(Even(0));
    for i in 0..repeat {
        shapes[i as usize % 500].scale(if i % 2 == 0 { 1.01 } else { 0.99 });
        area += total(&shapes);
        sum = steps.iter().cycle().take(200).fold(sum + 1, |x, step| step(x));
        for input in 0..100 {
            state = state.step(input * i);
        }
        sum = sum.wrapping_add(state.value());
    }
    println!("{area:.6e} {sum}");
}
