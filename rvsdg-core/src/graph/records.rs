//! What the arena holds of each node, region, origin and user. There are many of them, so they are as small as reading them
//! fast allows.

use cranelift_entity::EntityList;
use cranelift_entity::packed_option::{PackedOption, ReservedValue};

use super::ids::Ids;
use super::{Epoch, Node, NodeKind, Origin, OriginDef, Region, SourceId, Use, User};
use crate::Type;

#[derive(Clone)]
pub(super) struct NodeData {
    pub kind: NodeKind,
    /// Reserved once the node is removed.
    pub region: PackedOption<Region>,
    pub inputs: Ids,
    pub outputs: Ids,
    /// Most nodes have none.
    pub subregions: EntityList<Region>,
    pub previous: PackedOption<Node>,
    pub next: PackedOption<Node>,
    pub source: PackedOption<SourceId>,
    /// When it was last edited.
    pub edited: Epoch,
}

#[derive(Clone, Default)]
pub(super) struct RegionData {
    /// The node the region is in and its position there; `None` for the root.
    pub parent: PackedOption<Node>,
    pub index: u32,
    pub arguments: Ids,
    pub results: Ids,
    pub first: PackedOption<Node>,
    pub last: PackedOption<Node>,
    pub end_source: PackedOption<SourceId>,
}

#[derive(Clone)]
pub(super) struct OriginData {
    pub ty: Type,
    pub place: Place,
    pub first_user: PackedOption<User>,
}

#[derive(Clone)]
pub(super) struct UserData {
    /// Reserved while a θ's predicate is not set, and once the user is removed.
    pub origin: PackedOption<Origin>,
    pub place: Place,
    pub previous: PackedOption<User>,
    pub next: PackedOption<User>,
}

/// A position among what belongs to a node or a region.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the node or region.
    owner: u32,
    /// The position; with [`REGION`] when the owner is a region.
    position: u32,
}

const REGION: u32 = 1 << 31;

impl Place {
    /// Of what belongs to nothing any more.
    pub fn nowhere() -> Place {
        OriginDef::Argument(Region::reserved_value(), 0).into()
    }

    fn node(node: Node, position: u32) -> Place {
        debug_assert!(position < REGION);
        Place { owner: node.as_u32(), position }
    }

    fn region(region: Region, position: u32) -> Place {
        debug_assert!(position < REGION);
        Place { owner: region.as_u32(), position: position | REGION }
    }

    fn get<T>(self, node: impl FnOnce(Node, u32) -> T, region: impl FnOnce(Region, u32) -> T) -> T {
        match self.position & REGION {
            0 => node(Node(self.owner), self.position),
            _ => region(Region(self.owner), self.position & !REGION),
        }
    }

    /// As the place of an origin.
    pub fn def(self) -> OriginDef {
        self.get(OriginDef::Output, OriginDef::Argument)
    }

    /// As the place of a user.
    pub fn site(self) -> Use {
        self.get(Use::Input, Use::Result)
    }

    /// The same position with another owner.
    pub fn renumbered(self, node: impl FnOnce(Node) -> Node, region: impl FnOnce(Region) -> Region) -> Place {
        self.get(|owner, at| Place::node(node(owner), at), |owner, at| Place::region(region(owner), at))
    }
}

impl From<OriginDef> for Place {
    fn from(def: OriginDef) -> Place {
        match def {
            OriginDef::Output(node, position) => Place::node(node, position),
            OriginDef::Argument(region, position) => Place::region(region, position),
        }
    }
}

impl From<Use> for Place {
    fn from(site: Use) -> Place {
        match site {
            Use::Input(node, position) => Place::node(node, position),
            Use::Result(region, position) => Place::region(region, position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_small() {
        let sizes = [size_of::<NodeData>(), size_of::<RegionData>(), size_of::<OriginData>(), size_of::<UserData>()];
        assert_eq!(sizes, [52, 36, 16, 20]);
    }

    #[test]
    fn places_are_what_they_were_made_of() {
        let (node, region) = (Node::from_u32(7), Region::from_u32(9));
        for def in [OriginDef::Output(node, 3), OriginDef::Argument(region, 0), OriginDef::Argument(region, 5)] {
            assert_eq!(Place::from(def).def(), def);
        }
        for site in [Use::Input(node, 0), Use::Input(node, 3), Use::Result(region, 5)] {
            assert_eq!(Place::from(site).site(), site);
        }
    }
}
