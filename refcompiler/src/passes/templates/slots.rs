//! The parts of templates as runs of pieces, and the search for a node in them.

/// How often a piece occurs in a slot, by three bits: once, `times` times, `more` times; or in each repetition of the piece before
/// it once or `more` times.
macro_rules! repeats {
    () => {
        0
    };
    (times) => {
        1
    };
    (more) => {
        2
    };
    (each) => {
        4
    };
    (inner) => {
        6
    };
}

/// Declares the runs of pieces of a pass over its `Piece`, and the search for a node in them.
macro_rules! runs {
    () => {
        /// The nodes of one part of a template: up to eight pieces, 8 bits each from the lowest on. The first five may be repeated.
        #[device]
        pub struct Slot {
            /// The pieces.
            pub pieces: u64,
            /// A number of repetitions.
            pub times: u32,
            /// How often each piece occurs; see `repeats`.
            pub repeats: u16,
            /// Another number of repetitions.
            pub more: u8,
            /// Is added to all depths.
            pub shift: u8,
        }

        /// A node of a slot, and the numbers of its repetitions.
        #[device]
        pub struct Found {
            /// The node.
            pub item: Item,
            /// The number of the repetition of its piece, or of the piece that its own is repeated with.
            pub repetition: u32,
            /// The number of the repetition within that.
            pub inner: u32,
            /// Is added to its depth.
            pub shift: u32,
        }

        #[device]
        impl Slot {
            /// Returns how often the first piece occurs.
            fn count(self) -> u32 {
                match self.repeats & 3 {
                    0 => 1,
                    1 => self.times,
                    _ => self.more as u32,
                }
            }

            /// Returns the first piece.
            pub fn first(self) -> Piece {
                Piece::from_code(self.pieces as u8)
            }

            /// Returns the slot without the first piece.
            pub fn rest(self) -> Slot {
                Slot {
                    pieces: self.pieces >> 8,
                    times: self.times,
                    repeats: self.repeats >> 3,
                    more: self.more,
                    shift: self.shift,
                }
            }

            /// Returns whether the first piece is repeated with the piece before it.
            fn continues(self) -> bool {
                self.repeats & 4 != 0
            }

            /// Returns the number of nodes of one repetition of the first piece, with the pieces that are repeated with it.
            fn repeated(self) -> u32 {
                let mut length = self.first().length();
                let mut slot = self.rest();
                while slot.continues() {
                    length += slot.count() * slot.first().length();
                    slot = slot.rest();
                }
                length
            }

            /// Returns the slot without the first piece and the pieces that are repeated with it.
            fn next(self) -> Slot {
                let mut slot = self.rest();
                while slot.continues() {
                    slot = slot.rest();
                }
                slot
            }

            /// Returns the number of nodes.
            pub fn length(self) -> u32 {
                let mut slot = self;
                let mut length = 0u32;
                while slot.pieces != 0u64 {
                    length += slot.count() * slot.repeated();
                    slot = slot.next();
                }
                length
            }

            /// Returns node `k`.
            pub fn find(self, k: u32) -> Found {
                let mut slot = self;
                let mut within = k;
                let mut shift = self.shift as u32;
                let mut repeated = slot.repeated();
                while within >= slot.count() * repeated {
                    within -= slot.count() * repeated;
                    shift = shift.wrapping_add(slot.count().wrapping_mul(slot.first().step() as u32));
                    slot = slot.next();
                    repeated = slot.repeated();
                }
                // Most pieces occur once, and a division takes longer than all else.
                let repetition = if within < repeated { 0 } else { within / repeated };
                within -= repetition * repeated;
                // Pieces that open levels are deeper from the second repetition on, and pieces that close levels are less deep
                // from the first on.
                let deeper = repetition + (slot.first().step() < 0) as u32;
                shift = shift.wrapping_add(deeper.wrapping_mul(slot.first().step() as u32));
                if within < slot.first().length() {
                    return Found { item: slot.first().item(within), repetition, inner: 0u32, shift };
                }
                within -= slot.first().length();
                slot = slot.rest();
                while within >= slot.count() * slot.first().length() {
                    within -= slot.count() * slot.first().length();
                    slot = slot.rest();
                }
                let length = slot.first().length();
                let inner = if within < length { 0 } else { within / length };
                Found { item: slot.first().item(within - inner * length), repetition, inner, shift }
            }
        }
    };
}

/// Declares the templates of a pass over its `Piece`, its `Form` and the table of its `Facts`: slots, the tables of templates and of their
/// places, and the search for the node of an event.
macro_rules! slots {
    () => {
        $crate::passes::templates::slots::runs! {}

        /// Returns a slot of pieces that occur once each.
        #[device]
        pub fn once(pieces: u64) -> Slot {
            Slot { pieces, times: 0u32, repeats: 0u16, more: 0u8, shift: 0u8 }
        }

        /// The template of a node.
        #[device(columns(Templates, index = NodeId))]
        pub struct Template {
            /// Before the node, from its parent.
            pub before: Slot,
            /// Instead of the node.
            pub head: Slot,
            /// After its children.
            pub tail: Slot,
            /// After the node, from its parent.
            pub after: Slot,
            /// How much deeper it is than its parent.
            pub step: u32,
        }

        /// The template of a node, and where its nodes are.
        #[device(columns(Places, index = NodeId))]
        pub struct Place {
            /// Before the node, from its parent.
            pub before: Slot,
            /// Instead of the node.
            pub head: Slot,
            /// After its children.
            pub tail: Slot,
            /// After the node, from its parent.
            pub after: Slot,
            /// The first node of its head.
            pub start: u32,
            /// The new depth of the node.
            pub root: u32,
            /// The form of the node.
            pub form: Form,
        }

        /// A new node in a template.
        #[device]
        pub struct Spot {
            /// The node whose template has it.
            pub owner: u32,
            /// The node that it surrounds or replaces: the owner or a child.
            pub node: u32,
            /// The new node.
            pub item: Item,
            /// The number of the repetition of its piece, or of the piece that its own is repeated with.
            pub repetition: u32,
            /// The number of the repetition within that.
            pub inner: u32,
            /// The depth of the new node.
            pub depth: u32,
        }

        /// Returns the contents of the events where a node begins and where its subtree ends.
        #[device(map)]
        pub fn contents(i: NodeId, templates: &Templates) -> (u64, u64) {
            let begins = templates.before[i].length() + templates.head[i].length();
            let ends = templates.tail[i].length() + templates.after[i].length();
            let node = (i.get() << 1) as u64;
            ((begins as u64) << 32 | node, (ends as u64) << 32 | node | 1)
        }

        /// Returns the first node of the head of node `i`.
        #[device(map)]
        pub fn start(i: NodeId, event: &[u32], offsets: &[u32], templates: &Templates) -> u32 {
            offsets[event[i.index()] as usize] + templates.before[i].length()
        }

        /// Returns node `k` of event `e`.
        #[device]
        pub fn spot(e: usize, k: usize, events: &[u64], facts: &Facts, places: &Places) -> Spot {
            let event = events[e] as u32;
            let i = NodeId::new(event >> 1);
            let ends = event & 1 == 1;
            // The parent's part comes first where the node begins, and last where it ends.
            let first = if ends { places.tail[i] } else { places.before[i] };
            let last = if ends { places.after[i] } else { places.head[i] };
            let split = first.length();
            let k = k as u32;
            let in_first = k < split;
            let found = if in_first { first.find(k) } else { last.find(k - split) };
            let owner = if in_first == ends { i } else { NodeId::new(facts.parent[i]) };
            Spot {
                owner: owner.get(),
                node: i.get(),
                item: found.item,
                repetition: found.repetition,
                inner: found.inner,
                depth: places.root[owner].wrapping_add(found.item.depth()).wrapping_add(found.shift),
            }
        }

        /// Returns the old node that node `k` of event `e` belongs to.
        #[device(expand)]
        pub fn owner(e: usize, k: usize, events: &[u64], parents: &[u32], places: &Places) -> u32 {
            let event = events[e] as u32;
            let i = NodeId::new(event >> 1);
            let ends = event & 1 == 1;
            let first = if ends { places.tail[i] } else { places.before[i] };
            if ((k as u32) < first.length()) == ends { i.get() } else { parents[i.index()] }
        }

        /// Returns the positions of the new nodes, with their events, given the forms and the templates of the old nodes.
        pub fn places<B: Backend>(
            backend: &B,
            parents: &Parents<B>,
            at: &At<B>,
            (form, templates): (B::Vec<Form>, Templates<B>),
        ) -> Result<(Plan<B>, Places<B>)> {
            let contents = backend.map(contents::of(&templates))?;
            let (plan, root) = plan(backend, parents, at, contents, &templates.step)?;
            let start = backend.map(start::of(&at.begin, &plan.offsets, &templates))?;
            let Templates { before, head, tail, after, .. } = templates;
            Ok((plan, Places { before, head, tail, after, start, root, form }))
        }
    };
}

pub(in crate::passes) use {repeats, runs, slots};
