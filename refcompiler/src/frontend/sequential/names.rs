//! Names to numbers: equal names have equal ids.

/// The names of a compilation. Ids count from 0.
#[derive(Debug)]
pub struct Names {
    /// Ids plus 1 by hash, 0 in free slots. The number of slots is a power of two.
    slots: Vec<u32>,
    /// The end of each name in `text`.
    ends: Vec<u32>,
    hashes: Vec<u32>,
    text: Vec<u8>,
}

impl Default for Names {
    fn default() -> Names {
        Names { slots: vec![0; 1024], ends: Vec::new(), hashes: Vec::new(), text: Vec::new() }
    }
}

/// Returns a hash of a name: multiply and rotate, eight bytes at a time.
fn hash(name: &[u8]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = name.len() as u64;
    let mut chunks = name.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(K);
    }
    let word = chunks.remainder().iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
    hash = (hash.rotate_left(5) ^ word).wrapping_mul(K);
    (hash >> 32) as u32
}

impl Names {
    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the id of `name` if it has one.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let hash = hash(name);
        let mut slot = hash as usize & mask;
        loop {
            let id = (self.slots[slot] as usize).checked_sub(1)?;
            if self.hashes[id] == hash && self.bytes(id) == name {
                return Some(id as u32);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Returns the id of `name`.
    pub fn id(&mut self, name: &[u8]) -> u32 {
        let hash = hash(name);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                taken => {
                    let id = taken as usize - 1;
                    if self.hashes[id] == hash && self.bytes(id) == name {
                        return id as u32;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
        let id = self.ends.len() as u32;
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len() as u32);
        self.hashes.push(hash);
        self.slots[slot] = id + 1;
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    /// Returns the text of a name.
    pub fn text(&self, id: u32) -> &str {
        std::str::from_utf8(self.bytes(id as usize)).unwrap_or("")
    }

    fn bytes(&self, id: usize) -> &[u8] {
        let begin = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[begin as usize..self.ends[id] as usize]
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for (id, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = id as u32 + 1;
        }
        self.slots = slots;
    }
}
