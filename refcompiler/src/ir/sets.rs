//! Sets of the values of a device enum, one bit per value; and selections by bits.

use treepar::device::device;

/// Declares the type of sets of `$member`, a device enum of at most 128 values.
macro_rules! sets {
    ($(#[$doc:meta])* $set:ident of $member:ident) => {
        $(#[$doc])*
        #[device]
        pub struct $set {
            bits: u64,
            /// The values from 64 on.
            more: u64,
        }

        impl $set {
            /// The empty set.
            pub const NONE: $set = $set { bits: 0, more: 0 };
            /// The set of all values.
            pub const ALL: $set = $set::of(&$member::ALL);

            /// Returns the set of some values.
            pub const fn of(members: &[$member]) -> $set {
                assert!($member::COUNT <= 2 * u64::BITS as usize, "a set has 128 bits");
                let mut set = $set::NONE;
                let mut i = 0;
                while i < members.len() {
                    let code = members[i].code();
                    if code < 64 { set.bits |= 1 << code } else { set.more |= 1 << (code - 64) }
                    i += 1;
                }
                set
            }
        }

        #[device]
        impl $set {
            /// Returns whether a value is in this set, without a branch.
            pub const fn contains(self, member: $member) -> bool {
                let code = member.code() as u64;
                let bits = if (code & 64) != 0 { self.more } else { self.bits };
                (bits >> (code & 63)) & 1 != 0
            }

            /// Returns the values that are in this set or in another.
            pub const fn union(self, other: $set) -> $set {
                $set { bits: self.bits | other.bits, more: self.more | other.more }
            }
        }
    };
}
pub(crate) use sets;

/// Returns a word with all bits set if `is` is `true`, else 0.
#[device]
pub fn mask(is: bool) -> u32 {
    0u32.wrapping_sub(is as u32)
}

/// Returns `yes` if `is` is `true`, else `no`, without a branch: both are computed. For conditions that are hard to predict.
#[device]
pub fn select(is: bool, yes: u32, no: u32) -> u32 {
    no ^ ((no ^ yes) & mask(is))
}
