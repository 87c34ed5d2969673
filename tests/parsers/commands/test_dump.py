# SPDX-License-Identifier: MIT OR GPL-2.0
"""The dump command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli import run
from three_samples import SAMPLES, SETS
from writers import IIP_HDR, NO_HDR, buffer, bufr, capture, json_chunk, session, totals


def test_dump_json_has_one_sample_per_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "dump", "--json", file)
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict() for sample in SAMPLES
    ]


def test_dump_text_has_one_sample_per_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "dump", file)
    assert len(out.splitlines()) == 3
    first = out.splitlines()[0].split()
    assert {"pid=101", "ip=0x1000", "pmd2=18446744073709551615"} <= set(first)


@pytest.mark.parametrize("flags", [NO_HDR, IIP_HDR])
def test_dump_has_only_the_fields_that_were_recorded(
    flags: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    chunks = [json_chunk("SESS", session(SETS)), bufr(buffer(SAMPLES, flags=flags))]
    path.write_bytes(capture(*chunks, json_chunk("DONE", totals(3))))
    _, out, _ = run(capsys, "dump", "--json", str(path))
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict(flags) for sample in SAMPLES
    ]
