# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the tables of profiles for pprof and OpenTelemetry."""

from __future__ import annotations

import pytest
from pfmparse.analysis.profile import Frame, Profile
from pfmparse.exports.interface import ExportError
from pfmparse.exports.tables import Place, Tables, checked

# A stack of hot(), which is inlined into main(), and a stack of main() alone.
PROFILE = Profile(
    frames=[
        Frame("main", "/bin/x", "x.c", 5, 0x10),
        Frame("hot", "/bin/x", "x.c", 9, 0x10, inlined=True),
    ],
    parents=[-1, 0],
    frame_of=[0, 1],
)


def test_inlined_frames_are_lines_of_one_place() -> None:
    tables = Tables(PROFILE)
    assert tables.stack(1) == [1] and tables.stack(0) == [2]
    assert list(tables.places()) == [
        Place(1, 1, 0x10, [(1, 9), (2, 5)]),
        Place(2, 1, 0x10, [(2, 5)]),
    ]
    assert list(tables.functions) == [("hot", "x.c"), ("main", "x.c")]
    assert list(tables.mappings) == ["/bin/x"]


def test_strings_are_numbered_once() -> None:
    tables = Tables(PROFILE)
    assert [tables.string(text) for text in ("a", "", "a", "\udcff")] == [1, 0, 1, 2]
    assert list(tables.encoded()) == [b"", b"a", b"\\xff"]


def test_sum_above_63_bits_is_refused() -> None:
    assert checked((1 << 63) - 1) == (1 << 63) - 1
    with pytest.raises(ExportError, match="does not fit into 63 bits"):
        checked(1 << 63)
