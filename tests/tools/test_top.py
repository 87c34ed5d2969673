# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the options of pfmon top, and the viewer that it starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pfmon import ERROR, Pfmon, complaint_of, without_kernel

# A viewer that prints its input, and then its arguments.
SHOWS = '#!/bin/sh\ncat "/proc/self/fd/3"\necho shown as: $* >&2\n'


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-o", "x"), "pfmon top does not write a file"),
        (("--snapshot=1",), "pfmon top does not write a file"),
        (("--interval=0",), "--interval: '0' is not a number of seconds"),
        (("-e", "page-faults", "true"), "pfmon top needs a sampling period"),
    ],
)
def test_top_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, ("top", *arguments))


@pytest.mark.parametrize("option", ["--batch", "--interval=1", "--rows=3"])
def test_top_options_are_rejected_elsewhere(pfmon: Pfmon, option: str) -> None:
    arguments = ("-e", "cpu-clock", option, "true")
    assert "unrecognized option" in complaint_of(pfmon, arguments)


def beside(pfmon: Pfmon, directory: Path) -> Pfmon:
    """Install a viewer next to a copy of pfmon; return the copy."""
    program = directory / "pfmparse"
    program.write_text(SHOWS)
    program.chmod(0o755)
    return Pfmon(Path(shutil.copy2(pfmon.program, directory)))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "top /proc/self/fd/3"),
        (
            ("--batch", "--iterations=2", "--window=1s", "--rows=5", "--sort=comm"),
            "top --iterations=2 --window=1s --rows=5 --sort=comm --batch"
            " /proc/self/fd/3",
        ),
    ],
)
def test_top_passes_options_to_viewer(
    pfmon: Pfmon, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    without_kernel()
    run = beside(pfmon, tmp_path)("top", *options)
    assert run.returncode == ERROR
    assert f"shown as: {words}\n" in run.stderr
    assert "perfmon is not loaded" in run.stderr


def test_top_prints_messages_after_the_display(pfmon: Pfmon, tmp_path: Path) -> None:
    without_kernel()
    said = beside(pfmon, tmp_path)("top").stderr.splitlines()
    assert [line.partition(" ")[0] for line in said] == ["shown", "pfmon:"]


def test_top_names_missing_viewer(pfmon: Pfmon, tmp_path: Path) -> None:
    alone = Pfmon(Path(shutil.copy2(pfmon.program, tmp_path)))
    run = alone("top")
    if "is neither in pfmon's directory nor in PATH" not in run.stderr:
        pytest.skip("pfmparse is installed on this machine")
    assert run.returncode == ERROR
