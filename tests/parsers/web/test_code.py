# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that a function's code in JSON agrees with annotate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.exporting import called
from helpers.served import answered, session_of
from pfmparse.errors import RequestError
from pfmparse.web import code
from pfmparse.web.session import Session


def number_of(session: Session, name: str) -> int:
    """Return the number of a function."""
    return [label.name for label in session.cells.tree.labels].index(name)


def annotated(file: Path, *options: str) -> Any:
    """Return the first function that annotate prints."""
    argv = ("annotate", "-s", "hot", "--json", *options, str(file))
    status, out, err = called(*argv)
    assert status == 0, err
    return json.loads(out)["functions"][0]


@pytest.mark.parametrize("event", ["", "loads"])
def test_code_agrees_with_annotate(event: str, captures: dict[str, Path]) -> None:
    file = captures["default"]
    expected = annotated(file, *(["--event", event] if event else []))
    with session_of(file) as session:
        chosen: dict[str, object] = {"event": event} if event else {}
        function = number_of(session, "hot")
        found = answered(session, "code", function=function, **chosen)
    assert (found["name"], found["events"]) == ("hot", expected["events"])
    assert found["totals"] == expected["totals"]
    assert found["lines"] == expected["lines"]
    for mine, theirs in zip(found["instructions"], expected["instructions"]):
        assert int(mine["address"], 16) == theirs["address"]
        assert mine["weights"] == theirs["weights"]
        assert mine["line"] == (theirs["line"] or "")


def test_long_code_has_only_lines_with_samples(
    captures: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "MOST", 1)
    with session_of(captures["default"]) as session:
        found = answered(session, "code", function=number_of(session, "hot"))
    assert all(any(line["weights"]) for line in found["lines"])
    assert "lines without samples are left out" in found["lacks"]


def test_function_without_samples_has_no_code(session: Session) -> None:
    with pytest.raises(RequestError, match="no samples in a function 'main'"):
        answered(session, "code", function=number_of(session, "main"))


def test_code_without_a_file_says_so(session: Session) -> None:
    found = answered(session, "code", function=number_of(session, "hot"))
    assert found["lacks"] == ["[jit] cannot be read: only addresses are shown"]
    assert found["instructions"][0]["weights"] == [6]
