# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test a capture's metadata, to which all its chunks contribute."""

from __future__ import annotations

import pytest
from helpers.readers import read_capture
from helpers.sample_capture import DONE, SESS
from helpers.writers import capture, chunk, cook, json_chunk, mapping, maps


def test_total_number_of_cookies_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.metadata.MAX_COOKIES", 3)
    chunks = [cook([(n, "/x", None), (9, "/y", None)]) for n in range(3)]
    _, recording = read_capture(capture(SESS, *chunks, cook([(1, "/z", None)]), DONE))
    assert [problem.message for problem in recording.problems] == [
        "more than 3 cookies"
    ]
    assert {n: file.path for n, file in recording.source.cookies.items()} == {
        0: "/x",
        1: "/z",
        9: "/y",
    }


def test_total_number_of_mappings_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.metadata.MAX_MAPPINGS", 3)
    one, two = (
        json_chunk(
            "MAPS", maps(tgid, [mapping(n, n + 1, 0, "/x") for n in range(tgid)])
        )
        for tgid in (1, 2)
    )
    _, recording = read_capture(capture(SESS, one, two, one, DONE))
    (problem,) = recording.problems
    assert problem.message == "more than 3 mappings"
    assert recording.source.maps.epoch == 2


@pytest.mark.parametrize(
    "kind,text", [("KSYM", b""), ("KEND", b""), ("DONE", DONE[24:].rstrip(b"\0"))]
)
def test_second_chunk_of_a_kind_is_a_problem(kind: str, text: bytes) -> None:
    _, recording = read_capture(capture(SESS, chunk(kind, text), chunk(kind, text)))
    assert f"a second {kind} chunk" in [
        problem.message for problem in recording.problems
    ]


def test_first_symbols_after_last_ones_are_a_problem() -> None:
    chunks = chunk("KEND", b"8000000000000001 t x\n"), chunk("KSYM", b"")
    _, recording = read_capture(capture(SESS, *chunks, DONE))
    assert [problem.message for problem in recording.problems] == ["KSYM after KEND"]
    kernel = recording.source.kernel
    assert kernel is not None
    assert [symbol.name for symbol in kernel.all()] == ["x"]
