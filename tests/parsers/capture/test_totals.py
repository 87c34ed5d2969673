# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the JSON of the DONE chunk."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.writers import changed, totals
from pfmparse.capture.totals import EventTotals, Tick, Turns, parse_tick, parse_totals
from pfmparse.errors import PfmParseError


def test_totals_are_read_as_written() -> None:
    parsed = parse_totals(json.dumps(totals(9)).encode(), 0)
    assert (parsed.samples, parsed.lost, parsed.notifications) == (9, 7, 3)
    assert parsed.counts[0].value == 123


def test_unknown_totals_are_null() -> None:
    document = {**totals(9), "samples": None, "exit_status": None}
    assert parse_totals(json.dumps(document).encode(), 0).samples is None


@pytest.mark.parametrize("name", sorted(totals(0)))
def test_missing_member_is_named(name: str) -> None:
    document = totals(0)
    del document[name]
    with pytest.raises(PfmParseError, match=f"DONE: missing member '{name}'"):
        parse_totals(json.dumps(document).encode(), 0)


@pytest.mark.parametrize(
    "path,value",
    [
        (["lost"], None),
        (["samples"], -1),
        (["notifications"], 1 << 64),
        (["exit_status"], 1 << 31),
        (["exit_status"], -(1 << 31) - 1),
        (["counts"], {}),
        (["counts", 0, "pmd"], 320),
        (["counts", 0, "set"], 1 << 16),
        (["counts", 0, "context"], 1 << 32),
        (["counts", 0, "event"], None),
        (["turns"], {}),
        (["throttled"], -1),
        (["limited"], -1),
    ],
)
def test_bad_value_names_its_path(path: list[Any], value: object) -> None:
    with pytest.raises(PfmParseError) as error:
        parse_totals(changed(totals(9), path, value), 64)
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert error.value.message.startswith(f"DONE{''.join(steps)}: ")
    assert error.value.offset == 64


def test_totals_tell_how_often_counters_were_throttled() -> None:
    done = {**totals(9), "throttled": 5, "limited": 6}
    parsed = parse_totals(json.dumps(done).encode(), 0)
    assert (parsed.throttled, parsed.limited) == (5, 6)


def test_totals_without_throttling_are_valid() -> None:
    parsed = parse_totals(json.dumps(totals(9)).encode(), 0)
    assert (parsed.throttled, parsed.limited) == (None, None)


def test_totals_without_event_set_turns_are_valid() -> None:
    assert parse_totals(json.dumps(totals(9)).encode(), 0).turns == ()
    turns = {"context": 1, "set": 2, "active_ns": 3, "runs": 4}
    (parsed,) = parse_totals(changed(totals(9), ["turns"], [turns]), 0).turns
    assert parsed == Turns(context=1, set=2, active_ns=3, runs=4)


def test_turns_contain_whole_time() -> None:
    turns = {"context": 1, "set": 2, "active_ns": 3, "runs": 4, "whole_ns": 5}
    parsed = parse_totals(changed(totals(9), ["turns"], [turns]), 0)
    assert [vars(of_set) for of_set in parsed.turns] == [turns]


@pytest.mark.parametrize("status", [-(1 << 31), -9, 255, (1 << 31) - 1])
def test_exit_status_has_32_bits(status: int) -> None:
    text = changed(totals(9), ["exit_status"], status)
    assert parse_totals(text, 0).exit_status == status


@pytest.mark.parametrize("error", [None, "Permission denied"])
def test_totals_tell_losses_of_process_events(error: str | None) -> None:
    events = {"error": error, "lost": 5}
    parsed = parse_totals(changed(totals(9), ["process_events"], events), 0)
    assert parsed.process_events == EventTotals(error, 5)
    assert parse_totals(json.dumps(totals(9)).encode(), 0).process_events is None


def test_totals_tell_how_proc_limited_the_recording() -> None:
    assert parse_totals(changed(totals(9), ["proc"], "polled"), 0).proc == "polled"
    assert parse_totals(json.dumps(totals(9)).encode(), 0).proc is None


@pytest.mark.parametrize("name", ["error", "lost"])
def test_bad_loss_of_process_events_is_named(name: str) -> None:
    events = {"error": None, "lost": 5, name: -1}
    with pytest.raises(PfmParseError, match=f"DONE.process_events.{name}: "):
        parse_totals(changed(totals(9), ["process_events"], events), 0)


TICK = {"elapsed_ns": 10**9, "samples": 5, "lost": 2}


def test_tick_has_totals_so_far() -> None:
    assert parse_tick(json.dumps(TICK).encode(), 0) == Tick(10**9, 5, 2)
    assert parse_tick(changed(TICK, ["samples"], None), 0).samples is None
    assert parse_tick(json.dumps({**TICK, "skipped": 4}).encode(), 0).skipped == 4


@pytest.mark.parametrize("member", ["elapsed_ns", "lost"])
def test_bad_tick_member_is_named(member: str) -> None:
    with pytest.raises(PfmParseError, match=f"TICK.{member}: not an integer"):
        parse_tick(changed(TICK, [member], "x"), 0)
