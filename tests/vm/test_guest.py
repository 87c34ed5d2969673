# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the tests of tests/guest in guests; programs.py lists the guests of each program.

Guest programs print TAP, and each of their tests is a test here. The guests need the
results of `make modules`, `make user user-arm64` and tests/guest/guest.mk for both
architectures.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import adverse
import call_graphs
import commands
import control_groups
import costs
import counting
import event_sets
import following
import killed
import live_sessions
import many_threads
import off_cpu
import programs
import pytest
import sampling_rates
import short_processes
import triggers
from boot import ROOT, SOURCES, Boot, Boots, check_test, without_narrow
from commands import BESIDE_PERF, COUNT, COUNTERS, CYCLES, INSTRUCTIONS, PERIOD
from programs import ARM64, GUESTS, PARALLEL, TARGETS, WITH_NMIS, X86_64, Guest
from reading import plugin


@dataclass(frozen=True)
class Case:
    """One test of one program in one guest."""

    target: Guest
    program: str
    test: str

    def __str__(self) -> str:
        return f"{self.target}-{self.program}-{self.test}"


def _cases() -> Iterator[Case]:
    for guest in GUESTS:
        for program in programs.programs_of(guest):
            for test in programs.names_in(program):
                yield Case(guest, program, test)


@pytest.fixture(scope="session")
def boots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boots[Guest]]:
    def boot(guest: Guest) -> Boot:
        out = tmp_path_factory.mktemp(str(guest))
        return Boot(guest, commands.commands(guest), out, commands.options(guest), True)

    guests = Boots(boot)
    yield guests
    guests.close()


def test_every_program_is_run() -> None:
    sources = (SOURCES.glob(f"{folder}/*.c") for folder in programs.FOLDERS)
    names = {path.stem for paths in sources for path in paths}
    run = {programs.source_of(name) for g in GUESTS for name in programs.programs_of(g)}
    run -= {*programs.SOURCES_OF}
    assert names == run | {*programs.LIVE, *programs.RAW_TIME, *programs.DEBUG_ONLY}


# Proves P4.1-17, H25
@pytest.mark.parametrize("case", list(_cases()), ids=str)
def test_guest(
    case: Case,
    boots: Boots[Guest],
    record_property: Callable[[str, object], None],
) -> None:
    reason = without_narrow()
    if reason and commands.narrow(case.program):
        pytest.skip(reason)
    guest = boots[case.target]
    if guest.outcome(case.program, case.test):
        source = programs.source_of(case.program)
        record_property(programs.RAN, f"{source} {case.test}")
    check_test(guest, case.program, case.test)


@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_kernel_is_content(target: Guest, boots: Boots[Guest]) -> None:
    boots[target].check_end()
    if target.parallel:
        assert boots[target].command("keep_events") == 0


@pytest.mark.parametrize("target", [commands.MEASURED], ids=str)
def test_samples_cost_at_most_their_bounds(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("costs") == 0, boot.printed("costs")
    costs.check(boot.printed("costs"))


# Proves P4.4-03
@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_modules_unload_after_everything(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("unload") == 0
    if not target.parallel:
        assert boot.command("simulate") == 0
    if target in WITH_NMIS:
        assert (boot.command("rig"), boot.command("unrig")) == (0, 0)


@pytest.mark.parametrize("target", WITH_NMIS, ids=str)
def test_overflows_are_nmis(target: Guest, boots: Boots[Guest]) -> None:
    commands.check_nmis(boots[target], target.series)


@pytest.mark.parametrize("target", [commands.PROTECTED], ids=str)
def test_perf_limits_samples_of_nmis_too(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("protect") == 0, boot.printed("protect")
    assert boot.command("unprotect") == 0, boot.printed("unprotect")
    limits = [int(line) for line in boot.printed("unprotect").splitlines()]
    assert limits == list(commands.LIMITS.values())


# Proves H13
@pytest.mark.parametrize("target", commands.RANDOM, ids=str)
def test_random_calls_break_nothing(target: Guest, boots: Boots[Guest]) -> None:
    outcome = boots[target].outcome("fuzz", "fuzz")
    assert outcome, boots[target].errors()
    print(outcome.details)
    assert outcome.passed, outcome.details


def _dump(capture: Path) -> list[dict[str, int]]:
    """Return the samples of a capture."""
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", "dump", "--json", capture],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_counts_are_exact(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("count") == 0
    count = int((boot.out / "count").read_text().split()[0])
    assert count == pytest.approx(INSTRUCTIONS, rel=0.01)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_event_set_counts_are_scaled(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("turns") == 0
    lines = (boot.out / "turns").read_text().splitlines()
    estimates = [int(line.split()[0]) for line in lines]
    assert estimates == pytest.approx([INSTRUCTIONS, CYCLES], rel=0.05)
    assert ["of the time" in line for line in lines] == [True, True]


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_event_aliases_count_the_same(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("same") == 0
    lines = (boot.out / "same").read_text().splitlines()
    counts = [int(line.split()[0]) for line in lines]
    assert counts == [pytest.approx(INSTRUCTIONS, rel=0.05)] * 3
    assert len(set(counts)) == 1


@pytest.mark.parametrize("target", [commands.FOLLOWED], ids=str)
@pytest.mark.parametrize("check", following.cases())
def test_pfmon_follows(target: Guest, check: str, boots: Boots[Guest]) -> None:
    following.cases()[check](boots[target])


@pytest.mark.parametrize("target", [commands.FOLLOWED], ids=str)
@pytest.mark.parametrize("check", adverse.cases())
def test_pfmon_meets_adversity(target: Guest, check: str, boots: Boots[Guest]) -> None:
    adverse.cases()[check](boots[target])


@pytest.mark.parametrize(
    ("target", "check"),
    [
        (target, check)
        for target in commands.TRIGGERED
        for check in triggers.cases(target.arch)
    ],
    ids=str,
)
def test_pfmon_measures_between_two_places(
    target: Guest, check: str, boots: Boots[Guest]
) -> None:
    triggers.cases(target.arch)[check](boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_samples_of_a_control_group_are_shown(
    target: Guest, boots: Boots[Guest]
) -> None:
    control_groups.check(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_calls_of_each_control_group_are_counted(
    target: Guest, boots: Boots[Guest]
) -> None:
    control_groups.check_several(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_control_groups_are_counted_after_a_limit(
    target: Guest, boots: Boots[Guest]
) -> None:
    control_groups.check_limited(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_context_switches_are_counted_before_samples(
    target: Guest, boots: Boots[Guest]
) -> None:
    control_groups.check_switches(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
@pytest.mark.parametrize("name", call_graphs.SHARES)
def test_chains_without_frame_pointers_are_whole(
    target: Guest, name: str, boots: Boots[Guest]
) -> None:
    call_graphs.check(boots[target], name)


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_unknown_dynamic_linker_has_a_table(target: Guest, boots: Boots[Guest]) -> None:
    call_graphs.check_root(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_samples_before_exec_have_their_code(
    target: Guest, boots: Boots[Guest]
) -> None:
    call_graphs.check_exec(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_call_graph_without_unwind_device(target: Guest, boots: Boots[Guest]) -> None:
    call_graphs.check_without_device(boots[target])


@pytest.mark.parametrize("target", commands.CROWDED, ids=str)
@pytest.mark.parametrize("user", ["", "-user"])
@pytest.mark.parametrize("name", off_cpu.CAPTURES)
def test_time_off_cpu_has_its_callers(
    target: Guest, name: str, user: str, boots: Boots[Guest]
) -> None:
    off_cpu.check(boots[target], name + user, target.parallel)


@pytest.mark.parametrize("target", commands.CROWDED, ids=str)
@pytest.mark.parametrize("name", off_cpu.CAPTURES)
def test_time_off_cpu_has_its_reason(
    target: Guest, name: str, boots: Boots[Guest]
) -> None:
    off_cpu.check_states(boots[target], name, target.parallel)


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
@pytest.mark.parametrize("name", killed.SESSIONS)
def test_nothing_is_left_of_killed_pfmon(
    target: Guest, name: str, boots: Boots[Guest]
) -> None:
    killed.check(boots[target], name)


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_every_one_of_10000_threads_is_measured(
    target: Guest, boots: Boots[Guest]
) -> None:
    many_threads.check(boots[target])


@pytest.mark.parametrize("target", commands.CROWDED, ids=str)
@pytest.mark.parametrize("user", ["", "-user"])
def test_wall_clock_has_shares_of_cpu_and_waits(
    target: Guest, user: str, boots: Boots[Guest]
) -> None:
    off_cpu.check_shares(boots[target], "wall" + user, target.parallel)


@pytest.mark.parametrize("target", commands.CROWDED, ids=str)
@pytest.mark.parametrize("user", ["", "-user"])
def test_wall_clock_is_divided_among_steps_of_time(
    target: Guest, user: str, boots: Boots[Guest]
) -> None:
    off_cpu.check_views(boots[target], "wall" + user)


@pytest.mark.parametrize("target", commands.CROWDED, ids=str)
def test_samples_of_ended_processes_have_files(
    target: Guest, boots: Boots[Guest]
) -> None:
    short_processes.check(boots[target], target.parallel)


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_samples_of_brief_mappings_have_files(
    target: Guest, boots: Boots[Guest]
) -> None:
    short_processes.check_followed(boots[target])


@pytest.mark.parametrize("capture", ["late", "late-command"])
@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_lost_process_events_are_reported(
    target: Guest, capture: str, boots: Boots[Guest]
) -> None:
    short_processes.check_late(boots[target], capture, f"{capture}.cap")


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_samples_of_unloaded_bpf_programs_have_names(
    target: Guest, boots: Boots[Guest]
) -> None:
    short_processes.check_unloaded(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_samples_of_new_modules_have_names(target: Guest, boots: Boots[Guest]) -> None:
    short_processes.check_module(boots[target])


@pytest.mark.parametrize("target", [commands.FOLLOWED], ids=str)
def test_cpu_that_was_offline_is_observed(target: Guest, boots: Boots[Guest]) -> None:
    short_processes.check_replugged(boots[target])


@pytest.mark.parametrize("target", [commands.GROUPED], ids=str)
def test_list_events_tries_one_tracepoint(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("listed") == 0, boot.printed("listed")
    names = re.findall(
        r"^(?:perf::)?\w+:\w+ +\+$", (boot.out / "listed").read_text(), re.M
    )
    assert len(names) > 1000 and any(name[:6] == "perf::" for name in names)
    # If pfmon tried each tracepoint, there would be at least one call per name. It
    # tries only one, but the kernel also calls perf_tp_event_init() for software
    # events.
    assert int((boot.out / "tries").read_text().split()[0]) < len(names) / 4


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_event_without_counter_is_not_counted(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("denied") == 0
    lines = (boot.out / "denied").read_text().splitlines()
    counts = [int(line.split()[0]) for line in lines[:COUNTERS]]
    assert counts == [pytest.approx(CYCLES, rel=0.05)] * COUNTERS
    assert [line.split() for line in lines[COUNTERS:]] == [
        ["<not", "counted>", "cycles"]
    ]


@pytest.mark.parametrize("target", PARALLEL, ids=str)
def test_offline_cpu_is_reported(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("offline") == 0
    printed = boot.printed("offline")
    assert "CPU 1 went offline: it was measured only until then" in printed
    assert re.search(r"^CPU1 +\d+ cpu-clock +#", printed, re.MULTILINE)


@pytest.mark.parametrize("target", X86_64, ids=str)
def test_odd_handler_results_are_reported(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("odd") == 0
    printed = boot.printed("odd")
    told = re.findall(r"context \d+: (.*calls to the format's handler.*)", printed)
    patterns = (
        r"failed calls to the format's handler: \d+, the last with: Input/output error",
        r"calls to .* that set no control bit, so that the counter was not reset: \d+",
        r"calls to .* that set unknown control bits: \d+",
    )
    assert len(told) == len(patterns)
    for line, pattern in zip(told, patterns):
        assert re.fullmatch(pattern, line)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_unknown_format_takes_named_arguments(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("named") == 0, boot.printed("named")
    printed = boot.printed("named")
    for complaint in commands.REFUSED.values():
        assert complaint in printed
    assert f"{COUNT} count (argument: 8 bytes)\n\tnum_events=16 (events, " in printed
    for name, events in (("named", 3), ("unnamed", 16)):
        session = (boot.out / f"{name}.cap").read_bytes()
        assert re.search(rb'"arg": ?"%02x00000000000000"' % events, session)


@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_delay_and_duration_limit_measurement(
    target: Guest, boots: Boots[Guest]
) -> None:
    live_sessions.check_times(boots[target])


@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_control_commands_have_effect(
    target: Guest, boots: Boots[Guest], tmp_path: Path
) -> None:
    live_sessions.check_control(boots[target], plugin(tmp_path, "threshold"))


@pytest.mark.parametrize("name", ["divided", "all"])
@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_snapshots_have_every_sample_once(
    target: Guest, boots: Boots[Guest], name: str
) -> None:
    live_sessions.check_snapshots(boots[target], name)


@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_counts_have_requested_format(target: Guest, boots: Boots[Guest]) -> None:
    counting.check_forms(boots[target])


@pytest.mark.parametrize("target", [BESIDE_PERF], ids=str)
def test_counts_agree_with_perf_stat(target: Guest, boots: Boots[Guest]) -> None:
    if not commands.with_perf(target):
        pytest.skip("perf (from the package linux-perf) is not installed")
    counting.check_against_perf(boots[target])


# The shell and five sleeps
SWITCHING_THREADS = 6


@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_sched_switch_tracepoint_counts_switches(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("events") == 0, boot.printed("events")
    lines = (boot.out / "switches").read_text().splitlines()
    counts = {name: int(count) for count, name in map(str.split, lines)}
    # The program waits five times.
    assert counts["sched:sched_switch"] >= 5
    # The two events start and stop one after the other. Each thread may be preempted
    # in between.
    difference = counts["sched:sched_switch"] - counts["context-switches:uk"]
    assert abs(difference) <= SWITCHING_THREADS


@pytest.mark.parametrize("target", GUESTS, ids=str)
def test_sysfs_event_is_counted_on_its_cpus(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("events") == 0, boot.printed("events")
    printed = boot.printed("events")
    # perf received these values in config, config1 and config2.
    assert "\n".join(map(str, (0x12, 30, 7 << 8))) in printed
    for complaint in (
        "can only be counted system-wide (on CPUs 0): use --system-wide",
        "can only be counted (on CPUs 0), not sampled",
        "there is no tracepoint nothing in sched; it has: ",
    ):
        assert complaint in printed
    text = (boot.out / "leaps").read_text()
    for number, value in ((65, 30), (129, 7 << 8)):
        assert f"# set 0, PMC{number}: {value:#018x} pfm_leap/leaps," in text
    lines = [line.partition(" # ")[0].split() for line in text.splitlines()]
    lines = [words for words in lines if words[0].startswith("CPU")]
    names = {name for *_, name in lines}
    cpus = {name: [cpu for cpu, _, event in lines if event == name] for name in names}
    assert cpus.pop("pfm_leap/leaps,first=30,second=7/") == ["CPU0"]
    online = ["CPU0", "CPU1"] if target.parallel else ["CPU0"]
    assert cpus.pop("cpu-clock") == online
    session = (boot.out / "leaps.cap").read_bytes()
    for number, value in ((65, 30), (129, 7 << 8)):
        assert re.search(rb'"num": ?%d, ?"value": ?%d,' % (number, value), session)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_pfmon_checks_events_without_measuring(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    printed = boot.printed("asked")
    assert boot.command("asked") == 0, printed
    lines = printed.splitlines()
    assert [line.split() for line in lines[:3]] == [
        *(["cpu-clock", "+"], ["alignment-faults", "+"], ["node-stores"]),
    ]
    assert printed.count("Here:      counted") == 2
    assert "\tpid_t next_pid" in lines
    assert lines.count("page-faults: yes") == 2
    assert "node-stores: no: this machine does not support it" in printed
    assert re.search(r"^Kernel:   accepts this; .* has [1-9]\d* bytes", printed, re.M)
    assert "node-stores is not supported here: the kernel rejected PMC0" in printed


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_too_many_events_are_reported(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    assert boot.command("together") == 0
    printed = boot.printed("together")
    assert printed.splitlines().count("cycles: yes") == COUNTERS + 1
    assert "there are not enough free counters for these events" in printed


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize(
    "check", [event_sets.check_overflows, event_sets.check_turns, event_sets.check_idle]
)
def test_event_sets_take_turns(
    target: Guest, check: Callable[[Path], None], boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("sets") == 0, boot.printed("sets")
    check(boot.out)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_samples_in_sets_match_counts(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("sets") == 0, boot.printed("sets")
    event_sets.check_hardware(boot.out)


@pytest.mark.parametrize("target", PARALLEL, ids=str)
def test_events_are_measured_on_their_own_cpus(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("own_cpus") == 0, boot.printed("own_cpus")
    event_sets.check_cpus(boot.out, boot.printed("own_cpus"))


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_software_periods_adapt_to_frequency(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("often") == 0, boot.printed("often")
    sampling_rates.check_faults(boot.out)
    sampling_rates.check_default(boot.out, target.arch, boot.printed("often"))


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_throttled_counters_are_reported(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    printed = boot.printed("throttled")
    assert boot.command("throttled") == 0, printed
    sampling_rates.check_throttled(boot.out, printed)


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_exceeded_limits_are_reported(target: Guest, boots: Boots[Guest]) -> None:
    boot = boots[target]
    printed = boot.printed("limited")
    assert boot.command("limited") == 0, printed
    sampling_rates.check_limited(boot.out, printed)


@pytest.mark.parametrize("target", ARM64, ids=str)
@pytest.mark.parametrize("name", sampling_rates.CYCLES)
def test_hardware_samples_have_frequency(
    target: Guest, name: str, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("often") == 0, boot.printed("often")
    sampling_rates.check_cycles(boot.out, name)


@pytest.mark.parametrize("target", ARM64, ids=str)
def test_hardware_sample_number_matches_count(
    target: Guest, boots: Boots[Guest]
) -> None:
    boot = boots[target]
    assert boot.command("sample") == 0
    samples = _dump(boot.out / "retire.cap")
    assert len(samples) == pytest.approx(CYCLES / PERIOD, rel=0.02)
    assert {sample["last_reset_val"] for sample in samples} == {2**64 - PERIOD}
