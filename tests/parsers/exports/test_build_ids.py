# SPDX-License-Identifier: MIT OR GPL-2.0
"""Collect the build IDs that captures record."""

from __future__ import annotations

from helpers.readers import opened
from helpers.writers import Sample, captured, cook, json_chunk, mapping, maps
from pfmparse.exports.build_ids import build_ids_of


def test_build_ids_come_from_mappings_and_cookies() -> None:
    where = [
        mapping(0x1000, 0x2000, 0, "/bin/x", "ab12"),
        mapping(0x3000, 0x4000, 0, "/bin/none"),
    ]
    chunks = json_chunk("MAPS", maps(100, where)), cook(
        [(5, "/bin/y", "cd34"), (6, "/bin/z", None)]
    )
    source = opened(captured([Sample()], *chunks))
    assert build_ids_of([source]) == {"/bin/x": b"\xab\x12", "/bin/y": b"\xcd\x34"}


def test_replaced_file_has_no_build_id() -> None:
    first, second = (
        json_chunk("MAPS", maps(100, [mapping(0x1000, 0x2000, 0, "/bin/x", build_id)]))
        for build_id in ("ab", "cd")
    )
    assert build_ids_of([opened(captured([Sample()], first, second))]) == {}
    twice = opened(captured([Sample()], first, first))
    assert build_ids_of([twice, twice]) == {"/bin/x": b"\xab"}
