# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read unwind tables (perfmon_unwind.h), and compile them with unwind_compiler."""

from __future__ import annotations

import subprocess
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np

HEAD = np.dtype(
    [
        *(("magic", "<u4"), ("version", "<u2"), ("machine", "<u2"), ("start", "<u8")),
        *(("nr_blocks", "<u4"), ("nr_rows", "<u4"), ("nr_rules", "<u4")),
        ("size", "<u4"),
    ]
)
MAGIC = 0x776E7570
VERSION = 2
BLOCK = 256
X86_64, AARCH64 = 62, 183


class Kind(IntEnum):
    """The values of enum pfm_unwind_kind."""

    NONE, END, BAD, REG, MEM, PLT, SIGNAL = range(7)


class Ra(IntEnum):
    """The values of enum pfm_unwind_ra."""

    CFA, REG, RBX = range(3)


class Fp(IntEnum):
    """The values of enum pfm_unwind_fp."""

    SAME, CFA, FP, LOST = range(4)


class Rule(NamedTuple):
    """The fields of struct pfm_unwind_rule."""

    kind: int
    reg: int = 0
    ra: int = 0
    fp: int = 0
    cfa_offset: int = 0
    ra_offset: int = 0
    fp_offset: int = 0


NONE = Rule(Kind.NONE)
RULE = np.dtype(
    [
        *((name, "u1") for name in Rule._fields[:4]),
        *((name, "<i4") for name in Rule._fields[4:]),
    ]
)


@dataclass(frozen=True)
class Table:
    """An unwind table whose layout was checked."""

    machine: int
    starts: list[int]  # of each row: its offset in the file
    rules: list[Rule]  # of each row
    size: int
    described: int  # number of different rules

    def rule(self, offset: int) -> Rule:
        """Return the rule that applies at an offset in the file."""
        number = bisect_right(self.starts, offset)
        return self.rules[number - 1] if number else NONE

    def between(self, start: int, end: int) -> list[Rule]:
        """Return all rules that apply between two offsets."""
        first = bisect_right(self.starts, start)
        last = bisect_left(self.starts, end, first)
        return [self.rule(start), *self.rules[first:last]]


def decode(data: bytes) -> Table:
    """Check a table's layout, without the code under test; return the table."""
    head = np.frombuffer(data, HEAD, 1)[0]
    blocks, rows, rules = (
        int(head[name]) for name in ("nr_blocks", "nr_rows", "nr_rules")
    )
    at = [HEAD.itemsize]
    for size in (4 * (blocks + 1), RULE.itemsize * rules, 2 * rows, rows):
        at.append(at[-1] + size)
    assert (head["magic"], head["version"]) == (MAGIC, VERSION)
    assert len(data) == head["size"] == at[-1]
    assert head["start"] % BLOCK == 0
    index = np.frombuffer(data, "<u4", blocks + 1, at[0]).astype(np.int64)
    numbers = np.frombuffer(data, "<u2", rows, at[2])
    offsets = np.frombuffer(data, "u1", rows, at[3]).astype(np.int64)
    assert index[0] == 0 and index[-1] == rows
    assert (np.diff(index) >= 0).all()
    block = np.repeat(np.arange(blocks), np.diff(index))
    starts = int(head["start"]) + block * BLOCK + offsets
    assert (np.diff(starts) > 0).all()
    dictionary = [
        Rule(*row) for row in np.frombuffer(data, RULE, rules, at[1]).tolist()
    ]
    assert len(set(dictionary)) == rules
    of_rows = [dictionary[number] for number in numbers]
    return Table(int(head["machine"]), starts.tolist(), of_rows, len(data), rules)


class Compiler:
    """Compile tables."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, path: Path | str) -> subprocess.CompletedProcess[bytes]:
        """Run the compiler on a file."""
        return subprocess.run([self.program, path], capture_output=True, check=False)

    def __call__(self, path: Path | str) -> Table:
        """Compile a file's table and return it."""
        run = self.run(path)
        assert run.returncode == 0, run.stderr
        return decode(run.stdout)

    def complaint(self, path: Path) -> str:
        """Return the reason why a file has no table."""
        run = self.run(path)
        assert run.returncode == 1 and run.stdout == b""
        return run.stderr.decode().removeprefix(f"{path} ").rstrip()
