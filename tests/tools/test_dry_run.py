# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the output of --dry-run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from namespaces import run_with
from pfmon import ERROR, INHERITED, SAMPLING, Pfmon, without_kernel


def printed(pfmon: Pfmon, *arguments: str) -> list[str]:
    run = pfmon("--dry-run", *arguments)
    assert run.returncode == 0, run.stderr
    return [" ".join(line.split()) for line in run.stdout.splitlines()]


def test_dry_run_runs_and_writes_nothing(pfmon: Pfmon, tmp_path: Path) -> None:
    without_kernel()
    files = (f"-o{tmp_path}/capture", "touch", f"{tmp_path}/ran")
    assert "Contexts: 1, of the command's first thread" in printed(
        pfmon, *SAMPLING, *files
    )
    assert not list(tmp_path.iterdir())


def test_dry_run_prints_sampling_registers(pfmon: Pfmon) -> None:
    without_kernel()
    lines = printed(
        pfmon,
        *("-e", "cycles:pp,page-faults,software/config=2,config1=7/"),
        *("--long-smpl-periods=1000,,2000", "--short-smpl-periods=100"),
        *("--smpl-periods-random=31:5", "--smpl-pmds=tid"),
        *("--reset-non-smpl-periods", "--smpl-notify=1,,0"),
    )
    registers = lines[lines.index("Event set 0: stays active") + 1 : -1]
    event = "software/config=2,config1=7/"
    assert registers == [
        f"PMC66 0x0000000000000007 {event}: config1",
        "PMC0 0x0022000000000000 cycles:pp: hardware event 0, user space,"
        " precise level 2",
        "an overflow may notify pfmon",
        "periods are randomised",
        "records: PMD1, tid",
        "resets: PMD1, tid",
        "PMD0 0xfffffffffffffc18 counts cycles:pp",
        "long reset -1000, short reset -100",
        "random mask 0x1f, seed 5",
        "PMC1 0x0102000000000002 page-faults: software event 0x2, user space,"
        " precise level 0",
        "PMD1 0x0000000000000000 counts page-faults",
        f"PMC2 0x0100000000000002 {event}: software event 0x2, user space"
        " and kernel, precise level 0",
        "records: PMD1, tid",
        "resets: PMD1, tid",
        f"PMD2 0xfffffffffffff830 counts {event}",
        "long reset -2000, short reset -2000",
    ]
    assert lines[-1] == "Kernel: cannot check this, because perfmon is not loaded"


def test_dry_run_prints_system_wide_sets(pfmon: Pfmon) -> None:
    without_kernel()
    sets = ("-e", "cycles", "-e", "instructions", "--switch-timeout=4.5")
    lines = printed(pfmon, *sets, "--system-wide", "--cpu-list=0")
    assert lines[0] == "Contexts: 1, system-wide, one for each of the CPUs 0"
    for number in (0, 1):
        turn = f"Event set {number}: PFM_SETFL_TIME_SWITCH, switches after 4.500 ms"
        assert turn in lines


def test_dry_run_prints_overflow_switching(pfmon: Pfmon) -> None:
    without_kernel()
    lines = printed(
        pfmon,
        *("-e", "cycles@0", "-e", "instructions", "--system-wide", "--cpu-list=0"),
        *("--excl-idle", "--long-smpl-periods=10", "--switch-overflow=3"),
    )
    assert "Event set 0: PFM_SETFL_EXCL_IDLE, PFM_SETFL_OVFL_SWITCH" in lines
    assert "PMD0 0xfffffffffffffff6 counts cycles, on CPUs 0" in lines
    assert "the set switches after 3 overflows" in lines
    assert "Event set 1: PFM_SETFL_EXCL_IDLE, stays active" in lines


def test_only_cpus_with_events_get_contexts(pfmon: Pfmon) -> None:
    without_kernel()
    everywhere = ("--system-wide", "--cpu-list=0-3")
    lines = printed(pfmon, *everywhere, "-e", "cycles@1,instructions@3,branches@1")
    assert lines[0] == "Contexts: 2, system-wide, one for each of the CPUs 1,3"


@pytest.mark.parametrize(
    ("cpus", "events"), [("0-2", "cycles@2-3"), ("1", "cycles,branches@0")]
)
def test_events_of_unmeasured_cpus_are_refused(
    pfmon: Pfmon, cpus: str, events: str
) -> None:
    run = pfmon("--dry-run", "--system-wide", f"--cpu-list={cpus}", "-e", events)
    assert run.returncode == ERROR
    assert f"the measured CPUs are {cpus}: see --cpu-list" in run.stderr


def test_unmeasured_cpus_of_a_pmu_are_refused(pfmon: Pfmon, tmp_path: Path) -> None:
    without_kernel()
    (tmp_path / "uncore").mkdir()
    for name, text in (("type", "99"), ("cpumask", "0")):
        (tmp_path / "uncore" / name).write_text(f"{text}\n")
    pmus = {"/sys/bus/event_source/devices": tmp_path}
    options = ("--dry-run", "-e", "uncore/config=1/", "--system-wide")
    run = run_with(pmus, pfmon.program, *options, "--cpu-list=1")
    assert run.returncode == ERROR
    assert "by CPUs 0, but is measured on none of them: see --cpu-list" in run.stderr
    run = run_with(pmus, pfmon.program, *options, "--cpu-list=0-1")
    assert run.returncode == 0, run.stderr


def test_unknown_online_cpus_need_a_list(pfmon: Pfmon, tmp_path: Path) -> None:
    without_kernel()
    nothing = {"/sys/devices/system/cpu": tmp_path}
    options = ("--dry-run", "-e", "cycles", "--system-wide")
    run = run_with(nothing, pfmon.program, *options)
    assert run.returncode == ERROR
    assert "find out which CPUs are online: use --cpu-list" in run.stderr
    run = run_with(nothing, pfmon.program, *options, "--cpu-list=0")
    assert run.returncode == 0, run.stderr


def test_frequency_above_the_kernels_limit_is_refused(
    pfmon: Pfmon, tmp_path: Path
) -> None:
    without_kernel()
    (tmp_path / "limit").write_text("500\n")
    limit = {"/proc/sys/kernel/perf_event_max_sample_rate": tmp_path / "limit"}
    options = ("--dry-run", "-e", "cycles", "-F")
    run = run_with(limit, pfmon.program, *options, "501", "true")
    assert run.returncode == ERROR
    assert "allows at most 500 samples per second: lower --smpl-freq" in run.stderr
    run = run_with(limit, pfmon.program, *options, "500", "true")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("module", ["default", "nway", "pebs64", "oprofile"])
def test_format_and_its_argument(pfmon: Pfmon, module: str) -> None:
    without_kernel()
    lines = printed(pfmon, *SAMPLING, f"--smpl-module={module}", "-o", "x.cap")
    (line,) = [line for line in lines if line.startswith("argument: ")]
    size = int(line.split()[1])
    if size:
        assert len(line.split()[-1]) == 2 * size
    assert any(line.startswith(f"Format: {module}, ") for line in lines)
    assert "Capture: x.cap" in lines


@pytest.mark.parametrize("options", [("-e", "cycles"), SAMPLING])
def test_dry_run_prints_json(pfmon: Pfmon, options: tuple[str, ...]) -> None:
    run = pfmon("--dry-run", "--json", *options)
    assert run.returncode == 0, run.stderr
    session = json.loads(run.stdout)
    assert [pmc["num"] for pmc in session["sets"][0]["pmcs"]] == [0]
    assert bool(session["format"]) == (options is SAMPLING)


def test_dry_run_reports_unknown_event(pfmon: Pfmon) -> None:
    run = pfmon("--dry-run", "-e", "nosuch")
    assert run.returncode == ERROR
    assert "unknown event 'nosuch'" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "contexts"),
    [
        (("--attach-task=1",), "1, of thread 1"),
        (("--attach-process=1",), "one for each thread of process 1"),
        (("--follow-pthread", "x"), "one for each followed thread of the command"),
        (("--follow-exec=y", "x"), "1, of the command's first thread"),
    ],
)
def test_dry_run_prints_measured_threads(
    pfmon: Pfmon, arguments: tuple[str, ...], contexts: str
) -> None:
    without_kernel()
    assert f"Contexts: {contexts}" in printed(pfmon, "-epage-faults", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        (*SAMPLING, "--smpl-ip-only"),
        (*SAMPLING, "--no-inherit"),
        (*SAMPLING, "--follow-all"),
        (*SAMPLING, "--smpl-module=nway", "--smpl-mask-when-full"),
        (*SAMPLING, "--smpl-notify=0"),
        ("-e", "page-faults", "--no-inherit"),
        ("-e", "page-faults", "--follow-all"),
        ("-e", "page-faults", "--exclude=x"),
        ("-e", "page-faults", "--aggregate=thread"),
        ("-e", "page-faults", "--trigger-start=main"),
        ("-e", "page-faults", "-e", "cpu-clock", "--switch-timeout=10"),
        ("-e", "page-faults", "--system-wide"),
    ],
)
def test_dry_run_measures_first_thread(
    pfmon: Pfmon, arguments: tuple[str, ...]
) -> None:
    without_kernel()
    assert INHERITED not in printed(pfmon, *arguments, "true")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-e", "page-faults"),
        ("-e", "page-faults", "--follow-exec"),
        SAMPLING,
        (*SAMPLING, "--smpl-module=nway"),
        (*SAMPLING, "--smpl-module=histogram"),
        ("-g",),
    ],
)
def test_dry_run_measures_all_of_command(
    pfmon: Pfmon, arguments: tuple[str, ...]
) -> None:
    without_kernel()
    assert INHERITED in printed(pfmon, *arguments, "true")
