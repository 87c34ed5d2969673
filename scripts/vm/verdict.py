# SPDX-License-Identifier: MIT OR GPL-2.0
"""The outcome of a run: exit codes, and faults that the kernel log shows.

Exit codes of scripts/vm/run, other than those of the command:

    119  the emulator executed code that the guest's kernel had replaced
    120  the guest could not be set up, or an argument is invalid
    121  the guest's kernel panicked
    122  the guest's kernel warned, oopsed or reported a bug (a splat in its log)
    123  the guest did not end in time
    124  the guest ended without reporting the command's exit status
    125  the command exited with a status of 119 to 125

119 and 121 to 124 take precedence over the command's status, in this order: fault of
the emulator (it explains all others), panic, splat, timeout, missing report.
"""

from __future__ import annotations

import re

EMULATOR = 119
SETUP = 120
PANIC = 121
SPLAT = 122
TIMEOUT = 123
NO_VERDICT = 124
RESERVED_STATUS = 125

RESERVED = range(EMULATOR, RESERVED_STATUS + 1)

# While the kernel patches an instruction, it puts an int3 there. QEMU 7.2 may execute
# this int3, or half of the new instruction, after the patching has ended.
_PATCHING = re.compile(r"(?:Oops: )?(int3|invalid opcode): ")
# The code in an oops: the byte before the faulting address, the byte at that address in
# <>, and the bytes after it.
_CODE = re.compile(r"Code: (?:[0-9a-f?]{2} )*?(..) <(..)>((?: ..)*)$")
# Instructions that the kernel writes when it patches code: nops of 5 and 2 bytes, call,
# jumps.
_PATCHED = re.compile(r"0f 1f 44 00 00|66 90|e8|e9|eb")

_STAMP = re.compile(r"^\[ *\d+\.\d+\](?:\[[^]]*\])? ")
_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
# The kernel logs a failed allocation with a call trace. Such traces are not faults if
# the caller of judge() expects failed allocations (may_deny).
_DENIED = re.compile(
    r"\S+: (?:vmalloc error|page allocation failure): "
    r"|__kmem_cache_create_args\(\w+\) failed with error -12"
)
# The kernel also logs a call trace when it kills a process for lack of memory. This is
# a fault only if the machine lacks memory, not if a control group is at its limit.
_KILLER = re.compile(r".* invoked oom-killer: ")
_TRACE = re.compile(r" *Call Trace:")
_SPLAT = re.compile(
    "|".join(
        (
            r"WARNING: ",
            r".*\bBUG: ",
            r".*kernel BUG at ",
            r".*\bOops\b",
            r".*Call [Tt]race:",
            r".*\bKASAN: ",
            r".*\bKCSAN: ",
            r".*\bUBSAN: ",
            r".*possible (?:circular|recursive|irq lock)",
            r".*inconsistent lock state",
            r".*suspicious RCU usage",
            r".*bad unlock balance",
            r".*held lock freed",
            r".*invalid wait context",
            r".*trying to register non-static key",
            r".*Unable to handle kernel",
            r"INFO: task .* blocked for more than",
            r"Out of memory: Killed process",
            r"rcu: INFO: .*detected",
            r"kmemleak: \d+ new suspected memory leaks",
        )
    )
)
_FAULT = re.compile(f"{_PATCHING.pattern}|{_SPLAT.pattern}")


def judge(
    log: str, *, may_deny: bool = False, parallel: bool = False
) -> tuple[int, str] | None:
    """Return (exit code, reason) if the kernel log shows a fault, else None.

    may_deny: failed allocations are not faults. parallel: the guest's CPUs run in
    separate threads, so the emulator may misread code while the kernel patches it.
    """
    site = _misread_patch(log) if parallel else None
    if site:
        return EMULATOR, f"the emulator executed code that had been patched: {site}"
    log = _without_traces(_KILLER, log)
    if may_deny:
        log = _without_traces(_DENIED, log)
    panic = _first(_PANIC, log, stamped=True)
    if panic and "panic_on_warn" not in panic:
        return PANIC, f"the guest's kernel panicked: {panic}"
    splat = find_splat(log, stamped=True) or panic
    return (SPLAT, f"the guest's kernel reported an error: {splat}") if splat else None


def find_splat(log: str, *, stamped: bool) -> str | None:
    """Return the first message of the log that reports a fault, None if none does.

    stamped: whether to ignore lines without a time stamp, which the kernel did not log.
    """
    return _first(_SPLAT, log, stamped=stamped)


def _misread_patch(log: str) -> str | None:
    """Return where the first oops occurred if the emulator caused it, else None.

    A real int3 or a real invalid opcode would still be in memory: the int3 just before
    the address of the exception, the opcode at the address. If memory has valid code
    there, the emulator has misread it.
    """
    fault = _first(_FAULT, log, stamped=True)
    if not fault or not _PATCHING.match(fault):
        return None
    site = kind = None
    for line in log.splitlines():
        message = _STAMP.sub("", line)
        oops = _PATCHING.match(message)
        code = _CODE.match(message)
        if kind is None and oops:
            kind = oops[1]
        elif kind and message.startswith("RIP: "):
            site = message.rpartition(":")[2]
        elif kind and code:
            before, at, after = code.groups()
            start = f"{before} {at}" if kind == "int3" else at
            return site if _PATCHED.match(start + after) else None
    return None


def _without_traces(pattern: re.Pattern[str], log: str) -> str:
    """Return the log without the "Call Trace:" lines that follow certain messages."""
    kept = []
    expected = False
    for line in log.splitlines():
        message, has_stamp = _STAMP.subn("", line)
        if expected and has_stamp and _TRACE.match(message):
            expected = False
            continue
        expected |= bool(has_stamp and pattern.match(message))
        kept.append(line)
    return "\n".join(kept)


def _first(pattern: re.Pattern[str], log: str, *, stamped: bool) -> str | None:
    """Return the first message whose start matches the pattern."""
    for line in log.splitlines():
        message, has_stamp = _STAMP.subn("", line)
        if (has_stamp or not stamped) and pattern.match(message):
            return message.strip()
    return None
