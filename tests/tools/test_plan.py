# SPDX-License-Identifier: MIT OR GPL-2.0
"""What contexts are programmed with: numbers and precise levels of events."""

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


@pytest.mark.parametrize(
    ("options", "notify"),
    [
        ((), [True, True, True]),
        (("--smpl-notify=0,1",), [False, True, True]),
        (("--smpl-notify=,0,0",), [True, False, False]),
    ],
)
def test_events_ask_for_notification_unless_told_not_to(
    printer: Printer, options: tuple[str, ...], notify: list[bool]
) -> None:
    session = printer.session(
        *("-e", "cycles,instructions,branches", *options),
        "--long-smpl-periods=1000,1000,1000",
    )
    assert [pmd["notify"] for pmd in session["sets"][0]["pmds"]] == notify


def test_further_words_of_events_are_registers_of_their_own(printer: Printer) -> None:
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
