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
