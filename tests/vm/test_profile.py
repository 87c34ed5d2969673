# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare profiles with known work: pfmon runs in a guest, pfmparse on the host.

hotloops does the same work in three functions in the ratio 6:3:1. Profiles must show
this ratio for each event, each format and each way to attach. One boot per kernel makes
all captures.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import boot
import build_parts
import packages
import programs
import pytest
from boot import ROOT

SVG = "{http://www.w3.org/2000/svg}"
TINY = 1e-6  # tolerance, as a fraction of a picture's width
EXPECTED = {"hot_sixty": 60.0, "hot_thirty": 30.0, "hot_ten": 10.0}
# Tolerance of shares, in percent.
TOLERANCE = 3.0
PERIOD = 100_000
# The minimum percentage of a profile in the program itself. The rest is in the loader.
MIN_PERCENT = 90.0
# The required number of samples: with fewer, a profile could be right by chance.
MIN_SAMPLES = 500


@dataclass(frozen=True)
class Target(boot.Target):
    """A kernel, the event to sample, the rounds of hotloops, and the number of CPUs.

    With one CPU, the guest's time depends only on the instructions that it executes.
    """

    event: str
    rounds: int
    cpus: int


@dataclass(frozen=True)
class Format:
    """The options to sample a command with a format, and the keys of its reports.

    options: the value of --smpl-module, followed by other options of pfmon. keys: keys
    that `report --by` accepts for the format, besides function. x86: whether the format
    exists only on x86. program: a program to sample instead of hotloops. part: the
    fraction of the target's rounds to run. tool: the program that records.
    """

    options: str
    keys: tuple[str, ...]
    x86: bool = False
    program: str = "hotloops"
    part: float = 1 / 2
    tool: str = "pfmon"


ENTRY_KEYS = ("ip", "line", "image", "tid", "cpu", "pmd")
PEBS64 = "pebs64 --smpl-imprecise --smpl-record"
# Regions that are so large that they do not fill up while pfmon waits for a CPU.
ROOMY = "--smpl-entries=8192 --smpl-regions=8"
FORMATS = {
    "nway": Format(f"nway {ROOMY}", ENTRY_KEYS),
    "masking": Format(f"nway {ROOMY} --smpl-mask-when-full", ENTRY_KEYS),
    "oprofile": Format("oprofile", ("line", "image", "tid", "cpu", "event", "kernel")),
    "base": Format(f"{PEBS64}=base", ("ip", "line", "image", "pmd"), x86=True),
    "skylake": Format(
        f"{PEBS64}=skylake",
        ("image", "pmd", "data-address", "latency", "data-source"),
        x86=True,
    ),
    # Only 32-bit programs get 32-bit PEBS records. hotloops32 takes longer per round
    # than hotloops, because its sums have 64 bits.
    "pebs32": Format(
        "pebs32 --smpl-imprecise",
        ("ip", "image"),
        x86=True,
        program="hotloops32",
        part=1 / 4,
    ),
}
# Other tests of this folder or of tests/packages record these formats.
ELSEWHERE = {"callstack", "cgroup_counts", "flight", "histogram", "stacks"}
# 32-bit pfmon records the default format and all others. `make check` tests the others
# on only one kernel.
BY_32_BITS = "default-by-32-bits"
FORMATS[BY_32_BITS] = Format("default", ENTRY_KEYS, tool="pfmon32")
FORMATS |= {
    f"{name}-by-32-bits": replace(form, tool="pfmon32")
    for name, form in FORMATS.items()
    if form.tool == "pfmon"
}
# Formats whose samples contain a process ID. The default format has a small buffer, so
# that pfmon often reads the mappings of the sampled process.
SYSTEM_WIDE = {
    "default": "default --smpl-entries=256",
    "nway": f"nway {ROOMY}",
    "oprofile": "oprofile",
}
# The expected percentages of the functions of made_code, and its number of rounds.
MADE = {"made_often()": 60.0, "made_seldom": 20.0, "replaced()": 5.0, "replacing": 15.0}
MADE_ROUNDS = 20
# Run made_code with a private /tmp, which disappears when the program ends.
PRIVATE = "unshare -m sh -c 'mount -t tmpfs none /tmp; exec made_code {}'"
# The OProfile bridge's parameters. With a trace depth of DEPTH, the bridge records the
# callers in hotframes, which is hotloops with frame pointers.
BRIDGE = "/sys/module/pfm_fmt_oprofile/parameters"
TRACED = "traced"
DEPTH = 16
# The maximum drift between the clocks.
DRIFT = 1 / 1000
SUMMARY = re.compile(r"pfmon: (\d+) samples, (\d+) lost, .* -> /out/(.*)\.cap")

X86_64 = [Target("x86_64", series, "cpu-clock", 200, 1) for series in ("6.12", "7.3")]
TARGETS = [*X86_64, Target("arm64", "6.1", "cycles", 200, 2)]
Captures = Callable[[Target], Path]


def _formats(target: Target) -> list[str]:
    """Return the names of the formats that are recorded on a target."""
    if target == X86_64[0] or (target in X86_64 and programs.ALL):
        return list(FORMATS)
    native = [name for name in FORMATS if FORMATS[name].tool == "pfmon"]
    if target in X86_64:
        return [*native, BY_32_BITS]
    return [name for name in native if not FORMATS[name].x86]


def _missing_tool(form: Format) -> str | None:
    """Return the reason why a format's program is missing, or None if it exists."""
    narrow = any(name.endswith("32") for name in (form.tool, form.program))
    return boot.without_narrow() if narrow else None


def _need_tool(name: str) -> None:
    reason = _missing_tool(FORMATS[name])
    if reason:
        pytest.skip(reason)


def _cases() -> Iterator[tuple[Target, str]]:
    for target in TARGETS:
        for name in _formats(target):
            yield target, name


def _script(target: Target) -> str:
    """Return the shell script that makes the captures in a guest."""
    sampling = f"-e {target.event} --long-smpl-periods={PERIOD}"
    sample = f"pfmon {sampling}"
    # Monitor a single thread without inheritance: if its buffer is full, monitoring
    # pauses. With inheritance, samples would be lost instead.
    alone = f"{sample} --no-inherit"
    work = f"hotloops {target.rounds}"
    lines = [
        "set -e",
        f"{alone} -o /out/command.cap {work}",
        # pfmon ends when the monitored thread ends. On one CPU, the thread cannot end
        # before pfmon has attached.
        f"taskset -c 0 {work} &",
        f"taskset -c 0 {sample} -o /out/attached.cap --attach-task $!",
    ]
    # The buffer is so small that it is sometimes full while the program's thread still
    # exists. Use one CPU, because a test compares the samples' times with pfmon's, and
    # perf's clock may differ slightly between CPUs.
    often = f"taskset -c 0 {alone} --smpl-entries=64"
    lines.append(f"{often} -o /out/made.cap made_code {MADE_ROUNDS}")
    lines.append(f"{often} -o /out/private.cap {PRIVATE.format(MADE_ROUNDS)}")
    lines.append(f"{sample} -o /out/made-family.cap made_code {MADE_ROUNDS}")
    everything = f"{sample} --smpl-entries=64 --data-maps --system-wide"
    lines.append(f"{everything} -o /out/made-system.cap made_code {MADE_ROUNDS}")
    for name in _formats(target):
        form = FORMATS[name]
        if _missing_tool(form):
            continue
        rounds = int(target.rounds * form.part)
        chosen = f"--smpl-module={form.options} -o /out/{name}.cap"
        one = f"{form.tool} {sampling} --no-inherit"
        lines.append(f"{one} {chosen} {form.program} {rounds}")
    # The bridge reads these parameters when its device is opened.
    lines.append("modprobe pfm_fmt_oprofile")
    lines.append(f"echo {DEPTH} >{BRIDGE}/trace_depth")
    traced = f"--smpl-module=oprofile -o /out/{TRACED}.cap"
    rounds = int(target.rounds / 2)
    lines.append(f"{alone} {traced} hotframes {rounds}")
    lines.append(f"echo 0 >{BRIDGE}/trace_depth")
    pinned = " & ".join(f"taskset -c {cpu} {work}" for cpu in range(target.cpus))
    for name, options in SYSTEM_WIDE.items():
        chosen = f"--smpl-module={options} -o /out/system-{name}.cap"
        lines.append(f"{sample} {chosen} --system-wide sh -c '{pinned}; wait'")
    return "\n".join(lines)


@pytest.fixture(scope="session")
def captures_of(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    """Return a function that returns the directory of a target's captures.

    The first call for a target boots its guest. The directory's file "output" contains
    pfmon's output.
    """
    made: dict[Target, Path] = {}

    def get(target: Target) -> Path:
        if target not in made:
            out = tmp_path_factory.mktemp(str(target))
            options = ["--icount"] if target.arch == "x86_64" else []
            options += [f"--smp={target.cpus}", "--timeout=900"]
            boot.run_script(target, _script(target), out, *options)
            made[target] = out
        return made[target]

    return get


def _parse(command: str, *args: str | Path) -> str:
    """Run pfmparse, which must succeed without a warning; return its output."""
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", command, "--json", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _symfs(target: Target) -> Iterator[str]:
    """Yield the options that name the directories of a guest's programs."""
    built = ROOT / "build" / target.arch
    shell = packages.unpacked_any("busybox-static", build_parts.DEBIAN[target.arch])
    for folder in (built, built / "tests", shell):
        yield f"--symfs={folder}"


@cache
def _report(target: Target, capture: Path, by: str) -> dict[str, Any]:
    """Return a capture's report; no samples may be lost and no symbols missing."""
    options = ("--by", by, *_symfs(target))
    report: dict[str, Any] = json.loads(_parse("report", *options, capture))
    assert not report["truncated"] and not report["problems"]
    # If the virtual CPUs run in turns, a counter may overflow twice while its CPU
    # waits, and one sample is lost.
    assert report["lost"] == 0 or (target.cpus > 1 and "system" in capture.name)
    assert not any(report["lost_in_buffers"].values())
    return report


def _rows(target: Target, capture: Path, by: str) -> list[dict[str, Any]]:
    """Return the rows of a capture's report."""
    rows: list[dict[str, Any]] = _report(target, capture, by)["rows"]
    return rows


def _shares(target: Target, capture: Path) -> dict[str, float]:
    """Return the percentages of the samples in hotloops's three functions."""
    rows = _rows(target, capture, "function")
    hot = {row["symbol"]: row["count"] for row in rows if row["symbol"] in EXPECTED}
    total = sum(hot.values())
    assert total >= MIN_SAMPLES
    return {name: 100 * count / total for name, count in hot.items()}


def _check_shares(target: Target, capture: Path) -> None:
    """Check the percentages of the three functions."""
    assert _shares(target, capture) == pytest.approx(EXPECTED, abs=TOLERANCE)


def test_every_format_is_recorded() -> None:
    here = {form.options.split()[0] for form in FORMATS.values()}
    assert here | ELSEWHERE == set(programs.FORMATS)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_command(target: Target, captures_of: Captures) -> None:
    capture = captures_of(target) / "command.cap"
    _check_shares(target, capture)
    # The rest of the profile, in the loader and in the functions' callers, is small.
    rows = _rows(target, capture, "function")
    percent = sum(row["percent"] for row in rows if row["symbol"] in EXPECTED)
    assert percent > MIN_PERCENT


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_attached_task(target: Target, captures_of: Captures) -> None:
    _check_shares(target, captures_of(target) / "attached.cap")


@pytest.mark.parametrize("name", SYSTEM_WIDE)
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_system_wide_on_all_cpus(
    target: Target, name: str, captures_of: Captures
) -> None:
    capture = captures_of(target) / f"system-{name}.cap"
    # If the virtual CPUs run in turns, overflows are reported at the end of a turn, so
    # the percentages differ.
    if target.cpus == 1:
        _check_shares(target, capture)
    samples = {row["key"]: row["count"] for row in _rows(target, capture, "cpu")}
    assert set(samples) == set(range(target.cpus))
    assert min(samples.values()) >= MIN_SAMPLES


@pytest.mark.parametrize(("target", "name"), list(_cases()), ids=str)
def test_format_agrees_with_default_format(
    target: Target, name: str, captures_of: Captures
) -> None:
    _need_tool(name)
    captures = captures_of(target)
    _check_shares(target, captures / f"{name}.cap")
    shares = _shares(target, captures / f"{name}.cap")
    default = _shares(target, captures / "command.cap")
    assert shares == pytest.approx(default, abs=TOLERANCE)


@pytest.mark.parametrize(("target", "name"), list(_cases()), ids=str)
def test_format_is_read_without_losses(
    target: Target, name: str, captures_of: Captures
) -> None:
    _need_tool(name)
    captures = captures_of(target)
    summaries = SUMMARY.findall((captures / "output").read_text())
    saved = {capture: (int(n), int(lost)) for n, lost, capture in summaries}
    info = _info(captures / f"{name}.cap")
    assert saved[name] == (info["samples"], 0)
    dumped = _parse("dump", captures / f"{name}.cap").splitlines()
    assert len(dumped) == info["samples"]
    assert info["imprecise"] == (info["samples"] if FORMATS[name].x86 else 0)


@pytest.mark.parametrize(("target", "name"), list(_cases()), ids=str)
def test_format_is_reported_by_all_keys(
    target: Target, name: str, captures_of: Captures
) -> None:
    _need_tool(name)
    capture = captures_of(target) / f"{name}.cap"
    for key in FORMATS[name].keys:
        report = _report(target, capture, key)
        assert sum(row["count"] for row in report["rows"]) == report["total"]
        if key == "image":
            assert report["rows"][0]["key"].endswith(f"/{FORMATS[name].program}")
            assert report["rows"][0]["percent"] > MIN_PERCENT
        if key in ("tid", "pmd", "event", "kernel"):
            assert len(report["rows"]) == 1


def _exported(target: Target, capture: Path, to: str, path: Path) -> Path:
    """Export a capture; return the exported file."""
    options = [*_symfs(target), "--to", to, "-o", str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", "export", capture, *options],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return path


def _check_parts(target: Target, sums: dict[str, float]) -> None:
    """Check the sums of the three functions against the expected percentages."""
    total = sum(sums.values())
    parts = {name: 100 * part / total for name, part in sums.items()}
    assert parts == pytest.approx(EXPECTED, abs=TOLERANCE)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_call_chains_become_folded_stacks(
    target: Target, captures_of: Captures, tmp_path: Path
) -> None:
    capture = captures_of(target) / f"{TRACED}.cap"
    path = _exported(target, capture, "folded", tmp_path / "folded")
    sums: dict[str, float] = dict.fromkeys(EXPECTED, 0)
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        # work() is inlined into the three functions and is the last frame of the stack.
        found = re.search(r";main;(\w+);work$", stack)
        if found:
            sums[found[1]] += int(count)
    assert sum(sums.values()) >= MIN_SAMPLES
    _check_parts(target, sums)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_call_chains_become_a_flame_graph(
    target: Target, captures_of: Captures, tmp_path: Path
) -> None:
    capture = captures_of(target) / f"{TRACED}.cap"
    path = _exported(target, capture, "svg", tmp_path / "x.svg")
    boxes = [
        (group.attrib["data-n"], int(group.attrib["data-d"]), *_span(group))
        for group in ElementTree.parse(path).getroot().iter(f"{SVG}g")
        if "data-n" in group.attrib
    ]
    # Find the widest box of each name. The boxes of the three functions must be on top
    # of the box of main().
    widest = {name: (d, x, w) for name, d, x, w in sorted(boxes, key=lambda b: b[3])}
    depth, start, width = widest["main"]
    for name in EXPECTED:
        at, x, part = widest[name]
        assert at == depth + 1 and start - TINY <= x <= start + width - part + TINY
    _check_parts(target, {name: widest[name][2] for name in EXPECTED})


def _span(group: ElementTree.Element) -> tuple[float, float]:
    return float(group.attrib["data-x"]), float(group.attrib["data-w"])


def _made(target: Target, capture: Path) -> None:
    """Check the percentages of functions that were generated at run time."""
    rows = _rows(target, capture, "function")
    made = {row["key"]: row["percent"] for row in rows if row["object"] == "[jit]"}
    assert sum(row["count"] for row in rows) >= MIN_SAMPLES
    total = sum(made.values())
    shares = {name: 100 * percent / total for name, percent in made.items()}
    assert shares == pytest.approx(MADE, abs=TOLERANCE)


@pytest.mark.parametrize("name", ["made", "made-family", "made-system"])
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_generated_functions_have_names(
    target: Target, name: str, captures_of: Captures
) -> None:
    _made(target, captures_of(target) / f"{name}.cap")


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_generated_names_in_private_tmp(target: Target, captures_of: Captures) -> None:
    _made(target, captures_of(target) / "private.cap")


@cache
def _info(capture: Path) -> Any:
    return json.loads(_parse("info", capture))


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_threads_have_their_names(target: Target, captures_of: Captures) -> None:
    (context,) = _info(captures_of(target) / "made.cap")["contexts"]
    threads = _info(captures_of(target) / "made.cap")["threads"]
    assert {thread["comm"] for thread in threads} == {"made_code", "bystander"}
    assert {thread["tgid"] for thread in threads} == {context["tid"]}
    everything = _info(captures_of(target) / "made-system.cap")
    names = {thread["comm"] for thread in everything["threads"]}
    assert {"kthreadd", "made_code", "bystander", "pfmon"} <= names


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_mappings_of_data_are_listed_on_demand(
    target: Target, captures_of: Captures
) -> None:
    captures = captures_of(target)
    stacks = {
        name: b'"path":"[stack]"' in (captures / f"{name}.cap").read_bytes()
        for name in ("made", "made-system")
    }
    assert stacks == {"made": False, "made-system": True}


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_samples_are_between_start_and_end(
    target: Target, captures_of: Captures
) -> None:
    capture = captures_of(target) / "made.cap"
    start, end = _info(capture)["clocks"]
    times = [
        json.loads(line)["tstamp"] for line in _parse("dump", capture).splitlines()
    ]
    assert start["perf_ns"] < min(times) and max(times) < end["perf_ns"]
    for name in ("realtime_ns", "monotonic_ns", "boottime_ns"):
        assert start[name] < end[name]
    assert (start["tsc"] is None) == (target.arch == "arm64")


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_clocks_of_start_and_end_agree(target: Target, captures_of: Captures) -> None:
    start, end = _info(captures_of(target) / "made.cap")["clocks"]
    passed = {
        name: end[name] - start[name]
        for name in ("perf_ns", "realtime_ns", "monotonic_ns", "boottime_ns")
    }
    unsure = start["uncertainty_ns"] + end["uncertainty_ns"]
    unsure += DRIFT * passed["monotonic_ns"]
    for time in passed.values():
        assert time == pytest.approx(passed["monotonic_ns"], abs=unsure)
