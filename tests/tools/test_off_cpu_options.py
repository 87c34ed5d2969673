# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check the events, PMDs and privilege levels of --off-cpu and --wall-clock."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pfmon import Pfmon

CPU_CLOCK, TASK_CLOCK, SWITCHES = (1 << 56 | event for event in (0, 1, 3))
EXCLUDE = {"u": 1 << 49, "k": 1 << 48, "uk": 0}
STATE = 255


def planned(pfmon: Pfmon, *arguments: str, option: str = "--off-cpu") -> Any:
    """Return the session of a dry run of --off-cpu."""
    run = pfmon(option, "--dry-run", "--json", *arguments, "true")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("levels", EXCLUDE)
def test_each_context_switch_records_the_cpu_time(pfmon: Pfmon, levels: str) -> None:
    session = planned(pfmon, f"-{levels}")
    (only,) = session["sets"]
    pmcs = {pmc["num"]: pmc["value"] for pmc in only["pmcs"]}
    assert pmcs == {n: e | EXCLUDE[levels] for n, e in ((0, SWITCHES), (1, TASK_CLOCK))}
    switches = only["pmds"][0]
    assert switches["smpl_pmds"] == [session["off_cpu"], STATE]
    assert session["off_cpu"] == 1
    assert switches["long_reset"] == switches["short_reset"] == (1 << 64) - 1
    assert session["format"]["name"] == "callstack"


def test_further_pmds_are_recorded(pfmon: Pfmon) -> None:
    session = planned(pfmon, "--smpl-pmds=tid")
    assert session["sets"][0]["pmds"][0]["smpl_pmds"] == [1, STATE, 257]


def test_sums_have_the_same_events(pfmon: Pfmon) -> None:
    session = planned(pfmon, option="--off-cpu=sum")
    assert session["sets"] == planned(pfmon)["sets"]
    assert session["format"]["name"] == "stacks"
    # pfmparse need not calculate the times, because the format has summed them.
    assert "off_cpu" not in session


@pytest.mark.parametrize(
    ("option", "notify"),
    [("--off-cpu", "0"), ("--off-cpu=sum", "0"), ("--wall-clock", "0,,0")],
)
def test_notifications_can_be_disabled(pfmon: Pfmon, option: str, notify: str) -> None:
    (only,) = planned(pfmon, f"--smpl-notify={notify}", option=option)["sets"]
    assert not any(pmd["notify"] for pmd in only["pmds"] if pmd["sampling"])


@pytest.mark.parametrize(
    ("option", "period"),
    [
        ("-uk", 10**6),
        ("-F99", 10**9 // 99),
        ("--long-smpl-periods=5000", 5000),
        ("--short-smpl-periods=5000", 5000),
    ],
)
def test_wall_clock_also_samples_a_clock(
    pfmon: Pfmon, option: str, period: int
) -> None:
    session = planned(pfmon, option, "-uk", option="--wall-clock")
    (only,) = session["sets"]
    pmcs = {pmc["num"]: pmc["value"] for pmc in only["pmcs"]}
    assert pmcs == {0: CPU_CLOCK, 1: TASK_CLOCK, 2: SWITCHES}
    sampling = {pmd["num"]: pmd for pmd in only["pmds"] if pmd["sampling"]}
    periods = {n: (1 << 64) - pmd["long_reset"] for n, pmd in sampling.items()}
    assert periods == {0: period, 2: 1}
    assert not any(pmd["random_mask"] for pmd in sampling.values())
    assert {tuple(pmd["smpl_pmds"]) for pmd in sampling.values()} == {(1, STATE)}
    assert (session["off_cpu"], session["wall_clock"]) == (1, 0)
    assert session["format"]["name"] == "callstack"


@pytest.mark.parametrize("option", ["-F99", "--long-smpl-periods=5000"])
def test_users_can_choose_the_random_mask(pfmon: Pfmon, option: str) -> None:
    mask = "--smpl-periods-random=255:7"
    (only,) = planned(pfmon, option, mask, option="--wall-clock")["sets"]
    clock = only["pmds"][0]
    assert (clock["random_mask"], clock["random_seed"]) == (255, 7)


def test_other_sessions_do_not_claim_context_switches(pfmon: Pfmon) -> None:
    run = pfmon("-g", "--dry-run", "--json", "true")
    assert not {"off_cpu", "wall_clock"} & json.loads(run.stdout).keys()
