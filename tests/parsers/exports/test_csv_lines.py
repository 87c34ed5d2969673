# SPDX-License-Identifier: MIT OR GPL-2.0
"""Assemble lines of comma-separated fields."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import pytest
from pfmparse.analysis.interner import Ids
from pfmparse.exports import csv_lines
from pfmparse.exports.csv_lines import Field, Numbers, Same, Texts, assembled

LIMITS = [
    0,
    *(base**n + d for base in (10, 16) for n in range(1, 16) for d in (-1, 0)),
]
LIMITS += [10**19 - 1, 10**19, (1 << 64) - 1]


def lines(*fields: Field) -> list[str]:
    """Return the assembled lines."""
    text = b"".join(assembled(fields)).decode()
    assert text.endswith("\r\n")
    return text[:-2].split("\r\n")


def texts(made: Sequence[str]) -> Texts:
    """Return a Texts in which the ID of each text is its index in ``made``."""
    return Texts(lambda ids: [made[at].encode() for at in ids.tolist()])


@pytest.mark.parametrize("base,form", [(10, "{}"), (16, "{:#x}")])
def test_numbers_have_no_leading_zeros(base: int, form: str) -> None:
    numbers = np.array(LIMITS, np.uint64)
    assert lines(Numbers(numbers, base=base)) == [form.format(n) for n in LIMITS]


def test_unknown_numbers_are_empty() -> None:
    numbers, there = np.array([7, 80, 900], np.uint64), np.array([True, False, True])
    assert lines(Numbers(numbers, there), Numbers(numbers, ~there)) == [
        *("7,", ",80", "900,"),
    ]


def test_texts_of_any_size_are_copied() -> None:
    made = ["".join(chr(97 + at % 26) for at in range(size)) for size in range(140)]
    ids = np.random.default_rng(1).permutation(np.repeat(np.arange(len(made)), 3))
    assert lines(texts(made).of(ids)) == [made[at] for at in ids.tolist()]


def test_texts_may_all_be_empty() -> None:
    fields = [texts(["", ""]).of(np.array([0, 1])), Same(b"x", 2)]
    assert lines(*fields) == [",x", ",x"]


def test_text_is_made_once() -> None:
    asked: list[int] = []

    def make(ids: Ids) -> list[bytes]:
        asked.extend(ids.tolist())
        return [b"%d" % at for at in ids.tolist()]

    made = Texts(make)
    for ids in ([5, 2, 5], [2, 900, 0], [0, 5, 900]):
        assert lines(made.of(np.array(ids))) == [str(at) for at in ids]
    assert asked == [2, 5, 0, 900]


@pytest.mark.parametrize("room", [1, 50, 1 << 20])
def test_lines_are_assembled_in_parts(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_lines, "ROOM", room)
    made, count = ["x" * 100, "", "yz"], 30
    ids, numbers = np.arange(count) % 3, np.array([n**5 for n in range(count)], "u8")
    fields = [Same(b"same", count), texts(made).of(ids), Same(b"", count)]
    parts = list(assembled([*fields, Numbers(numbers)]))
    assert all(len(part) <= max(room, 120) for part in parts)
    assert b"".join(parts).decode().splitlines() == [
        f"same,{made[at % 3]},,{at**5}" for at in range(count)
    ]
