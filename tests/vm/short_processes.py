# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sample processes, mappings and kernel code that disappear before pfmon looks."""

from __future__ import annotations

import re
from pathlib import Path

import following
from boot import Boot

PROCESSES = 80
CAPTURE, LATE, REPLUGGED = "short.cap", "late.cap", "replugged.cap"
# The maximum percentage of samples in user space whose file is unknown.
MOST_UNKNOWN = 0.5
# The required number of samples in user space: with fewer, the percentage could be low
# by chance.
MIN_SAMPLES = 1000
LOOP = f"i=0; while [ $i -lt {PROCESSES} ]; do hotloops 1 >/dev/null; i=$((i+1)); done"

SAMPLE = "pfmon -e cpu-clock:u --long-smpl-periods=100000"
# A PID namespace with its own /proc, as in a container.
CONTAINED = "unshare --pid --fork --mount-proc"
# Sessions that monitor processes instead of CPUs, or run in a PID namespace: the
# captures, and the commands.
FOLLOWED = {
    "children.cap": f"{SAMPLE} --follow-all -o /out/children.cap sh -c '{LOOP}'",
    "inherited.cap": f"{SAMPLE} -o /out/inherited.cap sh -c '{LOOP}'",
    "contained.cap": f"{CONTAINED} {SAMPLE} -o /out/contained.cap sh -c '{LOOP}'",
    "contained-cpus.cap": f"{CONTAINED} {SAMPLE} --system-wide "
    f"-o /out/contained-cpus.cap sh -c '{LOOP}'",
    "brief.cap": f"{SAMPLE} -o /out/brief.cap map_briefly 1000",
    "attached.cap": "map_briefly 2000 & "
    f"{SAMPLE} --attach-process=$! -o /out/attached.cap",
    # The processes start when pfmon has attached to their parent.
    "parent.cap": f"mkfifo /tmp/attached; sh -c 'read -r _ </tmp/attached; {LOOP}' & "
    f"{SAMPLE} --attach-process=$! --follow-fork -o /out/parent.cap & pfmon=$!; "
    "while test -e /proc/$pfmon/fdinfo/0 && "
    "! grep -qs pfm_state:.started /proc/$pfmon/fdinfo/*; do :; done; "
    "echo >/tmp/attached; wait $pfmon",
}
# The maximum number of times that pfmon reads the mappings of processes in such a
# session: once for each process that runs already.
MOST_READS = 4
# A probe that counts how often any process has opened /proc/PID/maps.
PROBE, TRACING = "maps", "/sys/kernel/tracing"
# In this session, perf's records about the new processes fill perf's buffer more than
# once.
SERIES = "series.cap"
# pfmon is stopped while its command creates more mappings than perf's buffer has room
# for.
LATE_COMMAND = "late-command.cap"


# BPF programs that run one after the other, and the options of the sessions.
BPF_NAMES = ("first", "second")
UNLOADED = {"unloaded.cap": "--system-wide", "own.cap": ""}
# A module that is loaded while pfmon samples.
MODULE, MODULE_CAPTURE = "pfm_nmi", "module.cap"


def command() -> str:
    """Return the command that samples many short processes, one after the other."""
    sample = "pfmon --system-wide -e cpu-clock:u --long-smpl-periods=100000"
    return f"{sample} -o /out/{CAPTURE} sh -c '{LOOP}' 2>&1"


def command_late() -> str:
    """Return the command that stops pfmon until perf's buffers have overflowed."""
    many = "map_briefly 4000"
    sample = "pfmon --system-wide -e cpu-clock:u --long-smpl-periods=1000000"
    lines = [
        f"{sample} -o /out/{LATE} & pfmon=$!",
        f"until grep -q SESS /out/{LATE}; do :; done",
        f"kill -STOP $pfmon; {many}",
        "kill -CONT $pfmon; kill -INT $pfmon; wait $pfmon",
    ]
    return f"({'; '.join(lines)}) 2>&1"


def command_late_command() -> str:
    """Return the command that stops pfmon while the measured command runs."""
    sample = f"{SAMPLE} -o /out/{LATE_COMMAND} map_briefly 4000"
    lines = [
        f"{sample} & pfmon=$!",
        f"until grep -q CLCK /out/{LATE_COMMAND} && pidof map_briefly; do :; done",
        "kill -STOP $pfmon",
        "until grep -q '^State:.Z' /proc/$(pidof map_briefly)/status; do :; done",
        "kill -CONT $pfmon; wait $pfmon",
    ]
    return f"({'; '.join(lines)}) 2>&1"


def check_late(boot: Boot, name: str, capture: str) -> None:
    """Fail the test unless pfmon and its capture report lost events."""
    printed = boot.printed(name)
    assert boot.command(name) == 0, printed
    found = re.search(r"(\d+) of perf's records about processes were lost", printed)
    assert found, printed
    events = following.pfmparse("info", boot.out / capture)["process_events"]
    assert events == {"error": None, "lost": int(found[1])}


def command_followed() -> str:
    """Return the command that samples processes instead of CPUs."""
    series = f"{SAMPLE} -o /out/{SERIES} family series 6000 1"
    hits = rf"s/^ *{PROBE} *\([0-9]*\) .*/reads: \1/p"
    count = f"sed -n '{hits}' {TRACING}/kprobe_profile"
    lines = [
        f"echo p:{PROBE} pid_maps_open >>{TRACING}/kprobe_events",
        f"echo 1 >{TRACING}/events/kprobes/{PROBE}/enable",
        *(f"{run}; {count}" for run in FOLLOWED.values()),
        f"echo 0 >{TRACING}/events/kprobes/{PROBE}/enable",
        f"echo -:{PROBE} >>{TRACING}/kprobe_events",
        series,
    ]
    return f"({'; '.join(lines)}) 2>&1"


def check_followed(boot: Boot) -> None:
    """Fail the test unless the file of nearly all samples is known in each session."""
    assert boot.command("followed") == 0, boot.printed("followed")
    for capture in FOLLOWED:
        check_files(boot.out / capture)
    # perf's records describe all new mappings, so pfmon reads only those that exist.
    reads = re.findall(r"^reads: (\d+)$", boot.printed("followed"), re.M)
    sums = [0, *map(int, reads)]
    new = {name: b - a for name, a, b in zip(FOLLOWED, sums, sums[1:])}
    assert len(new) == len(FOLLOWED) and max(new.values()) <= MOST_READS, new
    for capture in ("children.cap", "inherited.cap", "contained.cap"):
        check_names(boot.out / capture)
    info = following.pfmparse("info", boot.out / SERIES)
    assert info["process_events"] == {"error": None, "lost": 0}


def check_names(capture: Path) -> None:
    """Fail the test unless the capture contains the names of all short processes."""
    threads = following.pfmparse("info", capture)["threads"]
    names = [thread["comm"] for thread in threads]
    assert names.count("hotloops") == PROCESSES


def check_files(capture: Path, parallel: bool = False) -> set[str]:
    """Fail the test unless nearly all samples have a known file; return the files.

    If the guest's CPUs run at the same time, the shares depend on the host's load.
    They are not checked there.
    """
    info = following.pfmparse("info", capture)
    assert info["process_events"] == {"error": None, "lost": 0}
    assert info["proc"] is None
    report = following.pfmparse("report", "--user", "--by", "image", capture)
    samples = {row["key"]: row["count"] for row in report["rows"]}
    unknown = samples.pop("[unknown]", 0)
    if not parallel:
        assert report["total"] >= MIN_SAMPLES, capture
        assert 100 * unknown / report["total"] <= MOST_UNKNOWN, capture
    return set(samples)


def command_replugged() -> str:
    """Return the command that runs processes on a CPU that was offline before."""
    online = "/sys/devices/system/cpu/cpu1/online"
    some = "i=0; while [ $i -lt 8 ]; do taskset -c 1 hotloops 1; i=$((i+1)); done"
    run = f"echo 0 >{online}; echo 1 >{online}; {some}"
    sample = "pfmon --system-wide -e cpu-clock:u --long-smpl-periods=1000000"
    return f"{sample} -o /out/{REPLUGGED} sh -c '{run}' 2>&1"


def check_replugged(boot: Boot) -> None:
    """Fail the test unless pfmon has noticed that a CPU was offline."""
    assert boot.command("replugged") == 0, boot.printed("replugged")
    info = following.pfmparse("info", boot.out / REPLUGGED)
    assert info["process_events"] == {"error": None, "lost": 1}
    names = [thread["comm"] for thread in info["threads"]]
    # Processes that ran before pfmon noticed that the CPU was back have no names.
    assert "hotloops" in names


def command_unloaded() -> str:
    """Return the command that samples BPF programs which are unloaded at the end."""
    runs = [f"run_bpf {name} 50000" for name in BPF_NAMES]
    run = " && ".join([*runs, '! grep "bpf_prog_.*_first" /proc/kallsyms'])
    sample = "pfmon -e cpu-clock:k --long-smpl-periods=100000"
    lines = [
        f"{sample} {options} -o /out/{capture} sh -c '{run}'"
        for capture, options in UNLOADED.items()
    ]
    return f"({' && '.join(lines)}) 2>&1"


def command_module(insert: str) -> str:
    """Return the command that samples a module; ``insert`` loads it."""
    run = f"{insert} && echo -1 100000 >/sys/kernel/debug/pfm_nmi/fire"
    sample = "pfmon --system-wide -e cpu-clock:k --long-smpl-periods=20000"
    return f"{sample} -o /out/{MODULE_CAPTURE} sh -c '{run}' 2>&1 && rmmod {MODULE}"


def check_module(boot: Boot) -> None:
    """Fail the test unless samples in a newly loaded module have function names.

    The module is loaded while pfmon samples.
    """
    assert boot.command("module") == 0, boot.printed("module")
    counts = counts_in(f"[{MODULE}]", boot.out / MODULE_CAPTURE)
    assert counts["rig_send"] >= 20, counts


def check_unloaded(boot: Boot) -> None:
    """Fail the test unless samples in unloaded BPF programs show the program names."""
    assert boot.command("unloaded") == 0, boot.printed("unloaded")
    for capture in UNLOADED:
        counts = counts_in("[bpf]", boot.out / capture)
        names = {re.sub("^bpf_prog_[0-9a-f]{16}_", "", name) for name in counts}
        assert names == set(BPF_NAMES), capture
        assert min(counts.values()) >= MIN_SAMPLES, capture


def counts_in(where: str, capture: Path) -> dict[str, int]:
    """Return the number of samples in each function of an object."""
    report = following.pfmparse("report", "--by", "function", capture)
    return {
        row["symbol"]: row["count"] for row in report["rows"] if row["object"] == where
    }


def check(boot: Boot, parallel: bool) -> None:
    """Fail the test unless the file of nearly all samples is known."""
    assert boot.command("short") == 0, boot.printed("short")
    capture = boot.out / CAPTURE
    files = check_files(capture, parallel)
    assert any(name.endswith("/hotloops") for name in files)
    check_names(capture)
