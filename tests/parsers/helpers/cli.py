# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the commands, in this process or as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
from pfmparse.__main__ import main

ROOT = Path(__file__).parents[3]
PARSERS = ROOT / "parsers"

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *argv: str) -> tuple[int, str, str]:
    """Return the exit status, standard output and standard error of a command."""
    status = main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def printed(capsys: Capture, *argv: str) -> str:
    """Return the output of a command, which must succeed without a warning."""
    status, out, err = run(capsys, *argv)
    assert (status, err) == (0, "")
    return out


def told(capsys: Capture, *argv: str, warns: bool = False) -> Any:
    """Return the JSON output of a command, which may warn only if ``warns`` is set."""
    status, out, err = run(capsys, *argv, "--json")
    assert status == 0 and (warns or err == "")
    return json.loads(out)


def rows(
    capsys: Capture, by: str, path: str | Path, warns: bool = False
) -> dict[Any, int]:
    """Return a report's counts by key; check that keys are unique."""
    report = told(capsys, "report", "--by", by, str(path), warns=warns)
    assert len({row["key"] for row in report["rows"]}) == len(report["rows"])
    return {row["key"]: row["count"] for row in report["rows"]}


def importing(*directories: Path) -> dict[str, str]:
    """Return an environment with these directories in PYTHONPATH."""
    return {**os.environ, "PYTHONPATH": ":".join(map(str, directories))}


def program(
    *argv: str,
    directories: tuple[Path, ...] = (PARSERS,),
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """Run pfmparse as a program, with these directories in PYTHONPATH."""
    return subprocess.run(
        [sys.executable, "-m", "pfmparse", *argv],
        env=importing(*directories),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )
