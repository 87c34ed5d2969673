# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the selection that all views use."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.served import cells_of, session_of, timed
from helpers.stacks_capture import stack_capture
from pfmparse.analysis.requests import Window
from pfmparse.analysis.selection import Selection
from pfmparse.errors import RequestError
from pfmparse.web.cells import Cells
from pfmparse.web.choice import PARAMETERS, Choice, Number, choice_of
from pfmparse.web.query import Query


@pytest.fixture
def cells(tmp_path: Path) -> Cells:
    """Return the cells of a capture of call stacks."""
    return cells_of(tmp_path)


def chosen(cells: Cells, text: str) -> Choice:
    """Return the selection of these parameters."""
    return choice_of(Query(text, PARAMETERS), cells)


@pytest.mark.parametrize(
    "text,samples",
    [
        ("", 10),
        ("tid=101", 1),
        ("tid=100-101", 10),
        ("pid=100", 10),
        ("event=event-1", 3),
        ("event=event-0&event=event-1&tid=100", 9),
        ("event=event-1&tid=101", 0),
        ("from=0&to=100", 1),
        ("from=0&to=101&tid=100", 2),
    ],
)
def test_choice_selects_samples(text: str, samples: int, cells: Cells) -> None:
    which = chosen(cells, text).cells(cells)
    assert cells.sums.some(which).total() == samples


@pytest.mark.parametrize(
    "text,said",
    [
        ("tid=7", "there are no samples of tid 7"),
        ("tid=x", "parameter 'tid': must be a number or a range"),
        ("event=no", "there are no samples of event no"),
        ("from=3", "parameter 'to' must be a number below 902, not ''"),
        ("from=3&to=3", "'to' must be greater than 'from'"),
        ("from=901&to=902", "parameter 'from' must be a number below 901"),
    ],
)
def test_impossible_choice_is_refused(text: str, said: str, cells: Cells) -> None:
    with pytest.raises(RequestError) as error:
        chosen(cells, text)
    assert said in str(error.value)


def test_choice_replaces_wider_conditions(cells: Cells) -> None:
    base = Selection(tids=[100, 101], pids=[100], time=Window(15, 40))
    found = chosen(cells, "tid=101&from=1&to=3").within(base, cells)
    assert found.tids == [101] and found.pids == [100]
    assert found.time == Window(15, 30)
    assert Choice().within(base, cells) == base
    open_end = Selection(time=Window(5, None))
    found = chosen(cells, "from=1&to=3").within(open_end, cells)
    assert found.time == Window(10, 30)


def test_choice_names_the_options_of_reports(cells: Cells) -> None:
    text = "event=event-1&tid=100&pid=100&from=2&to=5"
    found = chosen(cells, text)
    options = "--event event-1 --pid 100 --tid 100 --time 20ns-50ns"
    assert found.options(cells) == options
    assert found.at_any_time().options(cells) == options.rpartition(" --time")[0]


def test_choice_on_a_capture_has_its_events(tmp_path: Path) -> None:
    for name, data in (("two", stack_capture()), ("one", timed(0))):
        (tmp_path / name).write_bytes(data)
    with session_of(tmp_path / "two", tmp_path / "one") as session:
        two, one = (source.recording for source in session.inputs)
    wanted = Choice(events=["event-1", "event-0"])
    assert wanted.on(two, 0) == Choice(["event-1", "event-0"], [], [])
    assert wanted.on(one, 1) == Choice(["event-0"], [], [])
    assert Choice(events=["event-1"]).on(one, 1) is None
    every, first = Number(100), Number(100, 0)
    assert Choice(tids=[every]).on(one, 1) == Choice([], [], [every])
    assert Choice(tids=[first, every]).on(two, 0) == Choice([], [], [first, every])
    assert Choice(tids=[first]).on(one, 1) is None
    assert Choice(pids=[first]).on(one, 1) is None


@pytest.mark.parametrize("name", ["tid", "pid"])
def test_choice_selects_threads_of_one_capture(name: str, tmp_path: Path) -> None:
    cells = cells_of(tmp_path, timed(1, 2, 3), timed(4, 5))
    for value, samples in {"1:100": 3, "2:100": 2, "100": 5}.items():
        choice = chosen(cells, f"{name}={value}")
        assert cells.sums.some(choice.cells(cells)).total() == samples
        file = "" if value == "100" else f" {tmp_path}/{int(value[0]) - 1}.pfm"
        assert choice.options(cells) == f"--{name} 100{file}"
    assert chosen(cells, f"{name}=1:100&{name}=2:100").options(cells) == ""
    for value in ("3:100", "1:101", "0:100", "x:100", ":100"):
        with pytest.raises(RequestError):
            chosen(cells, f"{name}={value}")
