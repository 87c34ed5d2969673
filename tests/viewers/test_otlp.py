# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read OTLP profiles with protoc and the field numbers of the specification."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from helpers.exporting import NAMES, exported, reported

HERE = Path(__file__).parent
UNKNOWN_FIELD = re.compile(r"^\s*\d+[:{ ]", re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_protoc_knows_all_fields(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    data = exported(captures[name], "otlp", tmp_path / "x").read_bytes()
    command = ["protoc", f"--proto_path={HERE}", "--decode=otlp.ProfilesData"]
    done = subprocess.run([*command, "otlp.proto"], input=data, capture_output=True)
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert not UNKNOWN_FIELD.search(text)
    values = re.findall(r"^ +values: (\d+)$", text, re.MULTILINE)
    total = sum(row["count"] for row in reported(captures[name]))
    assert sum(map(int, values)) == total > 0
