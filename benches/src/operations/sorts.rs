//! Operations that sort or group, compared with plain code and with other crates' sorts.

use treepar::key::{Order, group};
use treepar::{Backend, Cpu, sort};

use super::Kind::Sort;
use super::data::Data;
use super::{Answer, Operation, Plain, Scratch};

/// Returns all of these operations.
pub fn operations<B: Backend>() -> Vec<Operation<B>> {
    let op = Operation::<B>::new;
    let sort_x =
        |name, peer: Plain| op((name, Sort, 8.0), |b, d| b.sort_by_key(&d.x, &d.order).map(Answer::pair), peer);
    vec![
        op(
            ("sort pairs, 8 bits", Sort, 8.0),
            |b, d| b.sort_by_key(&d.small, &d.order).map(Answer::pair),
            |d, s| radix_sort(&d.small, &d.order, s),
        ),
        sort_x("sort pairs, 32 bits", |d, s| radix_sort(&d.x, &d.order, s)),
        sort_x("sort pairs, 32 bits; std stable", |d, s| {
            sort_pairs(d.x.iter().zip(&d.order[..]), s, |pairs| pairs.sort_by_key(|pair| pair.key));
        }),
        sort_x("sort pairs, 32 bits; rayon stable", |d, s| {
            use rayon::slice::ParallelSliceMut;
            sort_pairs(d.x.iter().zip(&d.order[..]), s, |pairs| pairs.par_sort_by_key(|pair| pair.key));
        }),
        sort_x("sort pairs, 32 bits; voracious radix, stable", |d, s| {
            use voracious_radix_sort::RadixSort;
            sort_pairs(d.x.iter().zip(&d.order[..]), s, |pairs| pairs.voracious_stable_sort());
        }),
        op(
            ("sort pairs, 64 bits; std stable", Sort, 8.0),
            |_, d| sort::sort_permutation(&d.wide).map(Answer::wide),
            |d, s| {
                s.wide_pairs.clear();
                s.wide_pairs.extend(d.wide.iter().copied().zip(0..));
                s.wide_pairs.sort_by_key(|pair| pair.0);
                s.wide.clear();
                s.wide.extend(s.wide_pairs.iter().map(|pair| pair.0));
                s.out.clear();
                s.out.extend(s.wide_pairs.iter().map(|pair| pair.1));
            },
        ),
        op(
            ("key, 256 groups", Sort, 4.0),
            |_, d| group(&d.small, Order::Sorted).map(|groups| Answer::pair(groups.into_columns())),
            few_groups,
        ),
        op(
            ("key, n groups; std sort", Sort, 4.0),
            |_, d| group(&d.x, Order::Sorted).map(|groups| Answer::pair(groups.into_columns())),
            many_groups,
        ),
    ]
}

/// A key and its payload.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Pair {
    key: u32,
    payload: u32,
}

impl voracious_radix_sort::Radixable<u32> for Pair {
    type Key = u32;
    fn key(&self) -> u32 {
        self.key
    }
}

/// Sorts pairs with another crate's sort.
fn sort_pairs<'a>(pairs: impl Iterator<Item = (&'a u32, &'a u32)>, s: &mut Scratch, sort: fn(&mut [Pair])) {
    s.pairs.clear();
    s.pairs.extend(pairs.map(|(&key, &payload)| Pair { key, payload }));
    sort(&mut s.pairs);
    s.out.clear();
    s.out.extend(s.pairs.iter().map(|pair| pair.key));
    s.second.clear();
    s.second.extend(s.pairs.iter().map(|pair| pair.payload));
}

/// Sorts by least significant digit, eight bits at a time. A digit that is equal in all keys is skipped.
fn radix_sort(keys: &[u32], payload: &[u32], s: &mut Scratch) {
    let n = keys.len();
    let [keys_to, payload_to] = &mut s.spare_two;
    for column in [&mut s.out, &mut s.second, keys_to, payload_to] {
        column.resize(n, 0);
    }
    // The first digit is read from the input, the others from the previous pass's output.
    let mut is_input = true;
    for shift in [0, 8, 16, 24] {
        let (from, payload_from) = if is_input { (keys, payload) } else { (&s.out[..], &s.second[..]) };
        let mut at = [0usize; 256];
        for &key in from {
            at[(key >> shift) as usize & 255] += 1;
        }
        if at.contains(&n) {
            continue;
        }
        let mut sum = 0;
        for count in &mut at {
            sum += std::mem::replace(count, sum);
        }
        for (&key, &item) in from.iter().zip(payload_from) {
            let next = &mut at[(key >> shift) as usize & 255];
            keys_to[*next] = key;
            payload_to[*next] = item;
            *next += 1;
        }
        std::mem::swap(&mut s.out, keys_to);
        std::mem::swap(&mut s.second, payload_to);
        is_input = false;
    }
    if is_input {
        s.out.copy_from_slice(keys);
        s.second.copy_from_slice(payload);
    }
}

/// Groups rows by keys below 256. Computes the grouped rows and the start of each non-empty group.
fn few_groups(d: &Data<Cpu>, s: &mut Scratch) {
    let mut at = [0u32; 257];
    for &key in &d.small[..] {
        at[key as usize + 1] += 1;
    }
    s.second.clear();
    for k in 0..256 {
        if at[k + 1] > 0 {
            s.second.push(at[k]);
        }
        at[k + 1] += at[k];
    }
    s.out.resize(d.n(), 0);
    for (i, &key) in d.small.iter().enumerate() {
        let next = &mut at[key as usize];
        s.out[*next as usize] = i as u32;
        *next += 1;
    }
}

/// Groups rows by any key. Computes the grouped rows and the start of each group.
fn many_groups(d: &Data<Cpu>, s: &mut Scratch) {
    s.pairs.clear();
    s.pairs.extend(d.x.iter().zip(0..).map(|(&key, payload)| Pair { key, payload }));
    s.pairs.sort_by_key(|pair| pair.key);
    s.out.clear();
    s.second.clear();
    for (i, pair) in s.pairs.iter().enumerate() {
        s.out.push(pair.payload);
        if i == 0 || pair.key != s.pairs[i - 1].key {
            s.second.push(i as u32);
        }
    }
}
