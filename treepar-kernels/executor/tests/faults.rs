//! Faults and where they are reported.

mod support;

use support::run;
use treepar_executor::{Access, Fault, FaultKind, Launch, Machine, Memory, Mode, Module, Nearest};

fn fault(body: &str, grid: u32, block: u32) -> Fault {
    run(&Machine::default(), body, grid, block, &mut [0; 64]).expect_err("a fault")
}

#[test]
fn accesses_out_of_bounds_name_the_nearest_allocation() {
    let fault =
        fault("mul.wide.u32 %rd1, %tid, 4; add.s64 %rd1, %words, %rd1;\nst.global.u32 [%rd1], %tid;\nret;", 1, 96);
    let FaultKind::OutOfBounds { access, nearest: Some(nearest) } = fault.kind else { panic!("{fault}") };
    assert_eq!(access, Access { space: "global", address: nearest.begin + 256, bytes: 4, write: true });
    assert_eq!(nearest, Nearest { begin: nearest.begin, bytes: 256, freed: false });
    let site = fault.site.unwrap();
    assert_eq!(
        (&*site.entry, &*site.instruction, site.line, site.thread),
        ("main", "st.global.u32 [%rd1], %tid;", 9, 64)
    );
}

#[test]
fn accesses_of_all_spaces_are_checked() {
    for (body, expected) in [
        ("ld.global.u32 %r1, [%words + 2];", "misaligned"),
        ("ld.global.u64 %rd1, [%words + 4];", "misaligned"),
        ("ld.global.v2.u32 {%r1, %r2}, [%words + 4];", "misaligned"),
        ("ld.global.u32 %r1, [16];", "read of 4 bytes at 0x10 of global memory is out of bounds"),
        ("ld.shared.u32 %r1, [0];", "read of 4 bytes at 0x0 of shared memory is out of bounds"),
        ("{ .shared .align 4 .b8 s[16]; ld.shared.u32 %r1, [s + 16]; }", "the nearest allocation has 16 bytes"),
        ("{ .shared .align 4 .b8 s[16]; ld.shared.u32 %r1, [s + 12]; }", "never written"),
        ("{ .local .align 4 .b8 l[16]; ld.local.u32 %r1, [l + 4]; }", "never written"),
        ("{ .local .align 4 .b8 l[16]; st.local.u32 [l + 16], 0; }", "out of bounds"),
        ("ld.param.u64 %rd1, [words + 8];", "out of bounds"),
        ("trap;", "trap"),
    ] {
        let fault = fault(&format!("{body} ret;"), 1, 1).to_string();
        assert!(fault.contains(expected), "{body}: {fault}");
    }
}

#[test]
fn unwritten_memory_may_be_read_if_the_mode_allows() {
    let body = "{ .shared .align 4 .b8 s[16]; ld.shared.u32 %r1, [s]; } ret;";
    let mode = Mode { unwritten_reads: false, ..Mode::default() };
    run(&Machine { mode, ..Machine::default() }, body, 1, 1, &mut [0]).unwrap();
}

#[test]
fn barriers_of_a_part_of_a_block_are_faults() {
    // The first thread ends before the barrier, or waits at another one.
    let early = fault("setp.eq.u32 %p1, %tid, 0; @%p1 ret; bar.sync 0; ret;", 1, 64);
    assert_eq!(early.kind, FaultKind::PartialBarrier { arrived: 63, missing: 1 });
    let late = fault("setp.eq.u32 %p1, %tid, 0; @%p1 bra END; bar.sync 0; END: ret;", 1, 64);
    assert_eq!(late.kind, FaultKind::PartialBarrier { arrived: 63, missing: 1 });
    let other = fault("setp.eq.u32 %p1, %tid, 0; @%p1 bra B; bar.sync 0; bra END; B: bar.sync 0; END: ret;", 1, 64);
    assert!(matches!(other.kind, FaultKind::PartialBarrier { .. }), "{other}");
}

#[test]
fn deadlocks_name_who_waits() {
    // Two named barriers in opposite orders.
    let named = "shr.u32 %r1, %tid, 5; sub.s32 %r2, 1, %r1; bar.sync %r1, 64;\n bar.sync %r2, 64; ret;";
    let FaultKind::Deadlock(waiting) = fault(named, 1, 64).kind else { panic!("no deadlock") };
    assert_eq!(waiting.len(), 2);
    assert!(
        waiting.iter().all(|part| part.lanes == u32::MAX && part.reason == "barrier" && part.site.line == 8),
        "{waiting:?}"
    );
    // A word that nobody writes.
    let machine = Machine { patience: 10_000, ..Machine::default() };
    let poll = "POLL: ld.relaxed.gpu.global.u32 %r1, [%words];\n setp.eq.u32 %p1, %r1, 0; @%p1 bra POLL; ret;";
    let fault = run(&machine, poll, 3, 32, &mut [0]).unwrap_err();
    let FaultKind::Deadlock(waiting) = fault.kind else { panic!("{fault}") };
    assert!(waiting.len() == 3 && waiting.iter().all(|part| part.reason == "memory"), "{waiting:?}");
    // A loop that stores what memory has already makes no progress.
    let store = "LOOP: st.global.u32 [%words], 0; bra LOOP;";
    let fault = run(&machine, store, 1, 32, &mut [0]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Deadlock(_)), "{fault}");
    // Blocks that wait for later blocks need them to be resident.
    let backwards = "setp.eq.u32 %p1, %ctaid, 3; @%p1 bra LAST;
        POLL: ld.relaxed.gpu.global.u32 %r1, [%words]; setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL; ret;
        LAST: st.relaxed.gpu.global.u32 [%words], 1; ret;";
    for (resident, ends) in [(4, true), (3, false), (1, false)] {
        let machine = Machine { multiprocessors: 1, resident_blocks: resident, patience: 10_000, ..Machine::default() };
        assert_eq!(run(&machine, backwards, 4, 32, &mut [0]).is_ok(), ends, "{resident} blocks");
    }
}

#[test]
fn launches_end_at_the_machines_limit() {
    // A loop with effects is no deadlock.
    let endless = "LOOP: st.global.u32 [%words], %tid; bra LOOP;";
    let machine = Machine { limit: 10_000, ..Machine::default() };
    assert_eq!(run(&machine, endless, 1, 32, &mut [0]).unwrap_err().kind, FaultKind::TooLong(10_000));
    assert!(run(&machine, "st.global.u32 [%words], %tid; ret;", 1, 32, &mut [0]).is_ok());
}

#[test]
fn launches_must_fit_their_entries() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64
        .visible .entry main(.param .u64 a, .param .align 4 .b8 b[6]) .maxntid 64, 1, 1 { ret; }";
    let module = Module::parse(text).unwrap();
    let entry = module.entry("main").unwrap();
    assert_eq!((entry.parameter_bytes(), entry.parameters()[1].offset, entry.max_threads()), (14, 8, Some([64, 1, 1])));
    for (grid, block, shared, bytes, problem) in [
        (1, 64, 0, 14, ""),
        (1, 65, 0, 14, "65 threads per block are more than the entry declares"),
        (1, 0, 0, 14, "0 threads per block, of 1 to 1024"),
        (0, 1, 0, 14, "0 blocks"),
        (1, 1, 0, 13, "13 bytes of arguments, not 14"),
        (1, 1, 1 << 20, 14, "1048576 bytes of shared memory, of at most 232448"),
    ] {
        let arguments = vec![0; bytes];
        let launch = Launch { entry, grid: [grid, 1, 1], block: [block, 1, 1], shared, arguments: &arguments };
        let result = Machine::default().launch(&mut Memory::new(), launch);
        let expected = if problem.is_empty() { None } else { Some(FaultKind::BadLaunch(problem.to_string())) };
        assert_eq!(result.err().map(|fault| fault.kind), expected);
    }
}
