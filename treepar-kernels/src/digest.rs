//! Digests of texts: FNV-1a with 128 bits, the same on every machine.

/// A digest of the texts that were added so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u128);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Digest {
    /// Returns the digest of one text.
    pub fn of(text: &str) -> u128 {
        let mut digest = Digest::default();
        digest.text(text);
        digest.value()
    }

    /// Adds a text and its end: `ab`, `c` differs from `a`, `bc`.
    pub fn text(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    /// Returns the digest.
    pub fn value(self) -> u128 {
        self.0
    }
}
