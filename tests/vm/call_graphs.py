# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record call graphs of Debian's own programs, which have no frame pointers."""

from __future__ import annotations

from collections.abc import Iterator

import following
from boot import Boot

# Debian's programs that the guest has in /perfmon/bin.
PROGRAMS = ("/usr/bin/gzip", "/usr/bin/bash")
GZIP = "/perfmon/bin/gzip -c /tmp/zipped"
LOOP = "for ((i = 0; i < 30000; i++)); do x=$((x + i)); done"
BASH = f"/perfmon/bin/bash -c '{LOOP}'"
BASH_THEN_GZIP = f"/perfmon/bin/bash -c '{LOOP}; exec {GZIP}'"
RECORD = "pfmon -g -o /out/{}.cap"
# All samples of these commands are taken in the kernel.
OPENS = "/perfmon/bin/bash -c 'for ((i = 0; i < 5000; i++)); do :>/dev/null; done'"
SWITCHES = "-e context-switches --long-smpl-periods=1"
WIDE_SWITCHES = "-e sched:sched_switch --long-smpl-periods=1 --system-wide"
WAITS = "waits 20 1 >/dev/null"
# Create a root directory with copies of the dynamic linker and the libraries. pfmon
# loads the tables of these copies only when a program in this root directory is
# executed.
MAKE_ROOT = (
    "mkdir /tmp/root && cp -a /lib /lib64 /perfmon/bin/gzip /tmp/zipped /tmp/root"
)
# Sample so frequently that some samples are in the dynamic linker. With --follow-exec,
# pfmon traces the command, which stops at each exec until pfmon has loaded the new
# program's tables. chroot is not measured: it is part of Busybox, which lacks unwind
# information for some of its code.
ROOTED = "-F 50000 --follow-exec=^/gzip chroot /tmp/root /gzip -1c /zipped"
# Minimum percentage of complete chains. It is lower for system-wide sessions, which
# notice a new program only a little after its exec.
SHARES = {
    **{"gzip": 99.0, "bash": 99.0, "counted": 99.0, "switches": 99.0},
    **{"kernel": 99.0, "rooted": 99.5, "wide": 95.0, "wide-switches": 95.0},
}
MIN_CHAINS = 300
WHOLE, NO_TABLE = 1, 4  # values of enum pfm_unwind_why
UNWIND = "/dev/perfmon_unwind"


def options() -> Iterator[str]:
    """Yield the harness's options for the programs."""
    for program in PROGRAMS:
        yield f"--program={program}"


def command() -> str:
    """Return the command that records call graphs, first with tables, then without."""
    lines = [
        "head -c 3000000 /perfmon/bin/pfmon >/tmp/zipped",
        f"{RECORD.format('gzip')} {GZIP} >/dev/null",
        f"{RECORD.format('bash')} {BASH}",
        f"{RECORD.format('execed')} {BASH_THEN_GZIP} >/dev/null",
        f"{RECORD.format('counted')} --smpl-module=stacks {GZIP} >/dev/null",
        f"{RECORD.format('kernel')} -k -F 10000 {OPENS}",
        f"{RECORD.format('wide')} --system-wide {GZIP} >/dev/null",
        f"{MAKE_ROOT} && {RECORD.format('rooted')} {ROOTED} >/dev/null",
        f"{RECORD.format('switches')} {SWITCHES} {WAITS}",
        f"{RECORD.format('wide-switches')} {WIDE_SWITCHES} {WAITS}",
        f"mv {UNWIND} /dev/moved",
        f"{RECORD.format('none')} {GZIP} >/dev/null",
        f"mv /dev/moved {UNWIND} && rm -r /tmp/root /tmp/zipped /root/.cache",
        "rmmod pfm_fmt_callstack pfm_fmt_stacks pfm_unwind",
    ]
    return f"({' && '.join(lines)}) 2>&1"


def check(boot: Boot, name: str) -> None:
    """Fail the test unless nearly all user call chains of a capture are complete."""
    assert boot.command("call_graphs") == 0, boot.printed("call_graphs")
    ends = following.pfmparse("info", boot.out / f"{name}.cap")["user_chains"]
    # At a process's first sample, the kernel does not know the process's mappings.
    ends.pop("unknown_mappings", None)
    total = sum(ends.values())
    assert total >= MIN_CHAINS, ends
    assert 100 * ends["whole"] / total >= SHARES[name], ends


def check_root(boot: Boot) -> None:
    """Fail the test unless a new dynamic linker had a table from the exec on.

    The libraries get their tables a little later, maybe after the first sample in them.
    """
    linker = ("--object", "*/ld-linux-x86-64.so.*")
    capture = boot.out / "rooted.cap"
    rows = following.pfmparse("report", capture, "--by", "user_end", *linker)["rows"]
    ends = {row["key"] for row in rows}
    assert WHOLE in ends and NO_TABLE not in ends, rows


def check_exec(boot: Boot) -> None:
    """Fail the test unless the samples before an exec show the old program's code."""
    capture = boot.out / "execed.cap"
    rows = following.pfmparse("report", capture, "--by", "image")["rows"]
    counts = {row["key"]: row["count"] for row in rows}
    for program in ("bash", "gzip"):
        assert counts.get(f"/perfmon/bin/{program}", 0) >= MIN_CHAINS, counts


def check_without_device(boot: Boot) -> None:
    """Fail the test unless a session without tables warns once and continues."""
    printed = boot.printed("call_graphs")
    assert printed.count("call chains follow frame pointers") == 1, printed
    info = following.pfmparse("info", boot.out / "none.cap")
    assert info["samples"] >= MIN_CHAINS
    assert info["user_chains"] is None
