# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print counts as text: lines, uncounted events, times, intervals, deviations."""

from __future__ import annotations

import pytest
from counts import Counts, cpu, thread
from pfmon import ERROR


def test_text_line_has_count_and_name(counts: Counts) -> None:
    printed = counts.printed("-e r1a8,r1a9", *thread(12, 345), "end 0")
    assert printed == f"{12:20d} r1a8\n{345:20d} r1a9\n"


def test_uncounted_events_are_not_printed_as_zero(counts: Counts) -> None:
    done = counts.run("-e r1,r2,r3", *thread(1, "unsupported", "denied"), "end 0")
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert lines[0] == ["1", "r1"]
    assert done.stdout.splitlines()[1:] == [
        f"{'<not supported>':>20} r2",
        f"{'<not counted>':>20} r3",
    ]
    assert "r3 was counted only part of the time" in done.stderr
    assert "r2" not in done.stderr


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--us-counter-format", ["0", "1,024", "18,446,744,073,709,551,615"]),
        ("--eu-counter-format", ["0", "1.024", "18.446.744.073.709.551.615"]),
        ("--hex-counter-format", ["0", "0x400", "0xffffffffffffffff"]),
    ],
)
def test_number_format_follows_option(
    counts: Counts, option: str, text: list[str]
) -> None:
    script = [*thread(0, 1024, 2**64 - 1), "end 0"]
    printed = counts.printed(f"{option} -e r1,r2,r3", *script)
    assert printed.splitlines() == [
        f"{number:>20} r{i}" for i, number in enumerate(text, 1)
    ]


def test_times_are_printed_on_request(counts: Counts) -> None:
    script = [*thread(1), "times 2000000000 1 1", "end 0"]
    assert "elapsed" not in counts.printed("-e r1", *script)
    assert "elapsed" in counts.printed("-e r1 --show-time", *script)


def test_cpu_counts_are_separate_or_summed(counts: Counts) -> None:
    script = [*cpu(0, 10, "unsupported"), *cpu(3, 5, "unsupported"), "end 0"]
    options = "--system-wide -e r1,r2"
    assert counts.lines(options, *script) == [
        ["CPU0", "10", "r1"],
        ["CPU0", "<not", "supported>", "r2"],
        ["CPU3", "5", "r1"],
        ["CPU3", "<not", "supported>", "r2"],
    ]
    assert counts.lines(f"{options} --aggregate-results", *script) == [
        ["15", "r1"],
        ["<not", "supported>", "r2"],
    ]


def test_sum_skips_unsupported_counts(counts: Counts) -> None:
    script = [*cpu(0, "unsupported"), *cpu(1, 5), "end 0"]
    options = "--system-wide --aggregate-results -e r1"
    assert counts.lines(options, *script) == [["5", "r1"]]


def test_without_events_times_are_printed(counts: Counts) -> None:
    names = [
        *("task-clock", "context-switches", "cpu-migrations", "page-faults"),
        *("cycles", "instructions", "branches", "branch-misses"),
    ]
    times = "times 2500000000 1000000000 250000000"
    lines = counts.lines("-uk", *thread(*range(8)), times, "end 0")
    assert [words[1] for words in lines[:8]] == names
    assert lines[8:] == [
        [],
        ["2.500000000", "s", "elapsed"],
        ["1.000000000", "s", "user"],
        ["0.250000000", "s", "system"],
    ]


def test_user_level_omits_kernel_default_events(counts: Counts) -> None:
    lines = counts.lines("-u", *thread(*range(6)), "end 0")
    assert [words[1] for words in lines[:6]] == [
        *("task-clock", "page-faults", "cycles", "instructions"),
        *("branches", "branch-misses"),
    ]


def test_switched_sets_print_their_active_time(counts: Counts) -> None:
    script = [*thread(30, 10), "duration 3000", "duration 1000", "end 0"]
    assert counts.lines("--switch-timeout=4 -e r1 -e r2", *script) == [
        "40 r1 (counted 75.00 % of the time)".split(),
        "40 r2 (counted 25.00 % of the time)".split(),
    ]


def test_means_include_standard_error(counts: Counts) -> None:
    script: list[str] = []
    for count, elapsed in ((90, 1), (110, 3)):
        times = f"times {elapsed}000000000 0 0"
        script += [*thread(count, 4, "unsupported"), times, "end 0"]
    lines = counts.lines("--repeat=2 -e r1,r2,r3", *script)
    assert lines[0] == "100 r1 ( +- 10.00 % )".split()
    assert lines[1] == "4 r2 ( +- 0.00 % )".split()
    assert lines[2] == "<not supported> r3".split()
    assert lines[4] == "2.000000000 s elapsed ( +- 50.00 % )".split()


@pytest.mark.parametrize("runs", [1, 2])
def test_nothing_is_printed_before_the_last_run(counts: Counts, runs: int) -> None:
    script = [*thread(1), "end 0"] * runs
    assert counts.printed("--repeat=3 -e r1", *script) == ""


@pytest.mark.parametrize("others", [(cpu(0, 7),), (cpu(0, 7), cpu(2, 9))])
def test_run_on_other_cpus_is_left_out(
    counts: Counts, others: tuple[list[str], ...]
) -> None:
    same = [*cpu(0, 1), *cpu(1, 3), "end 0"]
    other = [line for lines in others for line in lines]
    run = counts.run("--repeat=3 --system-wide -er1", *same, *other, "end 0", *same)
    assert run.returncode == ERROR
    assert "the means do not include run 2: a CPU went online or offline" in run.stderr
    values = [line.split()[:3] for line in run.stdout.splitlines()]
    assert values[:2] == [["CPU0", "1", "r1"], ["CPU1", "3", "r1"]]


def test_interval_lines_start_with_time(counts: Counts) -> None:
    script = [
        *(*thread(5), "times 1000000000 0 0", "interval"),
        *(*thread(7), "times 1500000000 0 0", "end 0"),
    ]
    assert counts.lines("--print-interval=1000 -e r1", *script) == [
        ["1.000000", "5", "r1"],
        ["1.500000", "7", "r1"],
    ]


def test_unchanged_end_prints_no_interval(counts: Counts) -> None:
    script = [
        *(*thread(5), "times 1000000000 0 0", "interval"),
        *("times 1500000000 0 0", "end 0"),
    ]
    assert counts.lines("--print-interval=1000 -e r1", *script) == [
        ["1.000000", "5", "r1"]
    ]


@pytest.mark.parametrize("options", ["", "--table", "--csv"])
def test_thread_name_has_no_control_characters(counts: Counts, options: str) -> None:
    name = "\x1b[2J\x7fn\u009b\u00e9"
    script = [f"thread 7 {name}", "count 5", "end 0"]
    printed = counts.printed(f"{options} -e r1 --aggregate=thread", *script)
    assert "\\x1b[2J\\x7fn\\xc2\\x9b\u00e9" in printed
    assert all(line.isprintable() for line in printed.splitlines())
