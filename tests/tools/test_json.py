# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that JSON is valid text for names with any bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mappings import entry_of, printer, running


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"new\nline", "new\nline"),
        (b"two  words", "two  words"),
        ("grün".encode(), "grün"),
        (b"latin-\xfc", "latin-?"),
        (b"cut-\xe2\x82", "cut-??"),
        (b"surrogate-\xed\xa0\x80", "surrogate-???"),
        (b'quote"', 'quote"'),
    ],
)
def test_json_escapes_odd_names(
    programs: Path, tmp_path: Path, cat: Path, name: bytes, shown: str
) -> None:
    odd = bytes(tmp_path) + b"/" + name
    os.rename(cat, odd)
    with running(odd) as pid, printer(programs, pid) as maps:
        assert entry_of(maps.news(), f"{tmp_path}/{shown}")["build_id"]
