# SPDX-License-Identifier: MIT OR GPL-2.0
"""The recorded state of files without a build ID."""

from __future__ import annotations

from typing import Optional

import pytest
from pfmparse.capture.file_state import FileState, parse_build_id, parse_state
from pfmparse.capture.json_node import Node
from pfmparse.errors import PfmParseError


@pytest.mark.parametrize(
    "members,state",
    [
        ({}, None),
        ({"size": 7}, None),
        ({"size": None, "mtime_ns": None}, None),
        ({"size": 7, "mtime_ns": 8}, FileState(7, 8)),
        ({"size": 7, "mtime_ns": 8, "go_build_id": "a/b"}, FileState(7, 8, "a/b")),
    ],
)
def test_file_state_is_optional(
    members: dict[str, object], state: Optional[FileState]
) -> None:
    assert parse_state(Node(members, "MAPS", 0)) == state


@pytest.mark.parametrize(
    "members",
    [{"size": -1, "mtime_ns": 8}, {"size": 7, "mtime_ns": "8"}, {"go_build_id": 5}],
)
def test_bad_file_state_is_refused(members: dict[str, object]) -> None:
    with pytest.raises(PfmParseError, match="MAPS"):
        parse_state(Node(members, "MAPS", 0))


@pytest.mark.parametrize(
    "told,build_id", [(None, None), ("", None), ("0aff", b"\x0a\xff")]
)
def test_build_id_may_be_unknown(told: object, build_id: Optional[bytes]) -> None:
    assert parse_build_id(Node({"build_id": told}, "MAPS", 0)) == build_id
