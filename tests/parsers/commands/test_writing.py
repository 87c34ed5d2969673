# SPDX-License-Identifier: MIT OR GPL-2.0
"""Replace output files atomically."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pfmparse.commands.outcome import BadInput
from pfmparse.commands.writing import check_target, replaced


def test_output_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with replaced(path) as new:
        new.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_output_file_is_kept_on_error(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replaced(path) as new:
        new.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_output_to_symlink_replaces_its_target(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    with replaced(link) as new:
        new.write_text("new")
    assert link.is_symlink() and real.read_text() == "new"


def test_output_to_pipe_keeps_the_pipe(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(fifo.read_text)
        with replaced(fifo) as new:
            new.write_text("whole")
        assert read.result() == "whole"
    assert fifo.is_fifo() and list(tmp_path.iterdir()) == [fifo]


def test_output_error_names_the_directory(tmp_path: Path) -> None:
    for path, error in (
        (tmp_path, IsADirectoryError),
        (tmp_path / "none" / "x", FileNotFoundError),
    ):
        with pytest.raises(error) as raised, replaced(path):
            pass
        assert raised.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_output_must_not_be_an_input(tmp_path: Path) -> None:
    path, other = tmp_path / "x", tmp_path / "y"
    path.write_text("capture")
    other.hardlink_to(path)
    with pytest.raises(BadInput, match="is also an input"):
        check_target(other, ["/nonexistent", str(path)])
    check_target(tmp_path / "new", [str(path)])
    check_target(tmp_path / "new", ["/nonexistent"])
