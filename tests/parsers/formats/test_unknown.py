# SPDX-License-Identifier: MIT OR GPL-2.0
"""Captures in a format that no parser is known for."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from helpers.cli import printed, run, told
from helpers.writers import bufr, capture, json_chunk, session, totals
from pfmparse import PfmParseError, open_capture

UUID = "00000000-0000-0000-0000-000000000009"


def unknown_capture() -> bytes:
    """A capture of one buffer."""
    described = session(uuid=UUID)
    described["format"]["name"] = "mine"
    chunks = [bufr(b"whatever"), json_chunk("DONE", totals(3))]
    return capture(json_chunk("SESS", described), *chunks)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """That capture in a file."""
    path = tmp_path / "x.pfm"
    path.write_bytes(unknown_capture())
    return str(path)


def test_info_tells_all_but_the_samples(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = told(capsys, "info", file)
    assert described["format"] == {
        "name": "mine",
        "uuid": UUID,
        "arg": None,
        "parser": None,
    }
    assert (described["buffers"], described["samples"]) == (1, None)
    assert (described["lost"], described["problems"]) == (7, [])
    lines = printed(capsys, "info", file).splitlines()
    assert "parser: none, the samples cannot be read" in lines
    assert "samples: unknown" in lines and "lost samples: 7" in lines


@pytest.mark.parametrize("command", ["dump", "report"])
def test_commands_that_read_samples_fail(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, command, file)
    assert (status, out) == (1, "")
    assert f"no parser for format {UUID}" in err


def test_any_format_must_be_asked_for() -> None:
    with pytest.raises(PfmParseError, match=f"no parser for format {UUID}"):
        open_capture(io.BytesIO(unknown_capture()))
    recording = open_capture(io.BytesIO(unknown_capture()), any_format=True)
    assert list(recording.batches()) == []
    assert recording.origin is None and recording.uncounted
    assert json.loads(recording.source.session_text)["format"]["name"] == "mine"
