# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the session-template command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.cli import printed, run, told
from helpers.writers import UUID_2_2, UUID_NWAY, Sample, buffer

OTHER = "00000000-0000-0000-0000-00000000000a"


@pytest.mark.parametrize(
    "argv,name,uuid",
    [
        ([], "default", UUID_2_2),
        (["N-way"], "n-way", UUID_NWAY),
        ([UUID_NWAY.upper()], "n-way", UUID_NWAY),
        ([OTHER.upper()], "", OTHER),
    ],
)
def test_session_template_accepts_name_or_uuid(
    argv: list[str], name: str, uuid: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told_format = json.loads(printed(capsys, "session-template", *argv))["format"]
    assert (told_format["name"], told_format["uuid"]) == (name, uuid)


def test_session_template_lists_known_formats(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = run(capsys, "session-template", "nosuch")
    assert (status, out) == (1, "")
    assert "unknown format 'nosuch': use a UUID or one of default, " in err


def test_session_template_describes_a_raw_buffer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described, image = tmp_path / "session.json", tmp_path / "buffer"
    described.write_text(printed(capsys, "session-template"))
    image.write_bytes(buffer([Sample()] * 3))
    raw = ["--raw", "--session", str(described), str(image)]
    assert told(capsys, "report", "--by", "ip", *raw)["total"] == 3
