# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print where user call chains end, with the info command."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Sequence

import pytest
from helpers.chained import UUID_CALLSTACK, callstack_record
from helpers.cli import printed, told
from helpers.sink_buffer import FILLING, SinkRegion, sink
from helpers.writers import bufr, capture, json_chunk, session, totals

WHOLE, NO_TABLE, UNKNOWN = 1, 4, 7


def written(path: Path, ends: Sequence[int], tables: int = 5) -> str:
    """Write a capture with one call chain for each of ``ends``.

    An end is a value of enum pfm_unwind_why, or 0 if the chain was found without unwind
    tables.
    """
    regions = [
        SinkRegion(at + 1, (callstack_record(user=(1, 2), end=end),), FILLING)
        for at, end in enumerate(ends)
    ]
    sess = session(uuid=UUID_CALLSTACK)
    sess["format"]["arg"] = struct.pack("<QIIIi", 65536, 1, 0, 8, tables).hex()
    path.write_bytes(
        capture(
            json_chunk("SESS", sess),
            *(bufr(sink([region], lost0=0, lost1=0)) for region in regions),
            json_chunk("DONE", totals(len(ends))),
        )
    )
    return str(path)


def test_info_counts_ends_of_user_chains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = [*[WHOLE] * 3, NO_TABLE, *[UNKNOWN] * 2, 0]
    file = written(tmp_path / "cap", ends)
    found = {"whole": 3, "unknown_mappings": 2, "no_table": 1}
    assert told(capsys, "info", file)["user_chains"] == found
    text = "50.00% of 6 whole; unknown mappings 2; no table 1"
    assert f"user call chains: {text}\n" in printed(capsys, "info", file)


def test_info_shows_chain_ends_of_later_kernels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "cap", [99])
    text = "user call chains: 0.00% of 1 whole; end 99 1\n"
    assert text in printed(capsys, "info", file)


@pytest.mark.parametrize(("ends", "tables"), [([0, 0], 5), ([WHOLE], 0)])
def test_info_without_tables_omits_chain_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ends: list[int], tables: int
) -> None:
    file = written(tmp_path / "cap", ends, tables)
    assert told(capsys, "info", file)["user_chains"] is None
    assert "user call chains" not in printed(capsys, "info", file)
