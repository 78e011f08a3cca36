//! Races, and orders of memory that a GPU may show but rarely does.

mod support;

use support::run;
use treepar_executor::{FaultKind, Machine, Mode};

fn machine(seed: u64, mode: Mode) -> Machine {
    Machine { seed, mode, turn: 16, ..Machine::default() }
}

/// Returns the lines of the race that a body has.
fn race(body: &str, block: u32) -> Option<(u32, u32)> {
    let mode = Mode { races: true, unwritten_reads: false, ..Mode::default() };
    let body = format!("{{ .shared .align 8 .b8 s[1024]; shl.b32 %r1, %tid, 2;\n{body}\nret; }}");
    match run(&machine(1, mode), &body, 1, block, &mut [0; 8]) {
        Ok(_) => None,
        Err(fault) => match fault.kind {
            FaultKind::Race { other, .. } => {
                // Either access may come first.
                let lines = [other.line, fault.site.unwrap().line];
                Some((lines[0].min(lines[1]), lines[0].max(lines[1])))
            }
            _ => panic!("{fault}"),
        },
    }
}

#[test]
fn accesses_without_a_barrier_race() {
    // Lines 9 and so on are the lines of the body.
    let own = "st.shared.u32 [%r1], %tid;\n";
    let opposite = "xor.b32 %r2, %r1, 128;\nld.shared.u32 %r3, [%r2];";
    assert_eq!(race(&format!("{own}{opposite}"), 64), Some((9, 11)));
    assert_eq!(race(&format!("{own}bar.sync 0;\n{opposite}"), 64), None);
    // A write after a read needs a barrier as well.
    assert_eq!(race(&format!("{own}bar.sync 0;\n{opposite}\nst.shared.u32 [%r1], 7;"), 64), Some((12, 13)));
    assert_eq!(race(&format!("{own}bar.sync 0;\n{opposite}\nbar.sync 0;\nst.shared.u32 [%r1], 7;"), 64), None);
}

#[test]
fn lanes_of_a_warp_race_unless_they_synchronise() {
    let own = "st.shared.u32 [%r1], %tid;\n";
    let next = "xor.b32 %r2, %r1, 4;\nld.shared.u32 %r3, [%r2];";
    assert_eq!(race(&format!("{own}{next}"), 32), Some((9, 11)));
    assert_eq!(race(&format!("{own}bar.warp.sync -1;\n{next}"), 32), None);
    // A shuffle orders no memory.
    assert_eq!(race(&format!("{own}shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;\n{next}"), 32), Some((9, 12)));
    // The synchronisation of another warp does not help.
    assert_eq!(
        race(&format!("{own}bar.warp.sync -1;\nxor.b32 %r2, %r1, 128;\nld.shared.u32 %r3, [%r2];"), 64),
        Some((9, 12))
    );
}

#[test]
fn neighbouring_bytes_and_atomics_do_not_race() {
    assert_eq!(race("st.shared.u8 [%tid], %r1;", 64), None);
    assert_eq!(race("st.shared.u8 [%tid], %r1;\nld.shared.u32 %r3, [0];", 64).map(|_| ()), Some(()));
    assert_eq!(race("red.shared.add.u32 [16], 1;\nred.shared.add.u32 [16], 1;", 64), None);
    assert_eq!(race("red.shared.add.u32 [16], 1;\nld.shared.u32 %r3, [16];", 64), Some((9, 10)));
    // Lanes of one instruction may write one value, not two.
    assert_eq!(race("st.shared.u32 [16], 5;", 32), None);
    assert_eq!(race("st.shared.u32 [16], %tid;", 32), Some((9, 9)));
    assert_eq!(race("st.shared.u32 [16], 5;", 64), Some((9, 9)));
}

/// Block 0 writes data and a flag, block 1 waits for the flag and reads the data. Returns the results of many seeds.
fn messages(write: &str, poll: &str, mode: Mode) -> Vec<u32> {
    let body = format!(
        "setp.eq.u32 %p1, %ctaid, 1; @%p1 bra READER;
        {write} ret;
        READER: ld.global.u32 %r9, [%words + 128];
        POLL: {poll} ld.global.u32 %r2, [%words + 128]; st.global.u32 [%words + 192], %r2; ret;"
    );
    let result = |seed| {
        let mut words = [0; 64];
        run(&machine(seed, mode), &body, 2, 1, &mut words).unwrap_or_else(|fault| panic!("{fault}"));
        words[48]
    };
    (0..200).map(result).collect()
}

const WRITE: &str = "st.global.u32 [%words + 128], 42; FENCE st.relaxed.gpu.global.u32 [%words], 1;";
const POLL: &str = "ld.relaxed.gpu.global.u32 %r1, [%words]; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL; FENCE";
const FENCE: &str = "fence.acq_rel.gpu;";

#[test]
fn late_stores_need_the_writers_fence() {
    let mode = Mode { late_stores: true, ..Mode::default() };
    let fenced = messages(&WRITE.replace("FENCE", FENCE), &POLL.replace("FENCE", FENCE), mode);
    assert!(fenced.iter().all(|&data| data == 42));
    let unfenced = messages(&WRITE.replace("FENCE", ""), &POLL.replace("FENCE", FENCE), mode);
    assert!(unfenced.contains(&0) && unfenced.contains(&42));
    // A fence of the block does not deliver to other blocks.
    let narrow = messages(&WRITE.replace("FENCE", "fence.acq_rel.cta;"), &POLL.replace("FENCE", FENCE), mode);
    assert!(narrow.contains(&0));
}

#[test]
fn early_loads_need_the_readers_fence() {
    let mode = Mode { early_loads: true, ..Mode::default() };
    let fenced = messages(&WRITE.replace("FENCE", FENCE), &POLL.replace("FENCE", FENCE), mode);
    assert!(fenced.iter().all(|&data| data == 42));
    let unfenced = messages(&WRITE.replace("FENCE", FENCE), &POLL.replace("FENCE", ""), mode);
    assert!(unfenced.contains(&0) && unfenced.contains(&42));
}

#[test]
fn releases_and_acquires_order_like_fences() {
    let mode = Mode { late_stores: true, early_loads: true, ..Mode::default() };
    let write = "st.global.u32 [%words + 128], 42; st.release.gpu.global.u32 [%words], 1;";
    let poll = "ld.acquire.gpu.global.u32 %r1, [%words]; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL;";
    assert!(messages(write, poll, mode).iter().all(|&data| data == 42));
    let write = "st.global.u32 [%words + 128], 42; atom.global.release.gpu.exch.b32 %r3, [%words], 1;";
    let poll = "atom.global.acquire.gpu.add.u32 %r1, [%words], 0; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL;";
    assert!(messages(write, poll, mode).iter().all(|&data| data == 42));
    let relaxed = "atom.global.relaxed.gpu.add.u32 %r1, [%words], 0; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL;";
    assert!(messages(write, relaxed, mode).contains(&0));
}

#[test]
fn threads_see_their_own_stores_in_order() {
    let body = "mul.wide.u32 %rd1, %tid, 4; add.s64 %rd1, %words, %rd1; mov.u32 %r1, 0;
        LOOP: add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1]; setp.ne.u32 %p1, %r1, %r2; @%p1 trap;
        ld.global.u8 %r3, [%rd1]; setp.ne.u32 %p1, %r1, %r3; @%p1 trap; setp.lt.u32 %p2, %r1, 50; @%p2 bra LOOP;
        atom.global.add.u32 %r4, [%rd1], 1; setp.ne.u32 %p3, %r4, 50; @%p3 trap; ret;";
    let mode = Mode { late_stores: true, early_loads: true, ..Mode::default() };
    for seed in 0..20 {
        let mut words = [0; 64];
        run(&machine(seed, mode), body, 1, 64, &mut words).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(words, [51; 64]);
    }
}

#[test]
fn barriers_show_stores_to_their_threads() {
    // Each thread writes a word, and reads that of another warp, and of another lane.
    let body =
        "mul.wide.u32 %rd1, %tid, 4; add.s64 %rd1, %words, %rd1; xor.b32 %r1, %tid, MASK; mul.wide.u32 %rd2, %r1, 4;
        add.s64 %rd2, %words, %rd2; st.global.u32 [%rd1], %tid; SYNC ld.global.u32 %r2, [%rd2];
        add.s64 %rd1, %rd1, 256; st.global.u32 [%rd1], %r2; ret;";
    let mode = Mode { late_stores: true, early_loads: true, ..Mode::default() };
    for (mask, sync, ordered) in [
        ("32", "bar.sync 0;", true),
        ("1", "bar.warp.sync -1;", true),
        ("32", "bar.warp.sync -1;", false),
        ("1", "", false),
    ] {
        let expected: Vec<u32> = (0..64).map(|thread| thread ^ mask.parse::<u32>().unwrap()).collect();
        let all = (0..30).all(|seed| {
            let mut words = [99; 128];
            let body = body.replace("MASK", mask).replace("SYNC", sync);
            run(&machine(seed, mode), &body, 1, 64, &mut words).unwrap_or_else(|fault| panic!("{fault}"));
            words[64..] == expected
        });
        assert_eq!(all, ordered, "{mask} {sync}");
    }
}

#[test]
fn one_thread_may_publish_what_its_block_wrote() {
    // All threads write, then one of them raises the flag after a barrier and a fence. All threads of another block read.
    let body =
        "setp.eq.u32 %p1, %ctaid, 1; mul.wide.u32 %rd1, %tid, 4; add.s64 %rd1, %words, %rd1; setp.ne.u32 %p3, %tid, 0;
        @%p1 bra READER;
        st.global.u32 [%rd1 + 64], 5; bar.sync 0; @%p3 bra END; FENCE st.relaxed.gpu.global.u32 [%words], 1; END: ret;
        READER: ld.global.u32 %r9, [%rd1 + 64]; @%p3 bra READY;
        POLL: ld.relaxed.gpu.global.u32 %r1, [%words]; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL; FENCE
        READY: bar.sync 0; ld.global.u32 %r2, [%rd1 + 64]; st.global.u32 [%rd1 + 512], %r2; ret;";
    let mode = Mode { late_stores: true, early_loads: true, ..Mode::default() };
    let wrong = |fence: &str| {
        (0..40).any(|seed| {
            let mut words = [0; 256];
            run(&machine(seed, mode), &body.replace("FENCE", fence), 2, 64, &mut words).unwrap();
            words[128..192] != [5; 64]
        })
    };
    assert!(!wrong(FENCE));
    assert!(wrong(""));
}

#[test]
fn diverged_lanes_do_not_meet_by_themselves() {
    // Without a synchronisation, a lane may read its neighbour's word before that lane has written it.
    let body = "{ .shared .align 4 .b8 s[128]; shl.b32 %r1, %tid, 2; and.b32 %r2, %tid, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r4, 0;
        st.shared.u32 [%r1], 0; bar.warp.sync -1;
        @%p1 bra EVEN; st.shared.u32 [%r1], 1; bra MEET; EVEN: st.shared.u32 [%r1], 1;
        MEET: SYNC xor.b32 %r3, %r1, 4; ld.shared.u32 %r4, [%r3]; mul.wide.u32 %rd1, %tid, 4; add.s64 %rd1, %words, %rd1;
        st.global.u32 [%rd1], %r4; ret; }";
    let ones = |sync: &str, independent_lanes| {
        (0..20).all(|seed| {
            let mut words = [0; 32];
            let mode = Mode { independent_lanes, ..Mode::default() };
            run(&machine(seed, mode), &body.replace("SYNC", sync), 1, 32, &mut words).unwrap();
            words == [1; 32]
        })
    };
    assert!(ones("", false) && ones("bar.warp.sync -1;", true));
    assert!(!ones("", true));
}
