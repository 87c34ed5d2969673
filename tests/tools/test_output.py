# SPDX-License-Identifier: MIT OR GPL-2.0
"""Overwrite the output file for counts, append to it, or leave it unchanged."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from counts import Counts, thread
from pfmon import ERROR, SAMPLING, Pfmon, complaint_of, without_kernel

LINE = f"{5:20d} r1\n"


def test_outfile_is_overwritten(counts: Counts, tmp_path: Path) -> None:
    path = tmp_path / "counts"
    path.write_text("what was there before, and longer than what comes\n")
    assert counts.printed(f"-o {path} -e r1", *thread(5), "end 0") == ""
    assert path.read_text() == LINE


def test_append_keeps_file_content(counts: Counts, tmp_path: Path) -> None:
    path = tmp_path / "counts"
    for _ in range(2):
        counts.printed(f"--append -o {path} -e r1", *thread(5), "end 0")
    assert path.read_text() == 2 * LINE


@pytest.mark.parametrize("before", [None, "as it was\n"])
def test_failed_measurement_keeps_outfile(
    pfmon: Pfmon, tmp_path: Path, before: str | None
) -> None:
    without_kernel()
    path = tmp_path / "counts"
    if before:
        path.write_text(before)
    assert pfmon("-o", str(path), "-e", "r1", "true").returncode == ERROR
    # Standard error is closed. If the output file got descriptor 2, the messages would
    # be written to it.
    closed = f'exec {pfmon.program} -o "$0" -e r1 true 2>&-'
    assert subprocess.run(["sh", "-c", closed, path]).returncode == ERROR
    assert (path.read_text() if path.exists() else None) == before


def test_unwritable_outfile_is_refused_at_start(
    counts: Counts, pfmon: Pfmon, tmp_path: Path
) -> None:
    path, made = tmp_path / "no/counts", tmp_path / "made"
    run = pfmon("-o", str(path), "-e", "r1", "touch", str(made))
    assert run.returncode == ERROR
    assert run.stderr == f"pfmon: cannot write {path}: No such file or directory\n"
    assert not made.exists()
    full = counts.run("-o /dev/full -e r1", *thread(5), "end 0")
    assert full.returncode == ERROR
    assert "cannot write /dev/full: No space left" in full.stderr


def test_outfile_keeps_only_last_snapshot(counts: Counts, tmp_path: Path) -> None:
    path = tmp_path / "counts"
    script = [*thread(123456789), "snapshot", *thread(5), "end 0"]
    counts.printed(f"--snapshot=1 -o {path} -e r1", *script)
    assert path.read_text() == LINE


@pytest.mark.parametrize(
    "options, printed", [("", "stderr"), ("--csv", "stdout"), ("--json", "stdout")]
)
def test_text_leaves_standard_output_alone(
    counts: Counts, options: str, printed: str
) -> None:
    run = subprocess.run(
        [counts.program, *options.split(), "-e", "r1", "true"],
        input="\n".join([*thread(5), "end 0", ""]),
        capture_output=True,
        text=True,
        check=True,
    )
    silent = "stderr" if printed == "stdout" else "stdout"
    assert "5" in getattr(run, printed)
    assert getattr(run, silent) == ""


def test_dash_is_standard_output(counts: Counts) -> None:
    assert counts.printed("-o - -e r1", *thread(5), "end 0") == LINE
    run = counts.run("--append -o - -e r1", *thread(5), "end 0")
    assert "--append" in run.stderr


def test_capture_is_refused_on_standard_output(pfmon: Pfmon) -> None:
    assert "give a file or a named pipe" in complaint_of(
        pfmon, (*SAMPLING, "-o", "-", "true")
    )
