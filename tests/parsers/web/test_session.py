# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the captures that a page shows, and read them again if they have changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.live_stream import stream
from helpers.served import session_of
from helpers.stacks_capture import STACKS, stack_capture
from pfmparse.analysis.selection import Selection
from pfmparse.errors import PfmParseError
from pfmparse.web.choice import Choice, Number


def test_base_selection_applies_to_all_views(stacks: Path) -> None:
    with session_of(stacks, selection=Selection(tids=[101])) as session:
        assert session.cells.sums.total() == 1
        assert [row.weight for row in session.report(Choice(), "line")] == [1]


def test_changed_capture_is_read_again(stacks: Path) -> None:
    with session_of(stacks) as session:
        session.refresh()
        assert session.generation == 1
        stacks.write_bytes(stack_capture(STACKS * 2))
        session.refresh()
        assert session.generation == 2
        assert session.cells.sums.total() == 20
        assert sum(row.weight for row in session.report(Choice(), "ip")) == 20


def test_growing_capture_shows_more_samples(tmp_path: Path) -> None:
    path, whole = tmp_path / "live.pfm", stream(4)
    counts = []
    path.write_bytes(whole[: whole.rindex(b"BUFR")])
    with session_of(path) as session:
        counts.append(session.cells.sums.total())
        assert any("ends" in text for text in session.warnings)
        path.write_bytes(whole)
        session.refresh()
        assert not any("ends" in text for text in session.warnings)
        counts.append(session.cells.sums.total())
    assert 0 < counts[0] < counts[1] == 10


def test_report_has_threads_of_the_selected_capture(
    stacks: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.pfm"
    other.write_bytes(stack_capture())
    with session_of(stacks, other) as session:
        rows = session.report(Choice(tids=[Number(100, 1)]), "file")
        assert [(row.values[0].key, row.weight) for row in rows] == [(str(other), 9)]


def test_unreadable_change_keeps_the_old_samples(stacks: Path) -> None:
    with session_of(stacks) as session:
        stacks.write_bytes(b"no capture")
        with pytest.raises(PfmParseError, match="stacks.pfm: "):
            session.refresh()
        assert session.generation == 1 and session.cells.sums.total() == 10


def test_useless_capture_is_refused(tmp_path: Path) -> None:
    data = bytearray(stack_capture())
    data[data.index(b"BUFR") + 300] ^= 1
    path = tmp_path / "x.pfm"
    path.write_bytes(data)
    with pytest.raises(PfmParseError, match="x.pfm: offset .*checksum"):
        session_of(path)


def test_report_skips_captures_without_the_event(stacks: Path, tmp_path: Path) -> None:
    other = tmp_path / "live.pfm"
    other.write_bytes(stream())
    with session_of(stacks, other) as session:
        rows = session.report(Choice(events=["event-1"]), "file")
        assert [(row.values[0].key, row.weight) for row in rows] == [(str(stacks), 3)]


def test_unreadable_change_keeps_weight_and_warnings(
    stacks: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.pfm"
    cut.write_bytes(stack_capture()[:-8])
    with session_of(stacks, cut) as session:
        before = dict(session.warnings), session.weight
        damaged = bytearray(stack_capture())
        damaged[damaged.index(b"BUFR") + 300] ^= 1
        stacks.write_bytes(damaged)
        with pytest.raises(PfmParseError, match="checksum"):
            session.refresh()
        assert before == (session.warnings, session.weight) and before[0]
