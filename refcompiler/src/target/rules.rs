//! The tables of rules of all targets: a macro, and the operations that tests of such tables go through.

/// Declares two functions from a table of lines: the number of instructions of an operation, and instruction `k`.
///
/// A part of a line is one instruction, or `count` instructions: `@ count => instruction`, where `k` counts from 0. `d`, `a` and `b`
/// are the registers of the value and of the operands. A line has the parts for both types, or for ints and then for floats. With
/// `[const]`, both are const functions.
macro_rules! lines {
    (
        [$($const:tt)?] $length:ident, $content:ident($s:ident, $frame:ident; $d:ident, $a:ident, $b:ident), $k:ident;
        $($kind:ident $(| $other:ident)* =>
            [$($(@ $count:expr =>)? $part:expr),*] $([$($(@ $float_count:expr =>)? $float_part:expr),*])?;)*
    ) => {
        /// Returns the number of instructions of the operation itself.
        #[device]
        #[allow(unused_variables)]
        pub(super) $($const)? fn $length($s: Operation, $frame: Frame) -> u32 {
            let $d = $s.destination;
            let $a = $s.left;
            let $b = $s.right;
            match $s.kind {
                $(Kind::$kind $(| Kind::$other)* => {
                    $(if $s.ty.is_float() {
                        return 0u32 $(+ 1 $(- 1 + $float_count)?)*;
                    })?
                    0u32 $(+ 1 $(- 1 + $count)?)*
                })*
                _ => 0,
            }
        }

        /// Returns instruction `k` of the operation itself.
        #[device]
        #[allow(unused_variables)]
        pub(super) $($const)? fn $content($s: Operation, $frame: Frame, $k: u32) -> Instruction {
            let $d = $s.destination;
            let $a = $s.left;
            let $b = $s.right;
            match $s.kind {
                $(Kind::$kind $(| Kind::$other)* => {
                    $(if $s.ty.is_float() {
                        $(
                            let count: u32 = 1 $(- 1 + $float_count)?;
                            if $k < count {
                                return $float_part;
                            }
                            let $k: u32 = $k.wrapping_sub(count);
                        )*
                        return $crate::ir::instruction::nothing();
                    })?
                    $(
                        let count: u32 = 1 $(- 1 + $count)?;
                        if $k < count {
                            return $part;
                        }
                        let $k: u32 = $k.wrapping_sub(count);
                    )*
                    $crate::ir::instruction::nothing()
                })*
                _ => $crate::ir::instruction::nothing(),
            }
        }
    };
}
pub(crate) use lines;

/// Calls a function with operations of every kind, type, role and location class. Further arguments are a distance, near or far, and
/// the index of the left operand's register.
#[cfg(test)]
pub(in crate::target) fn each_operation(
    registers: [u8; 4],
    mut check: impl FnMut(crate::ir::operation::Operation, u32, u32),
) {
    use crate::ir::kinds::{Kind, Role, Type};
    use crate::ir::operation::{NO_OFFSET, Operation};
    use crate::ir::rows::RowId;

    for kind in Kind::ALL.iter().copied() {
        for (ty, role) in Type::ALL.iter().flat_map(|&ty| Role::ALL.iter().map(move |&role| (ty, role))) {
            for (memory, near) in (0..8u8).flat_map(|memory| [(memory, 4u32), (memory, 4096)]) {
                for (k, hops) in [(0, 0), (1, 1), (2, 2), (3, 5)] {
                    let at = |bit: u8| if memory & bit != 0 { near } else { NO_OFFSET };
                    let operation = Operation {
                        kind,
                        ty,
                        role,
                        memory,
                        left: registers[k],
                        right: registers[(k + 1) % 4],
                        destination: registers[(k + usize::from(memory)) % 4],
                        source: registers[k],
                        left_at: at(1),
                        right_at: at(2),
                        store_at: at(4),
                        data: [0, 5, 4, near.wrapping_neg()][k],
                        hops,
                        target: RowId::new(3),
                    };
                    check(operation, near, k as u32);
                }
            }
        }
    }
}
