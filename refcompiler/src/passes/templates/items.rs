//! The nodes of templates, and the pieces that a pass declares: runs of nodes in preorder.

use treepar::device::device;

use crate::ir::kinds::{Kind, Type};

/// A node of a piece. Bits: 4 of the depth, 8 of the kind, 4 of the type, 8 of the source of its data, 8 of its number.
#[device]
pub struct Item {
    word: u32,
}

/// The source of the node itself, first in each pass: kind, type and data of the owner of the template.
pub const ITSELF: u8 = 0;
/// The source of a constant, the second in each pass.
pub const CONSTANT: u8 = 1;

/// The types of items that all passes have. A pass adds its own from [`OTHER_TYPES`] on.
pub const VOID: u32 = Type::Void.code() as u32;
/// An int.
pub const INT: u32 = Type::Int.code() as u32;
/// A float.
pub const FLOAT: u32 = Type::Float.code() as u32;
/// The type of the owner of the template.
pub const OWN: u32 = 3;
/// The first type that a pass defines.
pub const OTHER_TYPES: u32 = 4;

impl Item {
    /// Returns a node with these properties. A pass defines the meaning of types and sources.
    pub const fn new(depth: u32, kind: Kind, ty: u32, source: u8, number: u32) -> Item {
        assert!(depth < 16 && ty < 16 && number < 256);
        Item { word: depth | (kind.code() as u32) << 4 | ty << 12 | (source as u32) << 16 | number << 24 }
    }

    /// Returns the bits.
    pub const fn bits(self) -> u32 {
        self.word
    }
}

/// Returns the node itself.
pub const fn own(depth: u32) -> Item {
    Item::new(depth, Kind::Empty, OWN, ITSELF, 0)
}

/// Returns a node with a constant as data.
pub const fn with(depth: u32, kind: Kind, ty: u32, number: u32) -> Item {
    Item::new(depth, kind, ty, CONSTANT, number)
}

/// Returns a node without data.
pub const fn node(depth: u32, kind: Kind, ty: u32) -> Item {
    with(depth, kind, ty, 0)
}

/// Returns a statement that is a value.
pub const fn expression(depth: u32) -> Item {
    node(depth, Kind::Expression, VOID)
}

/// Returns an int literal.
pub const fn constant(depth: u32, number: u32) -> Item {
    with(depth, Kind::Literal, INT, number)
}

/// Returns an argument that is an int.
pub const fn arg(depth: u32, index: u32) -> Item {
    with(depth, Kind::Arg, INT, index)
}

/// Returns an argument that is a float.
pub const fn float_arg(depth: u32, index: u32) -> Item {
    with(depth, Kind::Arg, FLOAT, index)
}

#[device]
impl Item {
    /// Returns the node with these bits.
    pub fn of_bits(word: u32) -> Item {
        Item { word }
    }

    /// Returns the depth.
    pub fn depth(self) -> u32 {
        self.word & 15
    }

    /// Returns the kind.
    pub fn kind(self) -> Kind {
        Kind::from_code((self.word >> 4) as u8)
    }

    /// Returns the code of the type.
    pub fn ty(self) -> u32 {
        (self.word >> 12) & 15
    }

    /// Returns the code of the source of its data.
    pub fn source(self) -> u32 {
        (self.word >> 16) & 255
    }

    /// Returns the number of the source.
    pub fn number(self) -> u32 {
        self.word >> 24
    }
}

/// Declares the sources of a pass: the enum `Source`, and the constructor `item`.
macro_rules! sources {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Where the data of a node comes from. `c` is the number of the item.
        #[device]
        pub enum Source {
            /// The node itself: kind, type and data of the owner of the template.
            Own,
            /// `c`.
            Constant,
            $($(#[$doc])* $name,)*
        }

        const _: () = assert!(Source::Own.code() == $crate::passes::templates::items::ITSELF);
        const _: () = assert!(Source::Constant.code() == $crate::passes::templates::items::CONSTANT);

        /// Returns a node with these properties.
        pub const fn item(depth: u32, kind: Kind, ty: u32, source: Source, number: u32) -> Item {
            Item::new(depth, kind, ty, source.code(), number)
        }
    };
}

/// Declares the pieces of a pass: the enum `Piece`, with the nodes of each. A number in brackets says by how much each repetition
/// of the piece is deeper than the one before.
macro_rules! pieces {
    ($($(#[$doc:meta])* $name:ident $(($step:literal))? = $list:expr;)*) => {
        /// A run of nodes of a template.
        #[device]
        pub enum Piece {
            $($(#[$doc])* $name,)*
        }

        const LISTS: [&[Item]; Piece::COUNT] = [$(&$list),*];

        /// The depth that each repetition of a piece adds.
        const STEPS: [i32; Piece::COUNT] = [$(0 $(+ $step)?),*];

        /// The index of the first node of each piece in [`ITEMS`], and their number.
        const FIRST: [u32; Piece::COUNT + 1] = {
            let mut first = [0; Piece::COUNT + 1];
            let mut p = 0;
            while p < Piece::COUNT {
                first[p + 1] = first[p] + LISTS[p].len() as u32;
                p += 1;
            }
            first
        };

        /// The nodes of all pieces.
        const ITEMS: [u32; FIRST[Piece::COUNT] as usize] = {
            let mut items = [0; FIRST[Piece::COUNT] as usize];
            let (mut p, mut next) = (0, 0);
            while p < Piece::COUNT {
                let mut k = 0;
                while k < LISTS[p].len() {
                    items[next] = LISTS[p][k].bits();
                    next += 1;
                    k += 1;
                }
                p += 1;
            }
            items
        };

        const _: () = assert!(Piece::COUNT < 256);

        #[device]
        impl Piece {
            /// Returns the number of nodes.
            pub fn length(self) -> u32 {
                FIRST[self.code() as usize + 1] - FIRST[self.code() as usize]
            }

            /// Returns node `k`.
            pub fn item(self, k: u32) -> Item {
                Item::of_bits(ITEMS[(FIRST[self.code() as usize] + k) as usize])
            }

            /// Returns the depth that each repetition adds.
            pub fn step(self) -> i32 {
                STEPS[self.code() as usize]
            }
        }
    };
}

pub(in crate::passes) use {pieces, sources};
