# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the layout of a format's argument, and the fields of --smpl-arg."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

LAYOUT = """\
buf_size 0 8 65536 bytes
max_depth 8 2 16 frames
level 10 1 255 number
threshold 12 4 0 bytes live
"""
SIZE = 24
ARG = "<QHBxI8x"


def make(
    programs: Path, assignments: str, layout: str = LAYOUT, size: int = SIZE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [programs / "arg_maker", layout, str(size), assignments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("assignments", "fields"),
    [
        ("", (65536, 16, 255, 0)),
        ("max_depth=3", (65536, 3, 255, 0)),
        ("buf_size=64k,max_depth=0x10", (65536, 16, 255, 0)),
        ("level=0,threshold=3M", (65536, 16, 0, 3 << 20)),
        ("buf_size=2G", (2 << 30, 16, 255, 0)),
        ("buf_size=0x1K,threshold=7", (1024, 16, 255, 7)),
        ("buf_size=18446744073709551615", (2**64 - 1, 16, 255, 0)),
        ("max_depth=65535,level=254", (65536, 65535, 254, 0)),
        ("threshold=4294967295", (65536, 16, 255, 2**32 - 1)),
    ],
)
def test_smpl_arg_sets_fields_and_keeps_defaults(
    programs: Path, assignments: str, fields: tuple[int, ...]
) -> None:
    run = make(programs, assignments)
    assert run.stderr == ""
    printed = run.stdout.splitlines()
    assert bytes.fromhex(printed[0]) == struct.pack(ARG, *fields)
    names = ("buf_size", "max_depth", "level", "threshold")
    assert printed[1] == ",".join(f"{n}={v}" for n, v in zip(names, fields))


@pytest.mark.parametrize(
    ("assignments", "complaint"),
    [
        (
            "depth=3",
            "the argument of the sampling format x has no field 'depth'; "
            "it has buf_size, max_depth, level, threshold",
        ),
        ("=3", "has no field ''"),
        ("Level=3", "has no field 'Level'"),
        ("max_depth", "'max_depth' is not NAME=VALUE"),
        ("level=1,", "'' is not NAME=VALUE"),
        ("max_depth=", "max_depth=: '' is not a number such as 16"),
        ("max_depth=-1", "'-1' is not a number"),
        ("max_depth=a", "'a' is not a number"),
        ("buf_size=64kB", "'64kB' is not a number such as 65536, 0x10000 or 64k"),
        ("buf_size=k", "'k' is not a number"),
        ("buf_size=1 k", "'1 k' is not a number"),
        (
            "max_depth=64k",
            "k, M and G are for bytes, but this is a number of frames",
        ),
        ("max_depth=65536", "the field has 2 bytes, and holds at most 65535"),
        ("level=256", "the field has 1 bytes, and holds at most 255"),
        ("threshold=4G", "the field has 4 bytes, and holds at most 4294967295"),
        ("buf_size=18446744073709551616", "is not a number"),
        ("buf_size=17179869184G", "is not a number"),
        ("level=1,level=1", "level is given twice"),
    ],
)
def test_invalid_smpl_arg_fields_are_refused(
    programs: Path, assignments: str, complaint: str
) -> None:
    run = make(programs, assignments)
    assert run.returncode == 1
    assert run.stdout == ""
    assert complaint in run.stderr


@pytest.mark.parametrize(
    "line",
    [
        "beyond 17 8 1 bytes",
        "beyond 25 1 1 bytes",
        "beyond 18446744073709551615 8 1 bytes",
        "large 0 9 1 bytes",
        "empty 0 0 1 bytes",
        "short 0 8 1",
        "negative at 8 1 bytes",
        "",
    ],
)
def test_invalid_layout_lines_are_ignored(programs: Path, line: str) -> None:
    run = make(programs, "", f"{line}\nlevel 10 1 7 number\n")
    assert run.stdout.splitlines() == ["00" * 10 + "07" + "00" * 13, "level=7"]


def test_unknown_layout_words_are_ignored(programs: Path) -> None:
    run = make(programs, "level=1", "level 0 1 7 number between 1 and 7\n", 1)
    assert run.stdout.splitlines() == ["01", "level=1"]
