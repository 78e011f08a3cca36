//! Branches, calls, lanes, barriers and blocks.

mod support;

use support::{launch, run};
use treepar_executor::{FaultKind, Machine, Mode, Module};

/// Machines that run the same kernels in different orders.
fn machines() -> Vec<Machine> {
    let mut machines = Vec::new();
    for seed in 0..3 {
        for (multiprocessors, resident_blocks, turn) in [(1, 1, 256), (4, 2, 1), (24, 1, 7)] {
            for independent_lanes in [false, true] {
                let mode = Mode { independent_lanes, races: true, ..Mode::default() };
                machines.push(Machine { multiprocessors, resident_blocks, turn, seed, mode, ..Machine::default() });
            }
        }
    }
    machines
}

/// Runs a body on all machines, and returns its words.
fn all(body: &str, grid: u32, block: u32, words: &[u32]) -> Vec<u32> {
    let mut results = machines().into_iter().map(|machine| {
        let mut words = words.to_vec();
        run(&machine, body, grid, block, &mut words).unwrap_or_else(|fault| panic!("{fault}\n{machine:?}"));
        words
    });
    let first = results.next().unwrap();
    results.for_each(|other| assert_eq!(other, first));
    first
}

/// `%rd1` is the address of the thread's word.
const OWN: &str = "mov.u32 %r30, %ntid.x; mad.lo.s32 %r31, %ctaid, %r30, %tid; mul.wide.u32 %rd1, %r31, 4; add.s64 %rd1, %words, %rd1;\n";

#[test]
fn lanes_part_and_meet() {
    // Collatz steps: each lane loops as often as its value demands, and branches differently in each round.
    let body = format!(
        "{OWN} add.s32 %r1, %tid, 1; mov.u32 %r2, 0;
        LOOP: setp.eq.u32 %p1, %r1, 1; @%p1 bra DONE;
        and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra EVEN;
        mad.lo.s32 %r1, %r1, 3, 1; bra.uni NEXT;
        EVEN: shr.u32 %r1, %r1, 1;
        NEXT: add.s32 %r2, %r2, 1; bra LOOP;
        DONE: st.global.u32 [%rd1], %r2; ret;"
    );
    let steps = |start: u32| std::iter::successors(Some(start), |&n| Some(if n % 2 == 0 { n / 2 } else { 3 * n + 1 }));
    let expected: Vec<u32> = (1..=45).map(|start| steps(start).position(|n| n == 1).unwrap() as u32).collect();
    assert_eq!(all(&body, 1, 45, &[0; 45]), expected);
}

#[test]
fn lanes_meet_after_nested_branches() {
    // After the branches all lanes vote together, which needs no waiting if they have met.
    let body = format!(
        "{OWN} and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 0; and.b32 %r2, %tid, 2; setp.eq.u32 %p2, %r2, 0; mov.u32 %r5, 0;
        @%p1 bra A; @%p2 bra B; add.s32 %r5, %r5, 1; bra E; B: add.s32 %r5, %r5, 2; bra E;
        A: @!%p2 bra C; add.s32 %r5, %r5, 3; bra E; C: add.s32 %r5, %r5, 4;
        E: activemask.b32 %r6; popc.b32 %r6, %r6; mad.lo.s32 %r5, %r6, 100, %r5; st.global.u32 [%rd1], %r5; ret;"
    );
    let mut words = [0; 32];
    let counts = run(&Machine::default(), &body, 1, 32, &mut words).unwrap();
    let expected: Vec<u32> = (0..32).map(|lane| 3200 + [3, 2, 4, 1][lane % 4]).collect();
    assert_eq!(words[..], expected);
    assert_eq!((counts.branches, counts.divergent_branches), (6, 3));
}

#[test]
fn indexed_branches() {
    let body = format!(
        "{OWN} and.b32 %r1, %tid, 3; TABLE: .branchtargets T0, T1, T2, T1; brx.idx %r1, TABLE;
        T0: mov.u32 %r2, 10; bra END; T1: mov.u32 %r2, 11; bra END; T2: mov.u32 %r2, 12;
        END: st.global.u32 [%rd1], %r2; ret;"
    );
    let expected: Vec<u32> = (0..40).map(|lane| [10, 11, 12, 11][lane % 4]).collect();
    assert_eq!(all(&body, 1, 40, &[0; 40]), expected);
}

#[test]
fn a_lane_may_wait_for_another_of_its_warp() {
    // Lane 0 polls a word that lane 1 writes later.
    let body = "setp.ne.u32 %p1, %tid, 0; @%p1 bra OTHER;
        POLL: ld.relaxed.gpu.global.u32 %r1, [%words]; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL;
        st.global.u32 [%words + 4], %r1; bra END;
        OTHER: st.relaxed.gpu.global.u32 [%words], 7; END: ret;";
    assert_eq!(all(body, 1, 2, &[0, 0]), [7, 7]);
}

#[test]
fn shuffles_and_votes() {
    let body = format!(
        "{OWN} shfl.sync.bfly.b32 %r1|%p1, %tid, 1, 31, -1; vote.sync.ballot.b32 %r2, %p1, -1;
        setp.lt.u32 %p2, %tid, 5; vote.sync.ballot.b32 %r3, %p2, -1; popc.b32 %r3, %r3;
        redux.sync.add.u32 %r4, %tid, -1; shr.u32 %r5, %tid, 3; match.any.sync.b32 %r6, %r5, -1; popc.b32 %r6, %r6;
        elect.sync %r7|%p3, -1; selp.u32 %r8, 1, 0, %p3;
        mad.lo.s32 %r1, %r1, 10, %r3; mad.lo.s32 %r1, %r6, 1000, %r1; mad.lo.s32 %r1, %r4, 10000, %r1; add.s32 %r1, %r1, %r8;
        st.global.u32 [%rd1], %r1; ret;"
    );
    let expected: Vec<u32> =
        (0..32).map(|lane: u32| (lane ^ 1) * 10 + 5 + 8000 + 4960000 + u32::from(lane == 0)).collect();
    assert_eq!(all(&body, 1, 32, &[0; 32]), expected);
}

#[test]
fn lanes_with_different_masks_exchange_apart() {
    // Even and odd lanes form two groups, in one instruction.
    let body = format!(
        "{OWN} and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 0; selp.b32 %r2, 0x55555555, 0xaaaaaaaa, %p1;
        redux.sync.add.s32 %r3, %tid, %r2; bar.warp.sync -1; st.global.u32 [%rd1], %r3; ret;"
    );
    let expected: Vec<u32> = (0..32).map(|lane| if lane % 2 == 0 { 240 } else { 256 }).collect();
    assert_eq!(all(&body, 1, 32, &[0; 32]), expected);
}

#[test]
fn exchanges_wait_for_lanes_that_are_late() {
    // Lanes leave a loop in different rounds and then exchange values.
    let body = format!(
        "{OWN} mov.u32 %r1, 0; LOOP: setp.ge.u32 %p1, %r1, %tid; @%p1 bra DONE; add.s32 %r1, %r1, 1; bra LOOP;
        DONE: bar.warp.sync -1; shfl.sync.up.b32 %r2, %r1, 1, 0, -1; st.global.u32 [%rd1], %r2; ret;"
    );
    let expected: Vec<u32> = (0..32u32).map(|lane| lane.saturating_sub(1)).collect();
    assert_eq!(all(&body, 1, 32, &[0; 32]), expected);
}

#[test]
fn a_mask_without_the_lane_is_a_fault() {
    let fault = run(&Machine::default(), "bar.warp.sync 0xfe; ret;", 1, 32, &mut [0]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadMask { mask: 0xfe, lanes: u32::MAX, ended: 0 });
}

#[test]
fn barriers_order_shared_memory() {
    // Each thread writes its word, and reads the word of the opposite thread.
    let body = format!(
        "{{ .shared .align 4 .b8 column[1024]; {OWN} shl.b32 %r1, %tid, 2; mov.u32 %r2, column; add.s32 %r1, %r1, %r2;
        st.shared.u32 [%r1], %tid; bar.sync 0; sub.s32 %r3, 255, %tid; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r2;
        ld.shared.u32 %r4, [%r3]; setp.gt.u32 %p1, %r4, 99; bar.red.popc.u32 %r5, 0, %p1; bar.red.and.pred %p2, 0, %p1;
        bar.red.or.pred %p3, 0, %p1; selp.u32 %r6, 1, 0, %p2; selp.u32 %r7, 1, 0, %p3; mad.lo.s32 %r4, %r5, 1000, %r4;
        add.s32 %r4, %r4, %r6; mad.lo.s32 %r4, %r7, 1000000, %r4; st.global.u32 [%rd1], %r4; ret; }}"
    );
    let expected: Vec<u32> = (0..512).map(|thread| 1_156_000 + 255 - thread % 256).collect();
    assert_eq!(all(&body, 2, 256, &[0; 512]), expected);
}

#[test]
fn blocks_wait_for_earlier_blocks() {
    // A chain: each block adds one to the value of the block before it.
    let body = "setp.ne.u32 %p1, %tid, 0; @%p1 bra END; mul.wide.u32 %rd1, %ctaid, 4; add.s64 %rd1, %words, %rd1;
        mov.u32 %r1, 0; setp.eq.u32 %p2, %ctaid, 0; @%p2 bra READY;
        POLL: ld.acquire.gpu.global.u32 %r1, [%rd1 + -4]; setp.ne.u32 %p3, %r1, 0; @%p3 bra READY; nanosleep.u32 20; bra POLL;
        READY: add.s32 %r1, %r1, 1; st.release.gpu.global.u32 [%rd1], %r1; END: ret;";
    let expected: Vec<u32> = (1..=50).collect();
    assert_eq!(all(body, 50, 32, &[0; 50]), expected);
}

#[test]
fn atomics_of_all_blocks_add_up() {
    let body = "atom.global.add.u32 %r1, [%words], 1; red.global.max.u32 [%words + 4], %r1; cvta.to.global.u64 %rd1, %words;
        atom.or.b32 %r2, [%rd1 + 8], 5; atom.global.cas.b32 %r3, [%words + 12], 0, 9; atom.global.inc.u32 %r4, [%words + 16], 6; ret;";
    let words = all(body, 4, 64, &[0; 5]);
    assert_eq!(words, [256, 255, 5, 9, 256 % 7]);
}

/// A callee that loops, writes local memory and returns early, called from two branches.
const CALLS: &str = ".version 8.0\n.target sm_90\n.address_size 64
    .func (.param .b32 result) triangle(.param .b32 count)
    {
        .local .align 4 .b8 sums[8]; .reg .b32 %r<5>; .reg .pred %p<2>; .reg .b64 %rd<3>;
        ld.param.u32 %r1, [count]; setp.eq.u32 %p1, %r1, 0; @!%p1 bra SOME;
        st.param.b32 [result + 0], 1000; ret;
        SOME: mov.u64 %rd1, sums; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2 + 4], 0;
        LOOP: ld.local.u32 %r2, [%rd1 + 4]; add.s32 %r2, %r2, %r1; st.local.u32 [sums + 4], %r2;
        sub.s32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;
        ld.u32 %r3, [%rd2 + 4]; st.param.b32 [result], %r3; ret;
    }
    .global .align 4 .u32 table[3] = {5, 7, 0x10};
    .visible .entry main(.param .u64 words)
    {
        .reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .pred %p<3>;
        ld.param.u64 %rd1, [words]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
        and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 3; @%p1 bra OTHER;
        { .param .b32 argument; .param .b32 value; st.param.b32 [argument + 0], %r2;
        call.uni (value), triangle, (argument); ld.param.b32 %r3, [value + 0]; }
        bra END;
        OTHER: { .param .b32 argument; .param .b32 value; st.param.b32 [argument + 0], %r1;
        call.uni (value), triangle, (argument); ld.param.b32 %r3, [value + 0]; }
        END: ld.global.u32 %r4, [table + 8]; mad.lo.s32 %r3, %r4, 100000, %r3; st.global.u32 [%rd1], %r3; ret;
    }";

#[test]
fn calls_return_to_their_callers() {
    let module = Module::parse(CALLS).unwrap_or_else(|error| panic!("{error}"));
    let triangle = |count: u32| if count == 0 { 1000 } else { count * (count + 1) / 2 };
    let expected: Vec<u32> =
        (0..40).map(|thread: u32| 1_600_000 + triangle(if thread % 4 == 3 { thread } else { thread % 4 })).collect();
    for machine in machines() {
        let mut words = [0; 40];
        launch(&machine, &module, 1, 40, &mut words).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(words[..], expected);
    }
    let recursive =
        CALLS.replace("ld.param.u32 %r1, [count];", "call.uni (result), triangle, (count); ld.param.u32 %r1, [count];");
    assert_eq!(Module::parse(&recursive).unwrap_err().problem, "recursion in `triangle` is not supported");
}

#[test]
fn equal_seeds_give_equal_counts() {
    let body =
        format!("{OWN} ld.global.u32 %r1, [%rd1]; add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; bar.sync 0; ret;");
    let machine = Machine { seed: 9, ..Machine::default() };
    let counts = || run(&machine, &body, 3, 128, &mut [0; 384]).unwrap();
    let first = counts();
    assert_eq!(first, counts());
    assert_eq!((first.loads.requests, first.loads.sectors, first.loads.bytes), (12, 48, 1536));
    assert_eq!((first.stores.requests, first.stores.sectors, first.barriers), (12, 48, 12));
}
