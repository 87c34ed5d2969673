# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the branches that samples record."""

from __future__ import annotations

import pytest
from pfmparse.formats.branches import name_of, texts


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (0, "not available"),
        (12 << 4, "not available"),
        (1, "mispredicted"),
        (2 | 1 << 20, "cond, predicted"),
        (4 | 8 | 6 << 20, "ret, in a transaction, abort of a transaction"),
        (2 | 15 << 20, "15, predicted"),
    ],
)
def test_flags_of_branches_have_names(flags: int, name: str) -> None:
    assert name_of(flags) == name


def test_branches_are_listed_oldest_first() -> None:
    pmds = {"272": 0x10, "280": 0x20, "288": 1 | 12 << 4}
    pmds |= {"273": 0x30, "281": 0x40, "289": 2 | 4 | 8 | 4 << 20, "5": 7}
    assert texts(pmds) == ["0x30/0x40/P/X/A/0/CALL", "0x10/0x20/M/-/-/12/-"]


def test_branches_without_all_pmds_are_listed() -> None:
    assert texts({"281": 0x40, "280": 0, "5": 7}) == ["0x0/0x40/-/-/-/0/-"]
