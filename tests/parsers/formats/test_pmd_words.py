# SPDX-License-Identifier: MIT OR GPL-2.0
"""PMD values after the records of a sink."""

from __future__ import annotations

import struct

import numpy as np
from pfmparse import Records, parse_session, session_template, struct_dtype
from pfmparse.formats.pmd_words import groups

HEAD = struct_dtype(
    8,
    [
        ("ovfl_pmd", "<u2", 0),
        ("set", "<u2", 2),
        ("num_pmds", "<u2", 4),
        ("reserved", "<u2", 6),
    ],
)
TEXT = session_template("00000000-0000-4000-8000-00000000000c")
SESSION = parse_session(TEXT.replace(b'"smpl_pmds": []', b'"smpl_pmds": [4, 6]'), 0)


def found(*records: tuple[int, int, tuple[int, ...]]) -> dict[int, dict[int, int]]:
    """Return the PMD values of records, which are given as PMD, set and words."""
    data = b"".join(
        struct.pack(f"<HHHH{len(words)}Q", pmd, event_set, len(words), 0, *words)
        for pmd, event_set, words in records
    )
    lines = Records(memoryview(data), len(records), 0, 1)
    heads, behind = lines.walk(HEAD, lambda heads: heads["num_pmds"])
    values: dict[int, dict[int, int]] = {}
    for group in groups(lines, SESSION, heads, behind):
        which = np.arange(heads.size)[group.which].tolist()
        for record, row in zip(which, group.values.tolist()):
            values[record] = dict(zip(group.pmds, row))
    return values


def test_pmd_words_follow_the_session() -> None:
    assert found((0, 0, (7, 8)), (0, 0, (9, 10))) == {
        0: {4: 7, 6: 8},
        1: {4: 9, 6: 10},
    }


def test_pmd_words_of_unknown_records_are_skipped() -> None:
    known, fewer, other_pmd, other_set = (0, 0, (7, 8)), (0, 0, (7,)), 3, 1
    assert found(fewer, known, (other_pmd, 0, (1, 2)), (0, other_set, (3, 4))) == {
        1: {4: 7, 6: 8}
    }
