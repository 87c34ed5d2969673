# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the extract command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.cli import printed, run, told
from helpers.three_samples import nway_capture
from helpers.writers import bufr, bufr_pieces, capture, contexts, json_chunk, session

UUID = "00000000-0000-0000-0000-000000000009"


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the path of a capture of two contexts in a format without a parser."""
    described = {**session(uuid=UUID), "contexts": contexts(2)}
    chunks = [bufr(b"first", 1), bufr_pieces([(2, b"ab")], 6), bufr(b"lost", 9)]
    path = tmp_path / "x.pfm"
    path.write_bytes(capture(json_chunk("SESS", described), *chunks))
    return str(path)


def test_extract_writes_buffers_of_any_format(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "new/out"
    status, out, err = run(capsys, "extract", file, str(into))
    assert status == 0
    assert out.splitlines() == [
        f"{into}/000000-context-1.bin: 5 bytes",
        f"{into}/000001-context-0.bin: 6 bytes",
    ]
    assert (into / "000000-context-1.bin").read_bytes() == b"first"
    assert (into / "000001-context-0.bin").read_bytes() == b"\0\0ab\0\0"
    assert "context 9, which is not in the session" in err


def test_extract_json_names_the_files(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = str(tmp_path / "out")
    assert told(capsys, "extract", file, into, warns=True) == {
        "session": f"{into}/session.json",
        "buffers": [
            {"file": f"{into}/000000-context-1.bin", "context": 1, "bytes": 5},
            {"file": f"{into}/000001-context-0.bin", "context": 0, "bytes": 6},
        ],
    }


def test_extracted_buffer_is_read_as_raw_buffer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, into = tmp_path / "nway.pfm", tmp_path / "out"
    path.write_bytes(nway_capture())
    printed(capsys, "extract", str(path), str(into))
    raw = ["--raw", "--session", str(into / "session.json")]
    out = printed(capsys, "dump", "--json", *raw, str(into / "000001-context-0.bin"))
    ips = [json.loads(line)["ip"] for line in out.splitlines()]
    assert ips == [0x1000, 0x1000, 0x2000]


def test_extract_does_not_overwrite_files(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "extract", file, str(tmp_path / "out"))
    status, out, err = run(capsys, "extract", file, str(tmp_path / "out"))
    assert (status, out) == (1, "")
    assert err == f"pfmparse: {tmp_path}/out/session.json: File exists\n"
