# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the verdicts that depend on a guest's kernel log."""

from __future__ import annotations

import pytest
import verdict


def code(*messages: str, parallel: bool = True) -> int | None:
    """Return the exit status for a kernel log with these messages."""
    log = "".join(f"[    1.{i:06d}] {text}\n" for i, text in enumerate(messages))
    judged = verdict.judge(log, parallel=parallel)
    return judged[0] if judged else None


COMPLAINTS = (
    "WARNING: CPU: 1 PID: 9 at core/main.c:4 pfm_init+0x25/0x100 [perfmon]",
    "BUG: sleeping function called from invalid context at mm/slab.h:1",
    "BUG: KASAN: use-after-free in pfm_free+0x1/0x2",
    "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [pfmon:99]",
    "WARNING: possible circular locking dependency detected",
    "WARNING: suspicious RCU usage",
    "Unable to handle kernel paging request at virtual address 0000000000000008",
    "UBSAN: shift-out-of-bounds in core/regs.c:1:2",
    "INFO: task pfmon:99 blocked for more than 120 seconds.",
)
HARMLESS = (
    "perf: Dynamic interrupt throttling disabled, can hang your system!",
    "Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on",
    "Lock dependency validator: Copyright (c) 2006 Red Hat, Inc.",
    "perfmon: module verification failed: signature and/or required key missing",
)


def test_kernel_error_messages_are_splats() -> None:
    for message in COMPLAINTS:
        judged = code("Run /init as init process", message)
        assert judged == verdict.SPLAT, message


def test_harmless_messages_are_not_splats() -> None:
    for message in HARMLESS:
        assert code(message) is None, message


def test_panic_wins_over_the_oops_before_it() -> None:
    oops = "BUG: kernel NULL pointer dereference, address: 0000000000000008"
    panic = "Kernel panic - not syncing: Fatal exception"
    assert code(oops, "Call Trace:", panic) == verdict.PANIC


def test_panic_on_warn_is_reported_as_warning() -> None:
    warning = "WARNING: CPU: 1 PID: 9 at core/main.c:4 pfm_init+0x25/0x100"
    panic = "Kernel panic - not syncing: kernel: panic_on_warn set ..."
    assert code(warning, panic) == verdict.SPLAT


def test_lines_without_time_stamp_are_ignored() -> None:
    assert verdict.judge("WARNING: said by a program\n") is None
    found = verdict.find_splat("WARNING: said by UML\n", stamped=False)
    assert found == "WARNING: said by UML"


TRACE = """\
[    3.1] CPU: 0 UID: 0 PID: 90 Comm: prog
[    3.1] Call Trace:
[    3.1]  <TASK>
"""
DENIED = (
    "[    3.1] prog: vmalloc error: size 8192, failed to allocate pages, "
    "mode:0xdc2(GFP_X)\n" + TRACE
)
DENIED_CACHE = (
    "[    3.1] __kmem_cache_create_args(pfm_pmd) failed with error -12\n" + TRACE
)


@pytest.mark.parametrize("log", [DENIED, DENIED_CACHE])
def test_provoked_allocation_failure_is_accepted(log: str) -> None:
    assert verdict.judge(log, may_deny=True) is None
    judged = verdict.judge(log)
    assert judged and judged[0] == verdict.SPLAT


def test_fault_after_allocation_failure_is_found() -> None:
    judged = verdict.judge(DENIED + "[    3.2] Call Trace:\n", may_deny=True)
    assert judged and judged[0] == verdict.SPLAT


GROUP_KILLED = f"""\
[    3.1] sh invoked oom-killer: gfp_mask=0x400dc0(GFP_KERNEL_ACCOUNT), order=0
{TRACE}[    3.1] Memory cgroup out of memory: Killed process 172 (pfmon) total-vm:7472kB
"""
KILLED = GROUP_KILLED.replace("Memory cgroup out of", "Out of")


def test_only_control_groups_may_run_out_of_memory() -> None:
    assert verdict.judge(GROUP_KILLED) is None
    for log in (KILLED, GROUP_KILLED + TRACE):
        judged = verdict.judge(log)
        assert judged and judged[0] == verdict.SPLAT


PATCHED = (
    ("int3", "00 00 01 0f <1f> 44 00 00 0f 1f"),
    ("int3", "7b ff ff ff eb <49> e9 57 ff ff"),
    ("invalid opcode", "00 00 00 01 <0f> 1f 44 00 00 0f"),
    ("invalid opcode", "00 00 00 01 <66> 90 44 00 00 0f"),
)
OWN = (
    ("int3", "00 00 01 cc <90> 44 00 00 0f 1f"),
    ("invalid opcode", "00 00 00 01 <0f> 0b 44 00 00 0f"),
    ("int3", "00 00 01 0f"),
    ("general protection fault", "00 00 01 0f <1f> 44 00 00 0f 1f"),
)


def oops(kind: str, bytes_: str) -> tuple[str, ...]:
    """Return the kernel log of an exception with these code bytes, up to the panic."""
    return (
        f"Oops: {kind}: 0000 [#1] PREEMPT SMP NOPTI",
        "RIP: 0010:syscall_trace_enter+0xd6/0x190",
        f"Code: {bytes_}",
        "Kernel panic - not syncing: Fatal exception in interrupt",
    )


@pytest.mark.parametrize(("kind", "bytes_"), PATCHED)
def test_exception_at_patched_code_is_emulator_fault(kind: str, bytes_: str) -> None:
    assert code(*oops(kind, bytes_)) == verdict.EMULATOR
    older = (f"{kind}: 0000 [#1] PREEMPT SMP NOPTI", *oops(kind, bytes_)[1:])
    assert code(*older) == verdict.EMULATOR


def test_single_cpu_has_no_emulator_fault() -> None:
    assert code(*oops(*PATCHED[0]), parallel=False) == verdict.PANIC


@pytest.mark.parametrize(("kind", "bytes_"), OWN)
def test_exception_of_present_code_is_kernel_fault(kind: str, bytes_: str) -> None:
    assert code(*oops(kind, bytes_)) == verdict.PANIC


def test_earlier_oops_is_not_emulator_fault() -> None:
    own, emulators = oops(*OWN[0]), oops(*PATCHED[0])
    assert code(*own[:3], *emulators) == verdict.PANIC
    fault = "Oops: general protection fault: 0000 [#1] PREEMPT SMP NOPTI"
    assert code(fault, *emulators) == verdict.PANIC
