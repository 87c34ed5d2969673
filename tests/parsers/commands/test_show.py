# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the show command."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import pytest
from helpers.cli import printed, run, told
from helpers.itanium import CODE, ear_capture, ear_session, load
from helpers.sink_buffer import UUID_SINK
from helpers.writers import Sample
from helpers.writers import capture as capture_of
from helpers.writers import json_chunk, session, simple_capture

SAMPLES = [load(CODE + at, 0x6000 + 8 * at, 5) for at in (0, 0, 1)]


def capture(tmp_path: Path, view: Optional[dict[str, Any]]) -> str:
    """Write a capture that requests this view, if any; return the capture's path."""
    sess = ear_session("data_ear_cache_lat4")
    if view is not None:
        sess["view"] = view
    path = tmp_path / "x.pfm"
    path.write_bytes(ear_capture(SAMPLES, sess))
    return str(path)


@pytest.mark.parametrize(
    "options,same",
    [
        ({}, []),
        ({"view": "data", "top": "1"}, ["--view", "data", "--top", "1"]),
        ({"view": "level", "per": "latency"}, ["--view=level", "--per=latency"]),
        ({"l2": "3", "l3": "4", "cum": "50"}, ["--l2=3", "--l3=4", "--cum=50"]),
    ],
)
def test_show_equals_the_command_of_the_view(
    options: dict[str, str],
    same: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = capture(tmp_path, {"command": "mem", "options": options})
    assert printed(capsys, "show", path) == printed(capsys, "mem", *same, path)
    assert told(capsys, "show", path) == told(capsys, "mem", *same, path)


def test_show_applies_the_selection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = capture(tmp_path, {"command": "mem", "options": {}})
    assert told(capsys, "show", "--kernel", path)["total"] == 0


def test_show_without_view_prints_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = capture(tmp_path, None)
    assert printed(capsys, "show", path) == printed(capsys, "report", path)


@pytest.mark.parametrize(
    "view,reason",
    [
        ({"command": "dump", "options": {}}, "no view 'dump'"),
        ({"command": "", "options": {}}, "no view ''"),
        ({"command": "mem", "options": {"symfs": "/tmp"}}, "has no option 'symfs'"),
        ({"command": "mem", "options": {"json": ""}}, "has no option 'json'"),
        ({"command": "mem", "options": {"vie": "data"}}, "has no option 'vie'"),
        ({"command": "mem", "options": {"view": "all"}}, "invalid choice: 'all'"),
        ({"command": "mem", "options": {"view": "--help"}}, "invalid choice"),
        ({"command": "mem", "options": {"top": "0"}}, "at least 1, not '0'"),
        (
            {"command": "mem", "options": {"top": "/etc/passwd"}},
            "must be a number of at least 1",
        ),
        (
            {"command": "mem", "options": {"l2": "3"}},
            "--l2 and --l3 must be used together",
        ),
        (
            {"command": "mem", "options": {"view": "level", "per": "page"}},
            "--per page is not available for --view level",
        ),
    ],
)
def test_show_of_unknown_view_prints_a_report(
    view: dict[str, Any],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = capture(tmp_path, view)
    status, out, err = run(capsys, "show", path)
    assert "x.pfm: unknown view in the capture: " in err and reason in err
    assert (status, out) == (0, printed(capsys, "report", path))


def test_show_fails_if_samples_lack_data_of_view(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"command": "mem", "options": {"view": "data"}}
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample()], {**session(), "view": asked}))
    status, out, err = run(capsys, "show", str(path))
    assert (status, out) == (1, "") and "the samples have no data-address" in err


def test_show_needs_a_parser_for_the_view(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"command": "mem", "options": {}}
    sess = session(uuid=UUID_SINK)
    path = tmp_path / "x.pfm"
    path.write_bytes(capture_of(json_chunk("SESS", {**sess, "view": asked})))
    status, out, err = run(capsys, "show", str(path))
    assert (status, out) == (1, "")
    assert err.startswith(f"pfmparse: {path}: no parser for format {UUID_SINK}")


def test_show_refuses_a_non_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(b"just text")
    status, out, err = run(capsys, "show", str(path))
    assert (status, out) == (1, "") and "not a capture" in err
