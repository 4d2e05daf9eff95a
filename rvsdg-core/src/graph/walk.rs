//! Iteration over nodes and users, and walks over all regions without recursion.

use std::slice;

use cranelift_entity::PrimaryMap;

use super::ids::Ids;
use super::records::UserData;
use super::{Graph, Node, Origin, Region, User};

/// The nodes of a region in list order.
pub struct Nodes<'g> {
    graph: &'g Graph,
    next: Option<Node>,
}

impl Iterator for Nodes<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let node = self.next?;
        self.next = self.graph.nodes[node].next.expand();
        Some(node)
    }
}

/// The users of an origin, latest first.
pub struct Users<'g> {
    graph: &'g Graph,
    next: Option<User>,
}

impl Iterator for Users<'_> {
    type Item = User;

    fn next(&mut self) -> Option<User> {
        let user = self.next?;
        self.next = self.graph.users[user].next.expand();
        Some(user)
    }
}

/// The origins of users that belong to a node or region, in order.
pub(super) enum Origins<'g> {
    /// Of users that follow each other.
    Run(slice::Iter<'g, UserData>),
    /// Of others.
    List(slice::Iter<'g, User>, &'g PrimaryMap<User, UserData>),
}

fn origin_of(user: &UserData) -> Origin {
    user.origin.expect("a user of a complete graph has an origin")
}

impl Iterator for Origins<'_> {
    type Item = Origin;

    #[inline]
    fn next(&mut self) -> Option<Origin> {
        match self {
            Origins::Run(users) => users.next().map(origin_of),
            Origins::List(ids, users) => ids.next().map(|&user| origin_of(&users[user])),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Origins::Run(users) => users.size_hint(),
            Origins::List(ids, _) => ids.size_hint(),
        }
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<Origin> {
        match self {
            Origins::Run(users) => users.nth(count).map(origin_of),
            Origins::List(ids, users) => ids.nth(count).map(|&user| origin_of(&users[user])),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Origin) -> B>(self, first: B, add: F) -> B {
        match self {
            Origins::Run(users) => users.map(origin_of).fold(first, add),
            Origins::List(ids, users) => ids.map(|&user| origin_of(&users[user])).fold(first, add),
        }
    }
}

impl DoubleEndedIterator for Origins<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Origin> {
        match self {
            Origins::Run(users) => users.next_back().map(origin_of),
            Origins::List(ids, users) => ids.next_back().map(|&user| origin_of(&users[user])),
        }
    }
}

impl ExactSizeIterator for Origins<'_> {}

/// A step of a [`Walk`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WalkItem {
    /// A region is entered.
    Enter(Region),
    /// A node of the region entered last and not left; its subregions follow.
    Node(Node),
    /// All nodes of the region have been visited.
    Leave(Region),
}

/// All regions and nodes in a region, itself included, in preorder.
pub struct Walk<'g> {
    graph: &'g Graph,
    /// The region that is left last.
    region: Region,
    next: Option<WalkItem>,
}

impl Walk<'_> {
    /// What comes when all nodes of a region up to one are visited; `None` is before the first.
    fn node_or_leave(region: Region, next: Option<Node>) -> WalkItem {
        next.map_or(WalkItem::Leave(region), WalkItem::Node)
    }

    /// What comes when a node and all in its subregions before number `index` are visited.
    fn within(&self, node: Node, index: usize) -> WalkItem {
        let data = &self.graph.nodes[node];
        match data.subregions.get(index, &self.graph.subregions) {
            Some(region) => WalkItem::Enter(region),
            None => Walk::node_or_leave(self.graph.region_of(node), data.next.expand()),
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        let item = self.next?;
        self.next = match item {
            WalkItem::Enter(region) => Some(Walk::node_or_leave(region, self.graph.regions[region].first.expand())),
            WalkItem::Node(node) => Some(self.within(node, 0)),
            WalkItem::Leave(region) if region == self.region => None,
            WalkItem::Leave(region) => {
                let node = self.graph.parent(region).expect("a region in another is one of a node");
                Some(self.within(node, self.graph.region_index(region) as usize + 1))
            }
        };
        Some(item)
    }
}

impl Graph {
    /// The origins of users.
    #[inline]
    pub(super) fn origins_of(&self, ids: Ids) -> Origins<'_> {
        match self.user_lists.run(ids) {
            Some(run) => Origins::Run(self.users.as_values_slice()[run].iter()),
            None => Origins::List(self.user_lists.get(ids).iter(), &self.users),
        }
    }

    /// The nodes of a region in list order.
    pub fn nodes(&self, region: Region) -> Nodes<'_> {
        Nodes { graph: self, next: self.regions[region].first.expand() }
    }

    /// The node before a node in the list of its region.
    pub fn previous(&self, node: Node) -> Option<Node> {
        self.nodes[node].previous.expand()
    }

    /// The node after a node in the list of its region.
    pub fn next(&self, node: Node) -> Option<Node> {
        self.nodes[node].next.expand()
    }

    /// The last node in the list of a region.
    pub fn last_node(&self, region: Region) -> Option<Node> {
        self.regions[region].last.expand()
    }

    /// The users of an origin, latest first.
    pub fn users_of(&self, origin: Origin) -> Users<'_> {
        Users { graph: self, next: self.origins[origin].first_user.expand() }
    }

    /// All regions and nodes of the graph in preorder.
    pub fn walk(&self) -> Walk<'_> {
        self.walk_region(self.root)
    }

    /// All regions and nodes in a region, itself included, in preorder.
    pub fn walk_region(&self, region: Region) -> Walk<'_> {
        Walk { graph: self, region, next: Some(WalkItem::Enter(region)) }
    }

    /// All nodes of the graph, in preorder.
    pub fn all_nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.walk().filter_map(|item| match item {
            WalkItem::Node(node) => Some(node),
            WalkItem::Enter(_) | WalkItem::Leave(_) => None,
        })
    }

    /// The nodes of a region so that each comes after the producers of its inputs, in list order where that leaves a choice. Subregions
    /// are not entered. Nodes on a cycle are left out (a verified graph has none).
    pub fn topological(&self, region: Region) -> Vec<Node> {
        use std::cmp::Reverse;
        use std::collections::BinaryHeap;

        // The order of insertion is usually topological already; then one pass suffices.
        let order: Vec<Node> = self.nodes(region).collect();
        let mut position = rustc_hash::FxHashMap::default();
        position.extend(order.iter().enumerate().map(|(index, &node)| (node, index as u32)));
        let producers = |node| self.input_origins(node).filter_map(|origin| self.producer(origin));
        if order.iter().enumerate().all(|(index, &node)| producers(node).all(|p| position[&p] < index as u32)) {
            return order;
        }
        let mut pending: Vec<u32> = order.iter().map(|&node| producers(node).count() as u32).collect();
        let mut ready: BinaryHeap<Reverse<u32>> =
            (0..order.len() as u32).filter(|&index| pending[index as usize] == 0).map(Reverse).collect();
        let mut sorted = Vec::with_capacity(order.len());
        while let Some(Reverse(index)) = ready.pop() {
            let node = order[index as usize];
            sorted.push(node);
            for &output in self.outputs(node) {
                for user in self.users_of(output) {
                    if let super::Use::Input(consumer, _) = self.site(user) {
                        let consumer = position[&consumer];
                        pending[consumer as usize] -= 1;
                        if pending[consumer as usize] == 0 {
                            ready.push(Reverse(consumer));
                        }
                    }
                }
            }
        }
        sorted
    }
}
