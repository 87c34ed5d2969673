# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read FARG chunks, which record changes of the format's argument."""

from __future__ import annotations

import json

import pytest
from helpers.readers import read_capture
from helpers.sample_capture import DONE, SESS
from helpers.writers import Json, capture, farg
from pfmparse.capture.argument import ArgumentChange, parse_change
from pfmparse.errors import PfmParseError

CHANGE = {"realtime_ns": 1732098765000000000, "uncertainty_ns": 7, "arg": "00ff"}


def test_change_is_read_as_written() -> None:
    assert parse_change(json.dumps(CHANGE).encode(), 0) == ArgumentChange(
        realtime_ns=1732098765000000000, uncertainty_ns=7, arg=b"\0\xff"
    )


@pytest.mark.parametrize(
    "change", [{"realtime_ns": -1}, {"uncertainty_ns": 0.5}, {"arg": "0"}]
)
def test_bad_value_names_its_path(change: Json) -> None:
    (name,) = change
    with pytest.raises(PfmParseError) as error:
        parse_change(json.dumps({**CHANGE, **change}).encode(), 64)
    assert error.value.message.startswith(f"FARG.{name}: ")
    assert error.value.offset == 64


def test_number_of_changes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.argument.MAX_CHANGES", 2)
    chunks = [farg(n, "00") for n in range(3)]
    _, recording = read_capture(capture(SESS, *chunks, DONE))
    assert [problem.message for problem in recording.problems] == [
        "more than 2 FARG chunks"
    ]
    assert [change.realtime_ns for change in recording.source.changes] == [0, 1]
