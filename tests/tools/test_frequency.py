# SPDX-License-Identifier: MIT OR GPL-2.0
"""Adapt sampling periods to simulated counts and times."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pfmon import ERROR, Pfmon, complaint_of, without_kernel
from saver import default_header
from sessions import Printer

SECOND = 1_000_000_000
FIRST = 100_000  # first period of a CPU event at 1000 Hz
CYCLES = ("-e", "cycles", "-F", "1000")

Adapter = Callable[..., list[str]]


@pytest.fixture(name="adapt")
def fixture_adapt(programs: Path, tmp_path: Path) -> Adapter:
    def run(options: Sequence[str], *commands: str | bytes) -> list[str]:
        """Return what period_adapter prints.

        A command of type bytes is the contents of a buffer to load.
        """
        lines = []
        for number, command in enumerate(commands):
            if isinstance(command, bytes):
                path = tmp_path / f"{number}"
                path.write_bytes(command)
                command = f"load {path}"
            lines.append(command)
        return subprocess.run(
            [programs / "period_adapter", *options, "true"],
            input="\n".join([*lines, ""]),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()

    return run


def buffer(*samples: tuple[int, int, int]) -> bytes:
    """Return a buffer with samples, each given as a set, a PMD and a period."""
    entries = b"".join(
        struct.pack("<IHHQQQHHI", 1, pmd, 0, 2**64 - period, 0, 0, 0, number, 1)
        for number, pmd, period in samples
    )
    header = default_header(len(samples), 128 + len(entries), 1 << 20)
    return header + entries.ljust(1 << 16, b"\0")


def at_rest(period: int = FIRST) -> str:
    return f"pmd 0 0 -{period} -{period}"


def test_period_is_event_rate_divided_by_frequency(adapt: Adapter) -> None:
    # The rate is 5e6 events in 5 ms, or 1e9 per second.
    samples = buffer(*[(0, 0, FIRST)] * 50)
    lines = adapt(CYCLES, at_rest(), samples, "time 0 5000000", "look")
    assert lines == ["0 0 1000000", "looked"]


def test_partial_period_counts_for_the_rate(adapt: Adapter) -> None:
    half = f"pmd 0 0 -{FIRST // 2} -{FIRST}"
    samples = buffer((0, 0, FIRST))
    # The rate is 150000 events in 10 ms.
    lines = adapt(CYCLES, half, samples, "time 0 10000000", "look")
    assert lines == ["0 0 15000", "looked"]


def test_frequency_counts_each_sample_once(adapt: Adapter) -> None:
    few, more = buffer(*[(0, 0, FIRST)] * 10), buffer(*[(0, 0, FIRST)] * 20)
    lines = adapt(
        CYCLES,
        *(at_rest(), few, "time 0 10000000", "look"),
        # At an unchanged rate, the period does not change.
        *(more, "time 0 20000000", "look"),
        *("freed", few, "time 0 30000000", "look"),
    )
    assert lines == ["looked"] * 3


def test_small_deviation_keeps_period(adapt: Adapter) -> None:
    # The period stays 100000, because the exact period would be only 9 % longer.
    part = f"pmd 0 0 -{FIRST // 10} -{FIRST}"
    samples = buffer(*[(0, 0, FIRST)] * 10)
    lines = adapt(CYCLES, part, samples, "time 0 10000000", "look")
    assert lines == ["looked"]


def test_small_deviation_changes_period_after_overflow(adapt: Adapter) -> None:
    # The exact period is 5 % longer. Changing it now does not end a period early.
    over = f"pmd 0 0 0 -{FIRST}"
    samples = buffer(*[(0, 0, FIRST)] * 21)
    lines = adapt(CYCLES, over, samples, "time 0 20000000", "look")
    assert lines == ["0 0 105000", "looked"]


def test_overflowed_pmd_counts_no_partial_period(adapt: Adapter) -> None:
    samples = buffer(*[(0, 0, FIRST)] * 12)
    over = f"pmd 0 0 0 -{FIRST}"
    lines = adapt(CYCLES, over, samples, "time 0 10000000", "look")
    assert lines == ["0 0 120000", "looked"]


def test_idle_event_shortens_period_stepwise(adapt: Adapter) -> None:
    part = f"pmd 0 0 -{FIRST - 1000} -{FIRST}"
    lines = adapt(
        CYCLES,
        # A rate of 1000 events per second would need a period of 1.
        *(part, "time 0 1000000000", "look"),
        *(f"pmd 0 0 -{FIRST // 8 - 1000} -{FIRST // 8}", "time 0 2000000000", "look"),
    )
    assert lines == [f"0 0 {FIRST // 8}", "looked", "0 0 1562", "looked"]


# A sample is expected every millisecond.
@pytest.mark.parametrize(
    ("ns", "changed"), [(3_999_999, []), (4_000_000, [f"0 0 {FIRST // 8}"])]
)
def test_late_sample_shortens_period_of_family(
    adapt: Adapter, ns: int, changed: list[str]
) -> None:
    lines = adapt(CYCLES, "family", buffer(), f"time 0 {ns}", "look")
    assert lines == [*changed, "looked"]


def test_late_sample_shortens_period_stepwise_to_1(adapt: Adapter) -> None:
    looks = [f"time 0 {number * 4_000_000}\nlook" for number in range(1, 8)]
    lines = adapt(CYCLES, "family", buffer(), *looks)
    periods = [line for line in lines if line != "looked"]
    assert periods == [f"0 0 {n}" for n in (12500, 1562, 195, 24, 3, 1)]


def test_lost_samples_of_family_are_not_late(adapt: Adapter) -> None:
    late = "time 0 4000000"
    lines = adapt(CYCLES, "family", buffer(), "lost 1", late, "look")
    assert lines == ["looked"]


def test_family_has_one_period_without_partial_periods(adapt: Adapter) -> None:
    # Each thread has counted part of a period. These parts are unknown.
    half = f"pmd 0 0 -{FIRST // 2} -{FIRST}"
    samples = buffer(*[(0, 0, FIRST)] * 50)
    lines = adapt(CYCLES, "family", half, samples, "time 0 10000000", "look")
    assert lines == ["0 0 500000", "looked"]


@pytest.mark.parametrize(
    ("lost", "changed"),
    # Without lost samples, the period is shortened by a full step.
    [(0, ["0 0 12500"]), (3, ["0 0 40000"]), (9, []), (1000, [])],
)
def test_lost_samples_do_not_shorten_period(
    adapt: Adapter, lost: int, changed: list[str]
) -> None:
    samples = buffer((0, 0, FIRST))
    lines = adapt(CYCLES, at_rest(), samples, "time 0 10000000", f"lost {lost}", "look")
    assert lines == [*changed, "looked"]


def test_lost_samples_count_only_once(adapt: Adapter) -> None:
    few, more = buffer((0, 0, FIRST)), buffer(*[(0, 0, FIRST)] * 2)
    lines = adapt(
        CYCLES,
        *(at_rest(), few, "time 0 10000000", "lost 9", "look"),
        *(more, "time 0 20000000", "look"),
    )
    assert lines == ["looked", "0 0 12500", "looked"]


def test_period_needs_elapsed_time_and_events(adapt: Adapter) -> None:
    samples = buffer(*[(0, 0, FIRST)] * 50)
    lines = adapt(
        CYCLES,
        *(at_rest(), "time 0 1000000000", "look"),
        *(at_rest(), samples, "time 0 1000000", "look"),
    )
    assert lines[0] == "looked"
    quick = adapt(CYCLES, at_rest(), samples, "time 0 4999999", "look")
    assert quick == ["looked"]


def test_frequency_uses_time_and_samples_of_the_set(adapt: Adapter) -> None:
    turns = ("-e", "cycles", "-e", "page-faults", "--switch-timeout=4", "-F", "1000,50")
    samples = buffer((0, 0, FIRST), *[(1, 0, 1)] * 40)
    lines = adapt(
        turns,
        *(at_rest(), "pmd 1 0 -1 -1", samples),
        *("time 0 10000000", "time 1 20000000", "look"),
    )
    # Set 0 counts 1e5 cycles in 10 ms; set 1 counts 40 page faults in 20 ms.
    assert lines == ["0 0 12500", "1 0 40", "looked"]


def test_frequency_keeps_events_with_fixed_period(adapt: Adapter) -> None:
    both = ("-e", "cycles,branches", "--long-smpl-periods=10", "-F", ",1000")
    samples = buffer(*[(0, 0, 10)] * 40, *[(0, 1, FIRST)] * 40)
    lines = adapt(
        both,
        *("pmd 0 0 -10 -10", f"pmd 0 1 -{FIRST} -{FIRST}", samples),
        *("time 0 10000000", "look"),
    )
    assert lines == ["0 1 400000", "looked"]


def periods(session: object) -> list[tuple[bool, int, object]]:
    assert isinstance(session, dict)
    (only,) = session["sets"]
    return [
        (pmd["sampling"], -pmd["long_reset"] % 2**64, pmd.get("frequency"))
        for pmd in only["pmds"]
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("-F", "1000"), [(True, FIRST, 1000), (True, 1, 1000)]),
        (("-F", "1000,"), [(True, FIRST, 1000), (False, 0, None)]),
        (("-F", ",20"), [(False, 0, None), (True, 1, 20)]),
        (
            ("-F", "20", "--long-smpl-periods=7"),
            [(True, 7, None), (True, 1, 20)],
        ),
    ],
)
def test_initial_periods_of_frequencies(
    printer: Printer, options: tuple[str, ...], expected: list[tuple[bool, int, object]]
) -> None:
    assert periods(printer.session("-e", "cycles,page-faults", *options)) == expected


@pytest.mark.parametrize("module", ["default", "nway", "oprofile"])
def test_clock_period_follows_from_frequency(printer: Printer, module: str) -> None:
    session = printer.session(
        *("-e", "cpu-clock,task-clock:u", "--smpl-freq=999,1000"),
        f"--smpl-module={module}",
    )
    assert periods(session) == [(True, 1_001_001, 999), (True, 1_000_000, 1000)]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-e", "a", "-F", "0", "true"), "'0' is not a number of samples per second"),
        (("-e", "a", "-F", "x", "true"), "'x' is not a number of samples per second"),
        (("-e", "a", "-F", "1000000001", "true"), "from 1 to 10^9"),
        (("-e", "a", "-F", "1,2", "true"), "more elements"),
        (
            ("-e", "a", "-F", "1,", "--long-smpl-periods=5", "true"),
            "more elements",
        ),
        (
            ("-e", "a,b", "-F", "1,", "--long-smpl-periods=5", "true"),
            "event a has both a frequency and a sampling period",
        ),
        (
            ("-e", "a", "-F", "1", "--smpl-periods-random=1:2", "true"),
            "has both a frequency and a random mask for periods",
        ),
        (("-e", "a", "-F", "1", "--smpl-no-hdr", "true"), "the period of each sample"),
        (("-e", "a", "-F", "1", "--smpl-ip-only", "true"), "the period of each sample"),
        (("-e", "cpu-clock", "-F", "100001", "true"), "at most 100000 times per"),
    ],
)
def test_frequency_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, arguments)


def test_frequency_alone_samples_cycles(printer: Printer) -> None:
    # Without perfmon, pfmon cannot know whether this machine can count cycles.
    without_kernel()
    session = printer.session("-F", "1000")
    assert [pmd["event"] for pmd in session["sets"][0]["pmds"]] == ["cycles"]
    assert periods(session) == [(True, FIRST, 1000)]


def test_frequency_of_call_graph_samples_clock(printer: Printer) -> None:
    without_kernel()
    session = printer.session("-F", "1000", "-g")
    assert [pmd["event"] for pmd in session["sets"][0]["pmds"]] == ["cpu-clock"]
    assert periods(session) == [(True, 1_000_000, 1000)]


@pytest.mark.parametrize("module", ["nway", "callstack", "pebs64", "oprofile"])
def test_formats_without_periods_refuse_frequency(pfmon: Pfmon, module: str) -> None:
    run = pfmon("-e", "cycles", "-F", "9", f"--smpl-module={module}", "true")
    assert run.returncode == ERROR
    assert "does not take --smpl-freq; these do: default" in run.stderr


def test_frequency_above_kernel_maximum_is_refused(pfmon: Pfmon) -> None:
    limit = Path("/proc/sys/kernel/perf_event_max_sample_rate")
    if not limit.exists():
        pytest.skip("this machine's kernel has no perf_events")
    wanted = int(limit.read_text("ascii")) + 1
    run = pfmon("-e", "cycles", "-F", str(wanted), "true")
    assert run.returncode == ERROR
    assert f"at most {wanted - 1} samples per second" in run.stderr
