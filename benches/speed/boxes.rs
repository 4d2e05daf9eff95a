//! Trees of boxes: a binary search tree with insertion, removal and iteration, an expression tree, and a linked list.

#[derive(Default)]
struct Tree {
    root: Option<Box<Node>>,
    size: usize,
}

struct Node {
    key: u32,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

impl Tree {
    fn insert(&mut self, key: u32) -> bool {
        let mut at = &mut self.root;
        while let Some(node) = at {
            if key == node.key {
                return false;
            }
            at = if key < node.key { &mut node.left } else { &mut node.right };
        }
        *at = Some(Box::new(Node { key, left: None, right: None }));
        self.size += 1;
        true
    }

    fn contains(&self, key: u32) -> bool {
        let mut at = &self.root;
        while let Some(node) = at {
            if key == node.key {
                return true;
            }
            at = if key < node.key { &node.left } else { &node.right };
        }
        false
    }

    fn pop_least(&mut self) -> Option<u32> {
        fn pop(at: &mut Option<Box<Node>>) -> Option<u32> {
            if at.as_ref()?.left.is_some() {
                return pop(&mut at.as_mut()?.left);
            }
            let node = at.take()?;
            *at = node.right;
            Some(node.key)
        }
        let key = pop(&mut self.root)?;
        self.size -= 1;
        Some(key)
    }

    fn depth(&self) -> usize {
        fn depth(at: &Option<Box<Node>>) -> usize {
            at.as_ref().map_or(0, |node| 1 + depth(&node.left).max(depth(&node.right)))
        }
        depth(&self.root)
    }
}

enum Expression {
    Number(i64),
    Variable(usize),
    Sum(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Negated(Box<Expression>),
}

use Expression::{Negated, Number, Product, Sum, Variable};

fn grow(depth: u32, seed: &mut u32) -> Expression {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let kind = *seed >> 29;
    if depth == 0 {
        return if kind < 4 { Number(i64::from(kind)) } else { Variable(kind as usize - 4) };
    }
    let mut child = || Box::new(grow(depth - 1, seed));
    match kind {
        0 => Negated(child()),
        1..=4 => Sum(child(), child()),
        _ => Product(child(), child()),
    }
}

fn value(expression: &Expression, variables: &[i64; 4]) -> i64 {
    match expression {
        Number(n) => *n,
        Variable(i) => variables[*i],
        Sum(a, b) => value(a, variables).wrapping_add(value(b, variables)),
        Product(a, b) => value(a, variables).wrapping_mul(value(b, variables)) % 1_000_003,
        Negated(a) => -value(a, variables),
    }
}

fn simplified(expression: Expression) -> Expression {
    match expression {
        Sum(a, b) => match (simplified(*a), simplified(*b)) {
            (Number(a), Number(b)) => Number(a + b),
            (Number(0), other) | (other, Number(0)) => other,
            (a, b) => Sum(Box::new(a), Box::new(b)),
        },
        Product(a, b) => match (simplified(*a), simplified(*b)) {
            (Number(0), _) | (_, Number(0)) => Number(0),
            (Number(1), other) | (other, Number(1)) => other,
            (a, b) => Product(Box::new(a), Box::new(b)),
        },
        Negated(a) => match simplified(*a) {
            Number(a) => Number(-a),
            Negated(a) => *a,
            other => Negated(Box::new(other)),
        },
        other => other,
    }
}

struct List {
    value: u32,
    next: Option<Box<List>>,
}

fn reversed(mut list: Option<Box<List>>) -> Option<Box<List>> {
    let mut done = None;
    while let Some(mut node) = list {
        list = node.next.take();
        node.next = done;
        done = Some(node);
    }
    done
}

fn main() {
    let repeat: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap();
    let mut sum = 0i64;
    let mut variables = [1, -2, 3, 5];
    for i in 0..repeat {
        let mut tree = Tree::default();
        let mut random = i;
        for _ in 0..300 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            tree.insert(random >> 22);
        }
        sum += (0..200).filter(|&key| tree.contains(key)).count() as i64 + tree.depth() as i64;
        for _ in 0..100 {
            sum += i64::from(tree.pop_least().unwrap_or(0));
        }
        sum += tree.size as i64;
        let mut seed = i;
        let expression = grow(7, &mut seed);
        sum = sum.wrapping_add(value(&expression, &variables));
        sum = sum.wrapping_add(value(&simplified(expression), &variables));
        variables[i as usize % 4] += 1;
        let mut list = None;
        for value in 0..100 {
            list = Some(Box::new(List { value: value ^ i, next: list }));
        }
        let mut at = &reversed(list);
        while let Some(node) = at {
            sum = sum.wrapping_mul(3).wrapping_add(i64::from(node.value)) % 1_000_003;
            at = &node.next;
        }
    }
    println!("{sum}");
}
