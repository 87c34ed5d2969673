# SPDX-License-Identifier: MIT OR GPL-2.0
"""Conditions that select samples."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pfmparse.analysis.conditions import CONDITIONS, read_numbers, selected
from pfmparse.analysis.selection import Selection
from pfmparse.analysis.times import Window


def test_each_condition_has_its_own_field() -> None:
    names = {field.name for field in fields(Selection)}
    own = [condition.field for condition in CONDITIONS.values()]
    assert sorted([*own, "kernel", "time"]) == sorted(names)


def test_conditions_become_a_selection() -> None:
    window = Window(1, 2)
    found = selected({"pid": [1], "comm": ["c*"]}, False, window)
    assert found == Selection(pids=[1], comms=["c*"], kernel=False, time=window)


@pytest.mark.parametrize("text", ["", "x", "3-2", "0-65536", "4294967296"])
def test_bad_numbers_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_numbers(text)
