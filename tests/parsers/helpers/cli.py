# SPDX-License-Identifier: MIT OR GPL-2.0
"""Short ways to run the commands, in this process and as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pfmparse.__main__ import main

ROOT = Path(__file__).parents[3]
PARSERS = ROOT / "parsers"

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *argv: str) -> tuple[int, str, str]:
    """Exit status, output and error output of a command."""
    status = main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def printed(capsys: Capture, *argv: str) -> str:
    """What a command prints without complaint."""
    status, out, err = run(capsys, *argv)
    assert (status, err) == (0, "")
    return out


def told(capsys: Capture, *argv: str, warns: bool = False) -> Any:
    """The JSON that a command prints, without complaint unless it ``warns``."""
    status, out, err = run(capsys, *argv, "--json")
    assert status == 0 and (warns or err == "")
    return json.loads(out)


def rows(
    capsys: Capture, by: str, path: str | Path, warns: bool = False
) -> dict[Any, int]:
    """Keys and counts of a report whose keys differ."""
    report = told(capsys, "report", "--by", by, str(path), warns=warns)
    assert len({row["key"] for row in report["rows"]}) == len(report["rows"])
    return {row["key"]: row["count"] for row in report["rows"]}


def importing(*directories: Path) -> dict[str, str]:
    """An environment in which Python finds what is in these directories."""
    return {**os.environ, "PYTHONPATH": ":".join(map(str, directories))}


def program(
    *argv: str, directories: tuple[Path, ...] = (PARSERS,)
) -> subprocess.CompletedProcess[str]:
    """pfmparse, run as a program of its own, found in these directories."""
    return subprocess.run(
        [sys.executable, "-m", "pfmparse", *argv],
        env=importing(*directories),
        capture_output=True,
        text=True,
    )
