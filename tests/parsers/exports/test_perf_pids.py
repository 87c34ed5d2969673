# SPDX-License-Identifier: MIT OR GPL-2.0
"""Choose the process IDs in perf.data when several captures are exported."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from helpers.writers import Sample, captured, json_chunk, mapping, maps
from pfmparse.analysis.columns import NOBODY
from pfmparse.analysis.inputs import Input, Options
from pfmparse.analysis.selection import Selection
from pfmparse.exports import perf_pids
from pfmparse.exports.interface import ExportError, Job
from pfmparse.exports.perf_pids import STEP, AllPids, Pids
from pfmparse.recording import open_capture
from pfmparse.symbols.location import SymbolOptions


def source(path: str) -> Input:
    """Open a capture of process 100, which maps a file."""
    where = maps(100, [mapping(0x1000, 0x2000, 0, path)])
    data = captured([Sample()], json_chunk("MAPS", where))
    options = Options(Selection(), SymbolOptions())
    return Input("x", open_capture(io.BytesIO(data)), options, lambda _: None)


def test_equal_processes_keep_their_ids() -> None:
    job = Job([], Path())
    pids = AllPids(job)
    assert [pids.of(source("/a")).one(100) for _ in range(2)] == [100, 100]
    assert not job.lacks
    assert pids.of(source("/b")).one(100) == STEP + 100
    assert [*job.lacks] == [perf_pids.SHARED]


def test_too_many_different_processes_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(perf_pids, "END", 2 * STEP)
    pids = AllPids(Job([], Path()))
    for path in ("/a", "/b"):
        pids.of(source(path))
    with pytest.raises(ExportError, match="too many captures in which the same"):
        pids.of(source("/c"))


def test_idle_and_unknown_threads_keep_their_ids() -> None:
    numbers = np.array([0, 1, NOBODY], np.uint64)
    assert Pids(STEP).all(numbers).tolist() == [0, STEP + 1, NOBODY]
    assert [Pids(STEP).one(n) for n in numbers.tolist()] == [0, STEP + 1, NOBODY]
