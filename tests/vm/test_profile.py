# SPDX-License-Identifier: MIT OR GPL-2.0
"""Profiles from end to end: pfmon in a guest, its captures, pfmparse on the host.

hotloops does the same work in three functions in the ratio 6:3:1, and so must the
profiles be, whatever is sampled, in whatever format, and however the session is
attached. One boot for each kernel makes all captures.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boot
import pytest
from boot import ROOT, RUN

EXPECTED = {"hot_sixty": 60.0, "hot_thirty": 30.0, "hot_ten": 10.0}
# How far shares may be off, in percent. On arm64 the guest's time depends on its
# instructions only; on x86_64 the host's other work is in it, and what is masked
# meanwhile may be one function more than another.
TOLERANCE = {"arm64": 3.0, "x86_64": 7.0}
PERIOD = 100_000
MIN_PERCENT = 90.0
# Fewer than these would make a profile by chance.
MIN_SAMPLES = 500
CPUS = (0, 1)


@dataclass(frozen=True)
class Target(boot.Target):
    """A kernel, what is sampled on it, and how long hotloops runs there."""

    event: str
    rounds: int


@dataclass(frozen=True)
class Format:
    """A way to sample a command, and what pfmparse can count its samples by.

    options: of pfmon. keys: of report --by, besides function. x86: whether only x86
    has such samples. program: what does the work of hotloops. part: of the target's
    rounds. tool: what records it.
    """

    options: str
    keys: tuple[str, ...]
    x86: bool = False
    program: str = "hotloops"
    part: float = 1 / 2
    tool: str = "pfmon"


ENTRY_KEYS = ("ip", "line", "image", "tid", "cpu", "pmd")
PEBS64 = "pebs64 --smpl-imprecise --smpl-record"
# Large enough not to be full even if pfmon has to wait for its turn.
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
    # Records of 32 bits hold what a 32-bit program does; 64-bit sums take it longer.
    "pebs32": Format(
        "pebs32 --smpl-imprecise",
        ("ip", "image"),
        x86=True,
        program="hotloops32",
        part=1 / 4,
    ),
}
# The same, and the default one, recorded by a 32-bit program.
FORMATS["default-by-32-bits"] = Format("default", ENTRY_KEYS, tool="pfmon32")
FORMATS |= {
    f"{name}-by-32-bits": replace(form, tool="pfmon32")
    for name, form in FORMATS.items()
    if form.tool == "pfmon"
}
# Formats whose samples tell their process. The default one is often full: that is
# when pfmon reads the mappings of who was sampled.
SYSTEM_WIDE = {
    "default": "default --smpl-entries=256",
    "nway": f"nway {ROOMY}",
    "oprofile": "oprofile",
}
# Shell: take a capture again if the guest's timers were so late, as on a host with
# other work, that what a program does before its loops is too much of it.
TAKE = f"""
take() {{
    for try in 1 2 3 4 5 6 7 8; do
        "$@" 2>/tmp/said
        cat /tmp/said
        taken=$(sed -n 's/^pfmon: \\([0-9]*\\) samples, .*/\\1/p' /tmp/said)
        if [ "$taken" -ge {4 * MIN_SAMPLES} ]; then break; fi
    done
}}
"""
SUMMARY = re.compile(r"pfmon: (\d+) samples, (\d+) lost, .* -> /out/(.*)\.cap")

X86_64 = [Target("x86_64", series, "cpu-clock", 2000) for series in ("6.12", "7.3")]
TARGETS = [*X86_64, Target("arm64", "6.1", "cycles", 200)]
Captures = Callable[[Target], Path]


def _formats(target: Target) -> list[str]:
    """Return the names of the formats that are recorded on a target."""
    if target in X86_64:
        return list(FORMATS)
    native = [name for name in FORMATS if FORMATS[name].tool == "pfmon"]
    return [name for name in native if not FORMATS[name].x86]


def _missing_tool(form: Format) -> str | None:
    """Return why a program of a format is not there, None if all are."""
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
    work = f"hotloops {target.rounds}"
    lines = [
        "set -e",
        # What emulated CPUs do not survive well: see keep_events.c.
        "keep_events",
        TAKE if target in X86_64 else 'take() { "$@"; }',
        f"take {sample} -o /out/command.cap {work}",
        # pfmon ends with the thread that it is attached to.
        f"{work} & {sample} -o /out/attached.cap --attach-task $!",
    ]
    for name in _formats(target):
        form = FORMATS[name]
        if _missing_tool(form):
            continue
        rounds = int(target.rounds * form.part)
        chosen = f"--smpl-module={form.options} -o /out/{name}.cap"
        lines.append(f"take {form.tool} {sampling} {chosen} {form.program} {rounds}")
    if target in X86_64:
        pinned = " & ".join(f"taskset -c {cpu} {work}" for cpu in CPUS)
        for name, options in SYSTEM_WIDE.items():
            chosen = f"--smpl-module={options} -o /out/system-{name}.cap"
            lines.append(f"take {sample} {chosen} --system-wide sh -c '{pinned}; wait'")
    return "\n".join(lines)


@pytest.fixture(scope="session")
def captures_of(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    """Return the directory of a target's captures; boots it when first asked.

    What pfmon said is there, too, as "output".
    """
    made: dict[Target, Path] = {}

    def get(target: Target) -> Path:
        if target not in made:
            boot.need(target)
            out = tmp_path_factory.mktemp(str(target))
            where = ("--arch", target.arch, "--kernel", target.series)
            done = subprocess.run(
                [RUN, *where, "--out", out, "--", "sh", "-c", _script(target)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                text=True,
            )
            assert done.returncode == 0, done.stdout
            (out / "output").write_text(done.stdout)
            made[target] = out
        return made[target]

    return get


def _parse(command: str, *args: str | Path) -> str:
    """Run pfmparse; it must succeed without a complaint."""
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", command, "--json", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _report(target: Target, capture: Path, by: str) -> dict[str, Any]:
    """Return a capture's report, from which nothing is missing."""
    built = ROOT / "build" / target.arch
    symfs = ("--symfs", built, "--symfs", built / "tests")
    report: dict[str, Any] = json.loads(_parse("report", "--by", by, *symfs, capture))
    assert not report["truncated"] and not report["problems"]
    assert report["lost"] == 0
    assert not any(report["lost_in_buffers"].values())
    return report


def _rows(target: Target, capture: Path, by: str) -> list[dict[str, Any]]:
    """Return the rows of a capture's report."""
    rows: list[dict[str, Any]] = _report(target, capture, by)["rows"]
    return rows


def _shares(target: Target, capture: Path) -> dict[str, float]:
    """Return the shares of the three functions in what hotloops did."""
    rows = _rows(target, capture, "function")
    hot = {row["symbol"]: row["count"] for row in rows if row["symbol"] in EXPECTED}
    total = sum(hot.values())
    assert total >= MIN_SAMPLES
    return {name: 100 * count / total for name, count in hot.items()}


def _check_shares(target: Target, capture: Path) -> None:
    """Compare the shares of the three functions with what they must be."""
    tolerance = TOLERANCE[target.arch]
    assert _shares(target, capture) == pytest.approx(EXPECTED, abs=tolerance)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_command(target: Target, captures_of: Captures) -> None:
    capture = captures_of(target) / "command.cap"
    _check_shares(target, capture)
    # Little else is in a command's profile: the loader, and what calls the three.
    rows = _rows(target, capture, "function")
    percent = sum(row["percent"] for row in rows if row["symbol"] in EXPECTED)
    assert percent > MIN_PERCENT


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_attached_task(target: Target, captures_of: Captures) -> None:
    _check_shares(target, captures_of(target) / "attached.cap")


@pytest.mark.parametrize("name", SYSTEM_WIDE)
@pytest.mark.parametrize("target", X86_64, ids=str)
def test_system_wide_on_two_cpus(
    target: Target, name: str, captures_of: Captures
) -> None:
    capture = captures_of(target) / f"system-{name}.cap"
    _check_shares(target, capture)
    samples = {row["key"]: row["count"] for row in _rows(target, capture, "cpu")}
    assert set(samples) == set(CPUS)
    assert min(samples.values()) >= MIN_SAMPLES


@pytest.mark.parametrize(("target", "name"), list(_cases()), ids=str)
def test_format_agrees_with_the_default_one(
    target: Target, name: str, captures_of: Captures
) -> None:
    _need_tool(name)
    captures = captures_of(target)
    _check_shares(target, captures / f"{name}.cap")
    shares = _shares(target, captures / f"{name}.cap")
    default = _shares(target, captures / "command.cap")
    assert shares == pytest.approx(default, abs=TOLERANCE[target.arch])


@pytest.mark.parametrize(("target", "name"), list(_cases()), ids=str)
def test_format_is_read_as_it_was_recorded(
    target: Target, name: str, captures_of: Captures
) -> None:
    _need_tool(name)
    captures = captures_of(target)
    summaries = SUMMARY.findall((captures / "output").read_text())
    saved = {capture: (int(n), int(lost)) for n, lost, capture in summaries}
    info = json.loads(_parse("info", captures / f"{name}.cap"))
    assert saved[name] == (info["samples"], 0)
    dumped = _parse("dump", captures / f"{name}.cap").splitlines()
    assert len(dumped) == info["samples"]
    assert info["imprecise"] == (info["samples"] if FORMATS[name].x86 else 0)


@pytest.mark.parametrize(("target", "name"), list(_cases()), ids=str)
def test_format_is_reported_by_what_it_records(
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
