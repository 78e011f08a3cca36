//! The memory of programs whose arrays are lowered: the words of an arena, and the addresses of variables.
//!
//! A block lies in the arena as `[size in bytes] [owner] [address of the data] [extents] [data]`. Blocks lie one after another,
//! from the start of the arena to its top, so their sizes lead from each to the next.

/// The address of the words `top` and `limit`.
pub const STATE: u32 = 0x1000;
/// The address of the first word of the arena.
const ARENA: u32 = 0x4000_0000;
/// The size of the arena in bytes.
const ARENA_SIZE: u32 = 1 << 30;
/// The address of the first variable that has one.
const VARIABLES: u32 = 0xc000_0000;
/// The content of words that nobody has written.
const UNWRITTEN: u32 = 0xdead_beef;

/// The meaning of an address.
pub enum Place {
    /// `top` or `limit`.
    State(usize),
    /// A word of the arena.
    Arena(usize),
    /// A variable: its frame and its declaration.
    Variable(usize, usize),
}

/// The memory of a program.
#[derive(Default)]
pub struct Memory {
    state: [u32; 2],
    arena: Vec<u32>,
    /// The frame and the declaration of each variable that has an address, in the order of the addresses.
    variables: Vec<(usize, usize)>,
}

impl Memory {
    /// Returns the address of the arena's state. Reserves the arena if that has not happened.
    pub fn reserve(&mut self) -> u32 {
        if self.state == [0, 0] {
            self.state = [ARENA, ARENA + ARENA_SIZE];
        }
        STATE
    }

    /// Returns a temporary of a rank with room for `count` words of data, as the function of the runtime does; `None` if memory is
    /// exhausted.
    pub fn allocate(&mut self, rank: u32, count: u32) -> Option<u32> {
        self.reserve();
        let [block, limit] = self.state;
        let bytes = u64::from(count) * 4 + u64::from(rank) * 4 + 12;
        if bytes > u64::from(limit - block) {
            return None;
        }
        self.state[0] = block + bytes as u32;
        let at = ((block - ARENA) / 4) as usize;
        for (k, word) in [bytes as u32, 0, block + 12 + rank * 4].into_iter().enumerate() {
            self.set_word(at + k, word);
        }
        Some(block + 8)
    }

    /// Returns the address of a variable, the same for each call while its frame exists.
    pub fn address_of(&mut self, frame: usize, declaration: usize) -> u32 {
        let known = self.variables.iter().rposition(|&variable| variable == (frame, declaration));
        let k = known.unwrap_or_else(|| {
            self.variables.push((frame, declaration));
            self.variables.len() - 1
        });
        VARIABLES + 4 * k as u32
    }

    /// Takes the addresses of the variables of `frame`, which is the innermost.
    pub fn leave(&mut self, frame: usize) {
        self.variables.retain(|variable| variable.0 < frame);
    }

    /// Returns the meaning of an address, `None` if it may not be accessed. The runtime may access the whole arena, and
    /// other code its live blocks.
    pub fn place(&self, address: u32, is_runtime: bool) -> Option<Place> {
        let index = |start: u32| ((address - start) / 4) as usize;
        match address {
            _ if !address.is_multiple_of(4) => None,
            STATE.. if address < STATE + 8 => Some(Place::State(index(STATE))),
            VARIABLES.. => {
                let &(frame, declaration) = self.variables.get(index(VARIABLES))?;
                Some(Place::Variable(frame, declaration))
            }
            ARENA.. if address < self.state[1] && (is_runtime || self.is_live(address)) => {
                Some(Place::Arena(index(ARENA)))
            }
            _ => None,
        }
    }

    /// Returns whether an address of the arena belongs to a block and is none of the two words before its value.
    fn is_live(&self, address: u32) -> bool {
        let mut block = ARENA;
        while block < self.state[0] {
            let size = self.word(((block - ARENA) / 4) as usize);
            if size < 12 || size > self.state[0] - block {
                return false;
            }
            if address < block + size {
                return address >= block + 8;
            }
            block += size;
        }
        false
    }

    /// Returns a word of the arena.
    pub fn word(&self, index: usize) -> u32 {
        self.arena.get(index).copied().unwrap_or(UNWRITTEN)
    }

    /// Writes a word of the arena.
    pub fn set_word(&mut self, index: usize, value: u32) {
        if self.arena.len() <= index {
            self.arena.resize(index + 1, UNWRITTEN);
        }
        self.arena[index] = value;
    }

    /// Returns `top` or `limit`.
    pub fn state(&self, k: usize) -> u32 {
        self.state[k]
    }

    /// Writes `top` or `limit`.
    pub fn set_state(&mut self, k: usize, value: u32) {
        self.state[k] = value;
    }
}
