//! A growing forest that answers ancestor questions in logarithmic time: skew-binary jump pointers (Myers 1983).

/// A forest whose nodes are numbered in the order in which they are added, parents before children.
///
/// Each node stores its parent, its depth and one jump pointer; adding a node is O(1), the queries are O(log depth).
#[derive(Clone, Debug, Default)]
pub(super) struct Ancestors {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    jump: u32,
    depth: u32,
}

impl Ancestors {
    /// Adds a root and returns its number.
    pub fn add_root(&mut self) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { parent: id, jump: id, depth: 0 });
        id
    }

    /// Adds a child of `parent` and returns its number.
    pub fn add(&mut self, parent: u32) -> u32 {
        let above = self.nodes[parent as usize];
        let jump = self.nodes[above.jump as usize];
        // Two jumps of one length in a row are joined with the new step into one longer jump.
        let joined = above.depth - jump.depth == jump.depth - self.nodes[jump.jump as usize].depth;
        let jump = if joined { jump.jump } else { parent };
        self.nodes.push(Node { parent, jump, depth: above.depth + 1 });
        (self.nodes.len() - 1) as u32
    }

    /// The ancestor of `node` (itself included) at `depth`, which is at most the node's own depth.
    pub fn at_depth(&self, mut node: u32, depth: u32) -> u32 {
        while self.nodes[node as usize].depth > depth {
            let at = self.nodes[node as usize];
            node = if self.nodes[at.jump as usize].depth >= depth { at.jump } else { at.parent };
        }
        node
    }

    /// The nearest common ancestor of two nodes of one tree.
    pub fn common(&self, a: u32, b: u32) -> u32 {
        let depth = self.depth(a).min(self.depth(b));
        let (mut a, mut b) = (self.at_depth(a, depth), self.at_depth(b, depth));
        // Nodes of equal depth have jumps of equal length, so both climb in step.
        while a != b {
            let (at, bt) = (self.nodes[a as usize], self.nodes[b as usize]);
            (a, b) = if at.jump != bt.jump { (at.jump, bt.jump) } else { (at.parent, bt.parent) };
        }
        a
    }

    /// The number of proper ancestors of `node`.
    pub fn depth(&self, node: u32) -> u32 {
        self.nodes[node as usize].depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_climbing() {
        let mut state = 7u64;
        let mut forest = Ancestors::default();
        let mut parents = vec![forest.add_root()];
        for n in 1..400u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let back = (state >> 33) as u32 % n.min(4) + 1;
            let parent = n - back;
            parents.push(parent);
            assert_eq!(forest.add(parent), n);
        }
        let path = |mut n: u32| {
            let mut path = vec![n];
            while n != 0 {
                n = parents[n as usize];
                path.push(n);
            }
            path.reverse();
            path
        };
        for a in (0..400).step_by(7) {
            for b in 0..400 {
                let (pa, pb) = (path(a), path(b));
                let common = pa.iter().zip(&pb).take_while(|(x, y)| x == y).last().unwrap().0;
                assert_eq!(forest.common(a, b), *common);
            }
            for (depth, &node) in path(a).iter().enumerate() {
                assert_eq!(forest.at_depth(a, depth as u32), node);
            }
        }
    }
}
