# SPDX-License-Identifier: MIT OR GPL-2.0
"""The view in the JSON of the SESS chunk."""

from __future__ import annotations

import json

import pytest
from helpers.writers import changed, session
from pfmparse.capture.session import parse_session
from pfmparse.capture.view import View
from pfmparse.errors import PfmParseError

VIEW = {"command": "mem", "options": {"view": "data", "top": "10"}}


def test_view_is_read_as_written() -> None:
    text = json.dumps({**session(), "view": VIEW}).encode()
    assert parse_session(text, 0).view == View("mem", {"view": "data", "top": "10"})


@pytest.mark.parametrize("members", [{}, {"view": None}])
def test_session_without_view_is_valid(members: dict[str, None]) -> None:
    text = json.dumps({**session(), **members}).encode()
    assert parse_session(text, 0).view is None


@pytest.mark.parametrize(
    "path,value",
    [
        (["view"], "mem"),
        (["view"], {}),
        (["view", "command"], 1),
        (["view", "options"], []),
        (["view", "options", "top"], 10),
        (["view", "options", "top"], ["10"]),
    ],
)
def test_invalid_view_in_session_is_refused(path: list[str], value: object) -> None:
    text = changed({**session(), "view": VIEW}, list(path), value)
    with pytest.raises(PfmParseError, match="SESS.view"):
        parse_session(text, 0)
