# SPDX-License-Identifier: MIT OR GPL-2.0
"""A memory-mapped file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.memory import resident
from pfmparse.capture.mapped import MappedFile

SIZE, STEP = 8 << 20, 1 << 20  # bytes


def test_only_used_parts_of_mapped_file_are_resident(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(os.urandom(SIZE))
    content = path.read_bytes()
    with open(path, "rb") as stream:
        file = MappedFile(stream.fileno())
        for _ in range(2):
            parts = []
            for start in range(0, SIZE, STEP):
                file.drop(start - STEP)
                parts.append(file.read(start, start + STEP))
                assert bytes(parts[-1] or b"") == content[start : start + STEP]
                # The fault may have mapped pages after this part as well.
                assert resident(path) <= 4 * STEP
        # Dropped parts are read again on access.
        assert b"".join(part for part in parts if part is not None) == content


def test_mapped_file_truncated_later_reads_less(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(bytes(300))
    with open(path, "rb") as stream:
        file = MappedFile(stream.fileno())
        assert file.read(0, 300) == bytes(300) and file.read(0, 301) is None
        os.truncate(path, 200)
        assert file.read(100, 201) is None and file.read(100, 200) == bytes(100)


def test_empty_file_cannot_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    with open(path, "rb") as stream, pytest.raises(ValueError):
        MappedFile(stream.fileno())
