//! The registers of a warp: one column of 32 lanes per slot.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// The file of registers that a slot is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// One bit per lane.
    Predicate,
    /// Up to 32 bits. Bits above a narrower type have no meaning.
    Word,
    /// 64 bits.
    Long,
}

/// The registers of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    pub predicates: Vec<u32>,
    pub words: Vec<[u32; LANES]>,
    pub longs: Vec<[u64; LANES]>,
}

impl Registers {
    /// Returns zeros, as many of each kind as `slots` says in the order of [`Kind`].
    pub fn new([predicates, words, longs]: [usize; 3]) -> Registers {
        Registers { predicates: vec![0; predicates], words: vec![[0; LANES]; words], longs: vec![[0; LANES]; longs] }
    }

    /// Sets all registers to those of `other`, without a new allocation where there is room.
    pub fn copy_from(&mut self, other: &Registers) {
        self.predicates.clone_from(&other.predicates);
        self.words.clone_from(&other.words);
        self.longs.clone_from(&other.longs);
    }

    /// Returns the values of a slot, extended to 64 bits by zeros.
    pub fn wide(&self, kind: Kind, slot: u32) -> [u64; LANES] {
        match kind {
            Kind::Predicate => each_lane(|lane| u64::from(self.predicates[slot as usize] >> lane & 1)),
            Kind::Word => {
                let words = &self.words[slot as usize];
                each_lane(|lane| u64::from(words[lane]))
            }
            Kind::Long => self.longs[slot as usize],
        }
    }

    /// Returns one lane of a slot, extended to 64 bits by zeros.
    pub fn lane(&self, kind: Kind, slot: u32, lane: usize) -> u64 {
        match kind {
            Kind::Predicate => u64::from(self.predicates[slot as usize] >> lane & 1),
            Kind::Word => u64::from(self.words[slot as usize][lane]),
            Kind::Long => self.longs[slot as usize][lane],
        }
    }

    /// Writes one lane of a slot.
    pub fn set_lane(&mut self, kind: Kind, slot: u32, lane: usize, value: u64) {
        match kind {
            Kind::Predicate => {
                let bits = &mut self.predicates[slot as usize];
                *bits = *bits & !(1 << lane) | (value as u32 & 1) << lane;
            }
            Kind::Word => self.words[slot as usize][lane] = value as u32,
            Kind::Long => self.longs[slot as usize][lane] = value,
        }
    }
}

/// Evaluates a function for all lanes. A loop: `array::from_fn` and `array::map` call it through pointers in builds for tests.
#[inline(always)]
pub(crate) fn each_lane<T: Copy + Default>(of: impl Fn(usize) -> T) -> [T; LANES] {
    let mut values = [T::default(); LANES];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = of(lane);
    }
    values
}

/// Returns one bit per lane.
#[inline(always)]
pub(crate) fn bits(values: &[bool; LANES]) -> u32 {
    let bytes = each_lane(|lane| u8::from(values[lane]));
    let mut bits = 0;
    for (k, &part) in bytes.as_chunks().0.iter().enumerate() {
        // The product moves the lowest bit of byte i to bit 56 + i.
        let part = u64::from_le_bytes(part).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= (part as u32) << (8 * k);
    }
    bits
}

/// A value in a register.
pub(crate) trait Lane: Copy + Default {
    const KIND: Kind;
    type Column<'a>: Copy;

    fn column(registers: &Registers, slot: u32) -> Self::Column<'_>;
    fn get(column: Self::Column<'_>, lane: usize) -> Self;
    /// Writes the lanes of a mask.
    fn put(registers: &mut Registers, slot: u32, mask: u32, values: &[Self; LANES]);
}

macro_rules! lanes {
    ($($ty:ty: $kind:ident, $file:ident, $raw:ty, |$from:ident| $of:expr, |$to:ident| $bits:expr;)*) => {$(
        impl Lane for $ty {
            const KIND: Kind = Kind::$kind;
            type Column<'a> = &'a [$raw; LANES];

            #[inline(always)]
            fn column(registers: &Registers, slot: u32) -> Self::Column<'_> {
                &registers.$file[slot as usize]
            }

            #[inline(always)]
            fn get(column: Self::Column<'_>, lane: usize) -> Self {
                let $from = column[lane];
                $of
            }

            #[inline(always)]
            fn put(registers: &mut Registers, slot: u32, mask: u32, values: &[Self; LANES]) {
                let column = &mut registers.$file[slot as usize];
                if mask == u32::MAX {
                    for lane in 0..LANES {
                        let $to = values[lane];
                        column[lane] = $bits;
                    }
                } else {
                    for lane in 0..LANES {
                        let $to = values[lane];
                        column[lane] = if mask & 1 << lane != 0 { $bits } else { column[lane] };
                    }
                }
            }
        }
    )*};
}

lanes! {
    u8: Word, words, u32, |raw| raw as u8, |value| u32::from(value);
    i8: Word, words, u32, |raw| raw as i8, |value| value as u32;
    u16: Word, words, u32, |raw| raw as u16, |value| u32::from(value);
    i16: Word, words, u32, |raw| raw as i16, |value| value as u32;
    u32: Word, words, u32, |raw| raw, |value| value;
    i32: Word, words, u32, |raw| raw as i32, |value| value as u32;
    f32: Word, words, u32, |raw| f32::from_bits(raw), |value| value.to_bits();
    u64: Long, longs, u64, |raw| raw, |value| value;
    i64: Long, longs, u64, |raw| raw as i64, |value| value as u64;
    f64: Long, longs, u64, |raw| f64::from_bits(raw), |value| value.to_bits();
}

impl Lane for bool {
    const KIND: Kind = Kind::Predicate;
    type Column<'a> = u32;

    #[inline(always)]
    fn column(registers: &Registers, slot: u32) -> u32 {
        registers.predicates[slot as usize]
    }

    #[inline(always)]
    fn get(column: u32, lane: usize) -> bool {
        column & 1 << lane != 0
    }

    #[inline(always)]
    fn put(registers: &mut Registers, slot: u32, mask: u32, values: &[bool; LANES]) {
        let bits = bits(values);
        let column = &mut registers.predicates[slot as usize];
        *column = *column & !mask | bits & mask;
    }
}
