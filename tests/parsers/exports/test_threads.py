# SPDX-License-Identifier: MIT OR GPL-2.0
"""Split profiles by event and thread."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import Capture, run
from helpers.stacks_capture import stack_capture
from pfmparse.analysis.profile import Profile, Row, Thread
from pfmparse.exports.threads import Titles, by_event_and_thread, thread_name

ONE = Thread("build7", 100, 101, "worker")


def test_profile_rows_are_grouped_by_event_and_thread() -> None:
    rows = [Row(0, 1, 0, 1, 1), Row(1, 0, 0, 2, 2), Row(2, 1, 0, 3, 3)]
    found = by_event_and_thread(Profile(events=["a", "b"], threads=[ONE], rows=rows))
    assert found == [((0, 0), [rows[1]]), ((1, 0), [rows[0], rows[2]])]


def test_profile_title_names_what_differs() -> None:
    rows = [Row(0, 0, 0, 1, 1)]
    plain = Profile(events=["a", "b"], threads=[ONE], rows=rows)
    assert Titles(plain).of(0, 0) == "worker 100/101"
    plain.rows.append(Row(0, 1, 0, 1, 1))
    assert Titles(plain).of(1, 0) == "b, worker 100/101"
    plain.threads.append(Thread("build8", 100, 101, "worker"))
    assert Titles(plain).of(1, 1) == "b, build8: worker 100/101"


def test_thread_name_has_known_ids_only() -> None:
    assert thread_name(Thread("", 100, None, "x")) == "x 100"
    assert thread_name(Thread("", None, None, "[unknown]")) == "[unknown]"


@pytest.mark.parametrize("to", ["firefox", "speedscope"])
def test_viewers_get_no_file_without_threads(
    to: str, tmp_path: Path, capsys: Capture
) -> None:
    path, out = tmp_path / "x.pfm", tmp_path / "x"
    path.write_bytes(stack_capture([]))
    argv = ["export", str(path), "--to", to, "-o", str(out)]
    status, _, err = run(capsys, *argv)
    assert status == 1 and "not written: no sample is selected" in err
    assert not out.exists()
