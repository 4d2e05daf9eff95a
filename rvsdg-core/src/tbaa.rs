//! Type-based alias analysis: the source-language types of accesses (LangRef, "`tbaa` Metadata").
//!
//! Types are nodes of a graph. A scalar type leads to its parent, the type that it is a special case of, up to a root; a structure leads
//! to the types of its fields. An access has a tag: the type of the accessed object, the offset in it, and the type of the access.

use std::num::NonZeroU16;

use cranelift_entity::entity_impl;

use crate::Pool;

/// A type of the source language, interned in a [`Pool`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeNode(u32);
entity_impl!(TypeNode, "type");

/// What accesses of one kind have in common, interned in a [`Pool`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessTag(pub(crate) NonZeroU16);

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeDescriptor {
    /// Its name.
    pub name: Box<str>,
    /// The fields of a structure, each with its offset in bytes, in order of these; the parent of a scalar type, at 0; nothing for a root.
    pub members: Box<[(TypeNode, u64)]>,
}

/// What a tag says.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TagDescriptor {
    /// The type of the object.
    pub base: TypeNode,
    /// The type of the access.
    pub access: TypeNode,
    /// Where that is in the object, in bytes.
    pub offset: u64,
}

impl TagDescriptor {
    /// An access of a whole scalar object.
    pub fn scalar(ty: TypeNode) -> TagDescriptor {
        TagDescriptor { base: ty, access: ty, offset: 0 }
    }
}

/// Whether a read with one tag may see an earlier write with the other, by their types: one of them is of a scalar type that the other's
/// is a special case of, or both are of the same field of the same structure, or one is of an object that is part of the other's.
///
/// Memory may change its type: a write to a location with another tag gives the location another type. So for accesses with incompatible
/// tags it is only known that the later one does not read what the earlier one wrote. It may well write the same location, or write what
/// the earlier one read, as a constructor does in memory that was another object.
pub fn may_see(pool: &Pool, read: AccessTag, written: AccessTag) -> bool {
    if read == written {
        return true;
    }
    let (a, b) = (pool.tag(read), pool.tag(written));
    // Of types of different languages nothing is known.
    root(pool, a.access) != root(pool, b.access) || part_of(pool, a, b).or_else(|| part_of(pool, b, a)).unwrap_or(false)
}

/// The type that a type is a special case of.
fn parent(pool: &Pool, ty: TypeNode) -> Option<TypeNode> {
    pool.type_node(ty).members.first().map(|&(parent, _)| parent)
}

/// A type and those that it is a special case of.
fn ancestors(pool: &Pool, ty: TypeNode) -> impl Iterator<Item = TypeNode> + '_ {
    std::iter::successors(Some(ty), |&ty| parent(pool, ty))
}

/// The last of the ancestors.
fn root(pool: &Pool, ty: TypeNode) -> Option<TypeNode> {
    ancestors(pool, ty).last()
}

/// Whether accesses may be of one location, if one may be of a part of the other's object; `None` if it is not.
fn part_of(pool: &Pool, whole: TagDescriptor, part: TagDescriptor) -> Option<bool> {
    if whole.base == whole.access && ancestors(pool, part.access).any(|ty| ty == whole.access) {
        return Some(true);
    }
    let (mut ty, mut offset) = (whole.base, whole.offset);
    loop {
        if ty == part.base {
            return Some(offset == part.offset || ty == whole.access || part.base == part.access);
        }
        let members = &pool.type_node(ty).members;
        if members.is_empty() {
            return None;
        }
        let after = members.iter().position(|&(_, at)| at > offset).unwrap_or(members.len());
        // Before the first member is nothing.
        let Some(&(member, at)) = members[..after].last() else { return Some(true) };
        (ty, offset) = (member, offset - at);
    }
}
