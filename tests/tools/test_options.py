# SPDX-License-Identifier: MIT OR GPL-2.0
"""pfmon's command line, and what it does without perfmon in the kernel."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

USAGE = 2
ERROR = 1


class Pfmon:
    """Runs pfmon and gives what it printed."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments], capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module", name="pfmon")
def fixture_pfmon(programs: Path) -> Pfmon:
    return Pfmon(programs / "pfmon")


def without_kernel() -> None:
    if Path("/dev/perfmon").exists():
        pytest.skip("this machine has a /dev/perfmon")


def test_help_names_every_long_option(pfmon: Pfmon) -> None:
    run = pfmon("--help")
    assert run.returncode == 0
    assert run.stderr == ""
    root = Path(__file__).resolve().parents[2]
    source = root / "tools" / "pfmon" / "option_table.c"
    options = re.findall(r'\.name = "([a-z-]+)"', source.read_text("utf-8"))
    assert len(options) > 20
    assert [name for name in options if f"--{name}" not in run.stdout] == []


def test_version(pfmon: Pfmon) -> None:
    assert pfmon("--version").stdout == "pfmon 0.6\n"


SAMPLING = ("-e", "cpu-clock", "--long-smpl-periods=1000")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "no event given"),
        (("-e", "", "true"), "empty event name"),
        (("-e", "a,,b", "true"), "empty event name"),
        (("-e", ",".join(["x"] * 257), "true"), "more than 256 events"),
        (("-e", "cpu-clock"), "nothing to measure"),
        (("-e", "a", "--switch-timeout=4", "true"), "several -e"),
        (("-e", "a", "-e", "b", "--switch-timeout=x", "true"), "'x'"),
        ((*SAMPLING, "-e", "b", "--switch-timeout=4", "true"), "for counting"),
        (("--no-such-option",), "unrecognized option"),
        (("-e", "cpu-clock", "--long-smpl-periods=0", "true"), "'0'"),
        (("-e", "cpu-clock", "--long-smpl-periods=-5", "true"), "'-5'"),
        (("-e", "cpu-clock", "--long-smpl-periods=9x", "true"), "'9x'"),
        (
            ("-e", "cpu-clock", "--long-smpl-periods=9223372036854775808", "true"),
            "2^63-1",
        ),
        (("-e", "cpu-clock", "--long-smpl-periods=1,2", "true"), "more elements"),
        (("-e", "cpu-clock", "--short-smpl-periods=1,2", "true"), "more elements"),
        ((*SAMPLING, "--smpl-periods-random=1:2,3:4", "true"), "more elements"),
        ((*SAMPLING, "--smpl-periods-random=1", "true"), "MASK:SEED"),
        ((*SAMPLING, "--smpl-periods-random=1:4294967296", "true"), "MASK:SEED"),
        (
            ("-e", "cpu-clock", "--smpl-periods-random=1:2", "true"),
            "no sampling period",
        ),
        ((*SAMPLING, "--smpl-periods-random=1000:1", "true"), "must be smaller"),
        ((*SAMPLING, "--smpl-entries=0", "true"), "--smpl-entries"),
        ((*SAMPLING, "--smpl-pmds=nonsense", "true"), "'nonsense'"),
        ((*SAMPLING, "--smpl-pmds=320", "true"), "'320'"),
        ((*SAMPLING, "--smpl-no-hdr", "--smpl-ip-only", "true"), "exclude each other"),
        ((*SAMPLING, "--smpl-regions=1", "true"), "'1' is not a number from 2 to 64"),
        ((*SAMPLING, "--smpl-regions=65", "true"), "'65' is not a number from 2 to 64"),
        ((*SAMPLING, "--smpl-record=p4", "true"), "'p4' is neither base"),
        (
            ("-e", "cpu-clock", "--smpl-imprecise", "true"),
            "without a sampling period",
        ),
        ((*SAMPLING, "--smpl-arg=abc", "true"), "hexadecimal"),
        ((*SAMPLING, "--smpl-arg=", "true"), "hexadecimal"),
        ((*SAMPLING, "--smpl-arg=zz", "true"), "hexadecimal"),
        (("-e", "cpu-clock", "--smpl-entries=5", "true"), "without a sampling period"),
        (("-e", "cpu-clock", "--overflow-block", "true"), "without a sampling period"),
        (("-e", "cpu-clock", "--attach-task=0"), "not a thread id"),
        (("-e", "cpu-clock", "--attach-task=1", "true"), "takes no command"),
        (("-e", "cpu-clock", "--attach-task=1", "--system-wide"), "exclude each other"),
        ((*SAMPLING, "--system-wide", "--overflow-block"), "cannot block"),
        (("-e", "cpu-clock", "--cpu-list=0", "true"), "need --system-wide"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=2-1"), "list of CPUs"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=0,"), "list of CPUs"),
        (("-e", "cpu-clock", "--system-wide", "--cpu-list=99999"), "list of CPUs"),
        (("-e", "cpu-clock", "--session-timeout=0", "true"), "number of seconds"),
        (("-e", "cpu-clock", "--session-timeout=nan", "true"), "number of seconds"),
        (("-l", "("), "pattern '('"),
    ],
)
def test_usage_errors_say_what_is_wrong(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    run = pfmon(*arguments)
    assert run.returncode == USAGE
    assert complaint in run.stderr
    assert run.stdout == ""


def test_option_after_the_command_is_the_commands(pfmon: Pfmon) -> None:
    assert pfmon("-e", "no-such-event", "true", "--help").returncode == ERROR


def test_list_events_has_the_generic_names(pfmon: Pfmon) -> None:
    run = pfmon("--list-events")
    assert run.returncode == 0
    names = set(run.stdout.split())
    assert {
        "cpu-clock",
        "task-clock",
        "page-faults",
        "faults",
        "context-switches",
        "cs",
        "cpu-migrations",
        "minor-faults",
        "major-faults",
        "cycles",
        "cpu-cycles",
        "instructions",
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "bus-cycles",
        "L1-dcache-load-misses",
        "iTLB-loads",
        "node-prefetch-misses",
        "perf::PERF_COUNT_SW_CPU_CLOCK",
    } <= names


@pytest.mark.parametrize("form", [("--list-events=^cpu-c",), ("-l", "^CPU-C")])
def test_list_events_takes_a_pattern(pfmon: Pfmon, form: tuple[str, ...]) -> None:
    assert pfmon(*form).stdout.split() == ["cpu-cycles", "cpu-clock"]


@pytest.mark.parametrize(
    ("event", "complaint"),
    [
        ("no-such-event", "there is no event no-such-event"),
        ("r1000000000000", "48 bits"),
        ("perf::NO_SUCH", "NO_SUCH"),
    ],
)
def test_events_that_cannot_be_encoded(
    pfmon: Pfmon, event: str, complaint: str
) -> None:
    run = pfmon("-e", event, "true")
    assert run.returncode == ERROR
    assert complaint in run.stderr


def test_unknown_format_is_named(pfmon: Pfmon) -> None:
    run = pfmon(*SAMPLING, "--smpl-module=nonesuch", "true")
    assert run.returncode == ERROR
    assert "no sampling format nonesuch" in run.stderr


@pytest.mark.parametrize(
    "arguments", [("-e", "cpu-clock"), SAMPLING, ("-e", "cpu-clock", "--system-wide")]
)
def test_missing_perfmon_says_what_to_load(
    pfmon: Pfmon,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    without_kernel()
    monkeypatch.chdir(tmp_path)
    run = pfmon(*arguments, "true")
    assert run.returncode == ERROR
    assert "insmod perfmon.ko" in run.stderr
    assert os.listdir(tmp_path) == []


def test_list_formats_without_perfmon_says_what_to_load(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("--list-formats")
    assert run.returncode == ERROR
    assert "insmod perfmon.ko" in run.stderr
