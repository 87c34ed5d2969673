# SPDX-License-Identifier: MIT OR GPL-2.0
"""How a run ends: the exit codes, and what a kernel log says about a guest.

Exit codes of scripts/vm/run, other than the command's own:

    120  the harness could not set the guest up (also: bad arguments)
    121  the guest's kernel panicked
    122  the guest's kernel warned, oopsed or reported a bug (a splat in its log)
    123  the guest did not end in time
    124  the guest ended without a verdict
    125  the command's own exit status was one of 120 to 125

The worst of these wins over the command's status: a panic, then a splat, then the
time, then the missing verdict.
"""

from __future__ import annotations

import re

SETUP = 120
PANIC = 121
SPLAT = 122
TIMEOUT = 123
NO_VERDICT = 124
RESERVED_STATUS = 125

_STAMP = re.compile(r"^\[ *\d+\.\d+\](?:\[[^]]*\])? ")
_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
# Memory that was denied is told with a trace. A program that asks for that on purpose
# says so: it is no fault then.
_DENIED = re.compile(
    r"\S+: (?:vmalloc error|page allocation failure): "
    r"|__kmem_cache_create_args\(\w+\) failed with error -12"
)
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
            r"rcu: INFO: .*detected",
            r"kmemleak: \d+ new suspected memory leaks",
        )
    )
)


def judge(log: str, *, may_deny: bool = False) -> tuple[int, str] | None:
    """Return (exit code, reason) if the kernel log tells of a fault, else None.

    may_deny: that the kernel denies memory is no fault.
    """
    if may_deny:
        log = _without_denials(log)
    panic = _first(_PANIC, log, stamped=True)
    if panic and "panic_on_warn" not in panic:
        return PANIC, f"the guest's kernel panicked: {panic}"
    splat = find_splat(log, stamped=True) or panic
    return (SPLAT, f"the guest's kernel complained: {splat}") if splat else None


def find_splat(log: str, *, stamped: bool) -> str | None:
    """Return the first message of the log with which a kernel reports a fault.

    stamped: whether the kernel's messages have time stamps; lines without are ignored.
    """
    return _first(_SPLAT, log, stamped=stamped)


def _without_denials(log: str) -> str:
    """Return the log without the first line of the traces of denied memory."""
    kept = []
    denied = False
    for line in log.splitlines():
        message, has_stamp = _STAMP.subn("", line)
        if denied and has_stamp and _TRACE.match(message):
            denied = False
            continue
        denied |= bool(has_stamp and _DENIED.match(message))
        kept.append(line)
    return "\n".join(kept)


def _first(pattern: re.Pattern[str], log: str, *, stamped: bool) -> str | None:
    """Return the first message that the pattern matches from its start on."""
    for line in log.splitlines():
        message, has_stamp = _STAMP.subn("", line)
        if (has_stamp or not stamped) and pattern.match(message):
            return message.strip()
    return None
