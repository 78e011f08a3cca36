//! Packed masks.

use treepar::mask::Mask;

use crate::{each_holds, get, put};

each_holds! {
    packed_masks_match_bytes(b, rng, n) {
        let (x, y) = (rng.mask(n), rng.mask(n));
        let pack = |mask: &[u8]| Mask::pack(&put(b, mask)).unwrap();
        let (mask, other) = (pack(&x), pack(&y));
        let bits = |mask: &Mask<B>| mask.download().unwrap().iter().map(|bit| u8::from(*bit)).collect::<Vec<_>>();
        let each = |f: fn(bool, bool) -> bool| {
            x.iter().zip(&y).map(|(&x, &y)| u8::from(f(x != 0, y != 0))).collect::<Vec<_>>()
        };
        assert_eq!(bits(&mask), each(|x, _| x));
        assert_eq!(get(b, mask.unpack()), each(|x, _| x));
        assert_eq!(bits(&mask.and(&other).unwrap()), each(|x, y| x && y));
        assert_eq!(bits(&mask.or(&other).unwrap()), each(|x, y| x || y));
        assert_eq!(bits(&mask.xor(&other).unwrap()), each(|x, y| x != y));
        let not = mask.not().unwrap();
        assert_eq!(bits(&not), each(|x, _| !x));
        let marked: Vec<u32> = (0..n as u32).filter(|&i| x[i as usize] != 0).collect();
        assert_eq!(mask.count().unwrap(), marked.len());
        assert_eq!(not.count().unwrap(), n - marked.len());
        assert_eq!(get(b, mask.rows()), marked);
        let places: Vec<u32> = (0..=n as u32).collect();
        let ranks: Vec<u32> = places.iter().map(|&i| marked.partition_point(|&row| row < i) as u32).collect();
        assert_eq!(get(b, mask.ranks(&put(b, &places))), ranks);
        let again = Mask::upload(b, &mask.download().unwrap()).unwrap();
        assert_eq!(bits(&again.xor(&mask).unwrap()), vec![0; n]);
    }
}
