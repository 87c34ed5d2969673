# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read captures in a format without a parser."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from helpers.cli import printed, run, told
from helpers.sink_buffer import UUID_SINK, SinkRegion, sink
from helpers.writers import bufr, capture, json_chunk, session, totals
from pfmparse import PfmParseError, open_capture

UUID = "00000000-0000-0000-0000-000000000009"


def unknown_capture() -> bytes:
    """Build a capture of one buffer."""
    described = session(uuid=UUID)
    described["format"]["name"] = "mine"
    chunks = [bufr(b"whatever"), json_chunk("DONE", totals(3))]
    return capture(json_chunk("SESS", described), *chunks)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the path of a file with unknown_capture()."""
    path = tmp_path / "x.pfm"
    path.write_bytes(unknown_capture())
    return str(path)


def test_info_describes_capture_without_parser(
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
    assert "parser: none, the samples cannot be decoded" in lines
    assert "samples: unknown" in lines and "lost samples: 7" in lines


@pytest.mark.parametrize("command", ["dump", "report"])
def test_commands_without_parser_fail(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, command, file)
    assert (status, out) == (1, "")
    assert f"no parser for format {UUID}" in err


def test_opening_without_parser_needs_any_format() -> None:
    with pytest.raises(PfmParseError, match=f"no parser for format {UUID}"):
        open_capture(io.BytesIO(unknown_capture()))
    recording = open_capture(io.BytesIO(unknown_capture()), any_format=True)
    assert list(recording.batches()) == []
    assert recording.origin is None and recording.uncounted
    assert json.loads(recording.source.session_text)["format"]["name"] == "mine"


@pytest.fixture
def sink_file(tmp_path: Path) -> str:
    """Return the path of a capture with two copies of a sink buffer.

    The first copy has two records. The second repeats them and adds a third one.
    """
    first, second = SinkRegion(1, (b"a" * 8, b"b" * 8)), SinkRegion(2, (b"c" * 24,))
    images = [sink([first, SinkRegion()]), sink([first, second], lost0=9)]
    chunks = [*map(bufr, images), json_chunk("DONE", totals(3))]
    path = tmp_path / "sink.pfm"
    described = json_chunk("SESS", session(uuid=UUID_SINK))
    path.write_bytes(capture(described, *chunks))
    return str(path)


LOST = {"overwritten": 6, "full": 9, "table": 3, "registers": 4, "other": 5}


def test_unknown_sink_samples_are_counted(
    sink_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = told(capsys, "info", sink_file)
    assert described["format"]["parser"] is None
    assert (described["samples"], described["problems"]) == (3, [])
    assert described["lost_in_buffers"] == LOST


def test_unknown_sink_records_count_all_their_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two, path = SinkRegion(1, (b"a" * 8, b"b" * 8)), tmp_path / "x.pfm"
    images = [sink([two], past=5), sink([two], past=8), sink([two], past=8)]
    described = json_chunk("SESS", session(uuid=UUID_SINK))
    path.write_bytes(
        capture(described, *map(bufr, images), json_chunk("DONE", totals(0)))
    )
    assert told(capsys, "info", str(path))["samples"] == 10


def test_report_of_unknown_sink_has_losses(
    sink_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "report", sink_file, "--json")
    report = json.loads(out)
    assert (report["rows"], report["total"]) == ([], 3)
    assert report["lost_in_buffers"] == LOST
    assert status == 1 and f"no parser for format {UUID_SINK}" in err
    _, out, _ = run(capsys, "report", sink_file)
    assert out.startswith(
        "samples: 3\nlost samples: 7\nlost in buffers: 6 overwritten,"
    )


def test_damaged_unknown_sink_is_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, image = tmp_path / "x.pfm", sink([SinkRegion(1, (b"a" * 8,), count=9)])
    described = json_chunk("SESS", session(uuid=UUID_SINK))
    path.write_bytes(capture(described, bufr(image), json_chunk("DONE", totals(0))))
    status, out, err = run(capsys, "info", "--json", str(path))
    assert (
        status == 1 and "rgn_count: region 0: no room for 9 records in 8 bytes" in err
    )
    assert json.loads(out)["samples"] == 0
