//! The table of rules of a pass: its forms, each with a template.

use treepar::device::device;

/// The parts of a rule besides the pieces around children.
pub const HEAD: usize = 0;
/// After the children.
pub const TAIL: usize = 1;
/// The first part for children. Each role of a child has two: the pieces before it, and the pieces after it.
pub const CHILDREN: usize = 2;

/// Returns the part with the pieces before a child with a role.
#[device]
pub fn before_child(role: usize) -> usize {
    CHILDREN + 2 * role
}

/// Returns the part with the pieces after a child with a role.
#[device]
pub fn after_child(role: usize) -> usize {
    CHILDREN + 2 * role + 1
}

/// Declares the forms of a pass, each with its template: the head; for each role of a child the pieces before it, by how much it is
/// deeper, and the pieces after it; the tail. The word after a piece says how often it occurs; see `repeats`.
macro_rules! forms {
    ($roles:literal roles:
    $($(#[$doc:meta])* $form:ident =>
        [$($head:ident $(($head_times:ident))?),*]
        $(([$($before:ident $(($before_times:ident))?),*] $step:literal [$($after:ident $(($after_times:ident))?),*]))*
        [$($tail:ident $(($tail_times:ident))?),*];)*) => {
        /// The form of a node, which determines its template.
        #[device]
        pub enum Form {
            $($(#[$doc])* $form,)*
        }

        /// The number of parts of a rule.
        const PARTS: usize = CHILDREN + 2 * $roles;

        /// The pieces of each part of each form, and how often they occur.
        const RULES: [[(u64, u16); PARTS]; Form::COUNT] = [$([
            run(&[$((Piece::$head, repeats!($($head_times)?))),*]),
            run(&[$((Piece::$tail, repeats!($($tail_times)?))),*]),
            $(
                run(&[$((Piece::$before, repeats!($($before_times)?))),*]),
                run(&[$((Piece::$after, repeats!($($after_times)?))),*]),
            )*
        ]),*];

        const PIECES: [u64; PARTS * Form::COUNT] = {
            let mut flat = [0; PARTS * Form::COUNT];
            let mut i = 0;
            while i < flat.len() {
                flat[i] = RULES[i / PARTS][i % PARTS].0;
                i += 1;
            }
            flat
        };

        const REPEATS: [u16; PARTS * Form::COUNT] = {
            let mut flat = [0; PARTS * Form::COUNT];
            let mut i = 0;
            while i < flat.len() {
                flat[i] = RULES[i / PARTS][i % PARTS].1;
                i += 1;
            }
            flat
        };

        /// By how much a child of each role is deeper.
        const STEPS: [u32; $roles * Form::COUNT] = {
            let steps: [[u32; $roles]; Form::COUNT] = [$([$($step),*]),*];
            let mut flat = [0; $roles * Form::COUNT];
            let mut i = 0;
            while i < flat.len() {
                let form = i / $roles;
                flat[i] = steps[form][i - form * $roles];
                i += 1;
            }
            flat
        };

        /// Returns pieces as numbers: their codes, and how often they occur.
        const fn run(pieces: &[(Piece, u16)]) -> (u64, u16) {
            assert!(pieces.len() <= 8);
            let (mut codes, mut repeats) = (0u64, 0u16);
            let mut k = 0;
            while k < pieces.len() {
                assert!(k < 5 || pieces[k].1 == 0);
                codes |= (pieces[k].0.code() as u64) << (8 * k);
                if k < 5 {
                    repeats |= pieces[k].1 << (3 * k);
                }
                k += 1;
            }
            (codes, repeats)
        }

        /// Returns a part of a form's rule, in which some pieces occur `times` times.
        #[device]
        pub fn part(form: Form, part: usize, times: u32) -> Slot {
            let at = form.code() as usize * PARTS + part;
            Slot { pieces: PIECES[at], times, repeats: REPEATS[at], more: 0u8, shift: 0u8 }
        }

        /// Returns by how much a child with a role is deeper.
        #[device]
        pub fn step_of_child(form: Form, role: usize) -> u32 {
            STEPS[$roles * form.code() as usize + role]
        }
    };
}

pub(in crate::passes) use forms;
