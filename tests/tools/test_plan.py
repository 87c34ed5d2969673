# SPDX-License-Identifier: MIT OR GPL-2.0
"""Plan the registers of contexts: numbers, levels, sets and CPUs of events."""

from __future__ import annotations

from typing import Any

import pytest
from sessions import Printer

PRECISE_SHIFT = 52


@pytest.mark.parametrize("name", ["default", "nway", "pebs32", "pebs64", "oprofile"])
def test_events_are_numbered(printer: Printer, name: str) -> None:
    session = printer.session(
        *("-e", "cycles,instructions,branches", f"--smpl-module={name}"),
        "--long-smpl-periods=1000,1000",
    )
    pmds = session["sets"][0]["pmds"]
    assert [pmd["eventid"] for pmd in pmds] == [0, 1, 2]


def precise_levels(session: Any) -> list[int]:
    return [pmc["value"] >> PRECISE_SHIFT & 3 for pmc in session["sets"][0]["pmcs"]]


@pytest.mark.parametrize(
    ("options", "event", "levels"),
    [
        (("--smpl-module=pebs64",), "cycles", [1, 0]),
        (("--smpl-module=pebs32",), "cycles:pp", [2, 0]),
        (("--smpl-module=pebs64", "--smpl-imprecise"), "cycles", [0, 0]),
        (("--smpl-module=pebs64", "--smpl-imprecise"), "cycles:p", [1, 0]),
        (("--smpl-module=nway",), "cycles", [0, 0]),
    ],
)
def test_pebs_makes_sampling_events_precise(
    printer: Printer, options: tuple[str, ...], event: str, levels: list[int]
) -> None:
    events = ("-e", f"{event},instructions", "--long-smpl-periods=1000")
    assert precise_levels(printer.session(*events, *options)) == levels


def test_plan_sets_privilege_levels_per_event(printer: Printer) -> None:
    session = printer.session(
        *("-e", "cycles,instructions,branches:u", "-k", "--priv-levels=uk,,k"),
        "--long-smpl-periods=1000",
    )
    levels = [pmc["value"] >> 48 & 3 for pmc in session["sets"][0]["pmcs"]]
    exclude_user, exclude_kernel = 1, 2
    assert levels == [0, exclude_user, exclude_kernel]


@pytest.mark.parametrize(
    ("options", "notify"),
    [
        ((), [True, True, True]),
        (("--smpl-notify=0,1",), [False, True, True]),
        (("--smpl-notify=,0,0",), [True, False, False]),
    ],
)
def test_smpl_notify_limits_notifying_events(
    printer: Printer, options: tuple[str, ...], notify: list[bool]
) -> None:
    session = printer.session(
        *("-e", "cycles,instructions,branches", *options),
        "--long-smpl-periods=1000,1000,1000",
    )
    assert [pmd["notify"] for pmd in session["sets"][0]["pmds"]] == notify


def test_config1_and_config2_get_separate_pmcs(printer: Printer) -> None:
    event = "software/config=2,config1=7,config2=0x1ffffffff/"
    session = printer.session(
        "-e", f"cycles,{event},cycles", "--long-smpl-periods=1000"
    )
    (only,) = session["sets"]
    numbers = {pmc["num"]: pmc["value"] for pmc in only["pmcs"]}
    assert list(numbers) == [0, 1, 2, 65, 129]
    assert numbers[1] == 1 << 56 | 2
    assert (numbers[65], numbers[129]) == (7, 0x1FFFFFFFF)
    assert [pmd["event"] for pmd in only["pmds"]] == ["cycles", event, "cycles"]


TWO_SETS = ("-e", "cycles,instructions", "-e", "branches", "--switch-timeout=4")
OVFL_SWITCH, TIME_SWITCH, EXCL_IDLE = 1, 2, 8


def test_event_sets_have_separate_registers(printer: Printer) -> None:
    session = printer.session(*TWO_SETS, "--long-smpl-periods=1000,,1000")
    first, second = session["sets"]
    assert [pmd["event"] for pmd in first["pmds"]] == ["cycles", "instructions"]
    assert [pmd["num"] for pmd in first["pmds"]] == [0, 1]
    assert [pmd["num"] for pmd in second["pmds"]] == [0]
    assert [pmc["num"] for pmc in second["pmcs"]] == [0]
    # Each sample also records the counts of those events without a period that are
    # in its set.
    assert first["pmds"][0]["smpl_pmds"] == [1]
    assert second["pmds"][0]["smpl_pmds"] == []
    assert [pmd["eventid"] for pmd in first["pmds"] + second["pmds"]] == [0, 1, 2]


def test_reset_pmds_follow_the_set_of_the_sample(printer: Printer) -> None:
    session = printer.session(
        *(*TWO_SETS, "--long-smpl-periods=1000,,1000", "--smpl-pmds=elapsed"),
        "--reset-non-smpl-periods",
    )
    resets = [entry["pmds"][0]["reset_pmds"] for entry in session["sets"]]
    assert resets == [[1, 256], [256]]


def test_smpl_pmds_are_virtual_pmds_by_name(printer: Printer) -> None:
    names = "elapsed,tid,resident,clock,addr,latency,weight2,weight3,source"
    session = printer.session(
        *("-e", "cycles", "--long-smpl-periods=1000"),
        f"--smpl-pmds={names},physical,transaction",
    )
    assert session["sets"][0]["pmds"][0]["smpl_pmds"] == list(range(256, 267))


@pytest.mark.parametrize(
    "names", ["branches", "branch-from,branch-to,branch-flags", "272-295"]
)
def test_smpl_pmds_take_all_branches(printer: Printer, names: str) -> None:
    session = printer.session(
        *("-e", "cycles", "--long-smpl-periods=1000"), f"--smpl-pmds={names}"
    )
    assert session["sets"][0]["pmds"][0]["smpl_pmds"] == list(range(272, 296))
    recorded = [pmd["event"] for pmd in session["sets"][0]["pmds"][1:]]
    assert recorded[:1] + recorded[-1:] == ["branch-from0", "branch-flags7"]


def switches(session: Any) -> list[tuple[int, int]]:
    return [(entry["flags"], entry["timeout_ns"]) for entry in session["sets"]]


def test_sets_switch_by_timeout_or_overflows(printer: Printer) -> None:
    periods = "--long-smpl-periods=1000,,1000"
    session = printer.session(*TWO_SETS, periods)
    assert switches(session) == [(TIME_SWITCH, 4_000_000)] * 2
    session = printer.session(*TWO_SETS, periods, "--switch-overflow=3")
    assert switches(session) == [(OVFL_SWITCH, 0), (TIME_SWITCH, 4_000_000)]
    assert session["sets"][0]["pmds"][0]["switch_overflow"] == 3
    assert "switch_overflow" not in session["sets"][0]["pmds"][1]
    # The last set may stay active forever, so it needs no switch.
    session = printer.session(*TWO_SETS[:-1], periods, "--switch-overflow=3")
    assert switches(session) == [(OVFL_SWITCH, 0), (0, 0)]


def test_events_share_one_set_without_switching(printer: Printer) -> None:
    session = printer.session(*TWO_SETS[:-1])
    (only,) = session["sets"]
    assert [pmd["num"] for pmd in only["pmds"]] == [0, 1, 2]
    assert switches(session) == [(0, 0)]


def test_excl_idle_applies_to_all_sets(printer: Printer) -> None:
    session = printer.session(*TWO_SETS, "--excl-idle", "--system-wide")
    assert [flags for flags, _ in switches(session)] == [TIME_SWITCH | EXCL_IDLE] * 2


def test_plan_lists_cpus_of_restricted_events(printer: Printer) -> None:
    session = printer.session(
        *("--system-wide", "-e", "cycles@0,2-3,instructions@1,branches"),
        "--long-smpl-periods=1000,1000",
    )
    (only,) = session["sets"]
    assert [pmd["event"] for pmd in only["pmds"]] == [
        *("cycles", "instructions", "branches")
    ]
    assert [pmd.get("cpus") for pmd in only["pmds"]] == ["0,2-3", "1", None]


def test_smpl_pmds_exclude_events_of_other_cpus(printer: Printer) -> None:
    session = printer.session(
        *("--system-wide", "-e", "cycles@0,instructions@0-1,branches@1"),
        "--long-smpl-periods=1000",
    )
    assert session["sets"][0]["pmds"][0]["smpl_pmds"] == [1]


@pytest.mark.parametrize("option", ["--smpl-no-hdr", "--smpl-ip-only"])
def test_headerless_samples_need_equal_smpl_pmds(printer: Printer, option: str) -> None:
    periods = "--long-smpl-periods=1000,,1000"
    run = printer.run(*TWO_SETS, periods, option)
    assert run.returncode == 1
    assert "samples of branches do not record the same counters as" in run.stderr
    alike = ("-e", "cycles", "-e", "branches", "--switch-timeout=4")
    printer.session(*alike, "--long-smpl-periods=1000,1000", option)


@pytest.mark.parametrize("name", ["default", "nway"])
def test_buffer_has_room_for_the_longest_samples(printer: Printer, name: str) -> None:
    def size(*events: str) -> int:
        session = printer.session(
            *events, f"--smpl-module={name}", "--smpl-entries=1000"
        )
        return int.from_bytes(bytes.fromhex(session["format"]["arg"])[:8], "little")

    turns = size(*TWO_SETS, "--long-smpl-periods=1000,,1000")
    assert turns == size(*TWO_SETS[:2], "--long-smpl-periods=1000")
