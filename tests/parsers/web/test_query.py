# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the parameters of requests, and refuse bad ones."""

from __future__ import annotations

from typing import Callable
from urllib.parse import urlencode

import pytest
from pfmparse.analysis.requests import read_numbers
from pfmparse.errors import RequestError
from pfmparse.web.query import Query

KNOWN = ("n", "x")


def query(text: str) -> Query:
    """Parse the parameters in ``text``."""
    return Query(text, KNOWN)


def test_parameters_are_decoded() -> None:
    found = query("n=7&x=a%20b&x=%CE%B1")
    assert found.number("n", 8) == 7
    assert list(found.texts("x")) == ["a b", "α"]
    assert query("").text("x", "default") == "default"
    assert query("").number("n", 8, 3) == 3
    assert query("n=1-3&n=5").read("n", read_numbers) == [1, 2, 3, 5]


@pytest.mark.parametrize(
    "text,matches,others",
    [
        ("HOT", ["is hot"], ["ho"]),
        ("warm|Sched|", ["lukewarm", "schedule"], ["", "hot|"]),
        ("f(int*)", ["f(int*)"], ["fint"]),
        ("(a+)+$", ["(a+)+$"], ["a" * 60 + "!"]),
    ],
)
def test_pattern_is_a_list_of_texts(
    text: str, matches: list[str], others: list[str]
) -> None:
    pattern = query(urlencode({"x": text})).pattern("x")
    assert pattern is not None
    assert all(pattern.search(name) for name in matches)
    assert not any(pattern.search(name) for name in others)


def test_pattern_without_texts_is_none() -> None:
    assert query("x=").pattern("x") is query("x=|").pattern("x") is None


@pytest.mark.parametrize(
    "text,use,said",
    [
        ("y=1", lambda q: None, "unknown parameter 'y'; known: n, x"),
        ("n", lambda q: None, "the parameters 'n' are not valid"),
        ("n=%ff", lambda q: None, "are not valid"),
        ("n=1&n=2", lambda q: q.text("n"), "'n' is given more than once"),
        ("n=8", lambda q: q.number("n", 8), "must be a number below 8, not '8'"),
        ("n=-1", lambda q: q.number("n", 8), "not '-1'"),
        ("n=٣", lambda q: q.number("n", 8), "not '٣'"),
        ("", lambda q: q.number("n", 8), "not ''"),
        ("n=" + "9" * 5000, lambda q: q.number("n", 8), "must be a number"),
        ("n=a", lambda q: q.read("n", read_numbers), "parameter 'n': must be"),
    ],
)
def test_bad_parameter_is_refused(
    text: str, use: Callable[[Query], object], said: str
) -> None:
    with pytest.raises(RequestError, match="(?s).*") as error:
        use(query(text))
    assert said in str(error.value)
