# SPDX-License-Identifier: MIT OR GPL-2.0
"""Name the states of threads."""

from __future__ import annotations

import pytest
from pfmparse.formats.thread_state import name_of


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (82, "runnable"),
        (114, "running"),
        (83, "sleeping"),
        (116, "traced"),
        (90, "ended"),
    ],
)
def test_letters_have_names(value: int, name: str) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize("value", [0, ord("q"), 128, 0x110000, (1 << 64) - 1])
def test_other_numbers_are_printed(value: int) -> None:
    assert name_of(value) == f"{value:#x}"
