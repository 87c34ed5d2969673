# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the unwind information that readelf prints, and compare a table with it.

readelf prints "u" both for unchanged and for undefined registers, and "exp" for any
expression.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from unwind_table import AARCH64, X86_64, Fp, Kind, Ra, Rule, Table

_FDE = re.compile(r"FDE cie=\w+ pc=(\w+)\.\.(\w+)$")
_CIE = re.compile(r"^(\w+) \w+ \w+ CIE ")
_OF = re.compile(r"FDE cie=(\w+)")
# The offset, address and size of an executable segment.
_SEGMENT = re.compile(r"LOAD +(\w+) (\w+) \w+ (\w+) \w+ R[W ]?E")
# A register has a number and a name: "r5 (rdi)".
_VALUE = re.compile(r"\w+ \((\w+)\)|(\S+)")
_SUM = re.compile(r"(\w+)([+-]\d+)")
_X86 = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()
NUMBERS = {
    X86_64: {name: number for number, name in enumerate(_X86)},
    AARCH64: {"sp": 31} | {f"x{number}": number for number in range(31)},
}
SAVED = {X86_64: ("rbp", "rsp"), AARCH64: ("x29", "sp")}


@dataclass(frozen=True)
class Row:
    """A row of readelf's output: where CFA and registers are, from an address on."""

    address: int
    cfa: str
    ra: str = "u"
    fp: str = "u"
    sp: str = "u"
    rbx: str = "u"


@dataclass(frozen=True)
class Code:
    """An FDE as readelf prints it."""

    start: int
    end: int
    rows: list[Row]


def _row(line: str, columns: list[str], machine: int) -> Row:
    address, *values = (found[1] or found[2] for found in _VALUE.finditer(line))
    named = dict(zip(columns, values))
    fp, sp = (named.get(name, "u") for name in SAVED[machine])
    rbx = named.get("rbx", "u")
    return Row(int(address, 16), named["CFA"], named.get("ra", "u"), fp, sp, rbx)


def _blocks(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each CIE and FDE in .eh_frame."""
    done = subprocess.run(
        ["readelf", "-wNF", path], capture_output=True, text=True, check=True
    )
    for block in done.stdout.split("\n\n"):
        lines = [line.rstrip() for line in block.strip().splitlines()]
        if lines:
            yield lines


def frames(path: Path, machine: int) -> Iterator[Code]:
    """Yield the rows of each FDE of a file."""
    of_cie: dict[str, Row] = {}
    for head, *lines in _blocks(path):
        cie, fde = _CIE.match(head), _FDE.search(head)
        if not cie and not fde:
            continue
        columns = lines[0].split()[1:] if lines else []
        rows = [_row(line, columns, machine) for line in lines[1:]]
        if cie and rows:
            of_cie[cie[1]] = rows[0]
        if fde:
            of = _OF.search(head)
            assert of
            start, end = int(fde[1], 16), int(fde[2], 16)
            if not rows:
                first = of_cie[of[1].rjust(8, "0")]
                rows = [replace(first, address=start)]
            yield Code(start, end, rows)


def _agrees_ra(rule: Rule, row: Row, machine: int) -> bool:
    ra = row.ra
    found = _SUM.fullmatch(row.rbx)
    if ra == "c-8" and found and found[1] == "c":
        return (rule.ra, rule.ra_offset) == (Ra.RBX, int(found[2]))
    found = _SUM.fullmatch(ra)
    if found:
        return found[1] == "c" and (rule.ra, rule.ra_offset) == (Ra.CFA, int(found[2]))
    # On arm64, glibc has a function that keeps its return address in x15.
    if ra in ("u", "s") and machine == AARCH64:
        return rule.ra == Ra.REG and rule.ra_offset in (30, 15)
    number = NUMBERS[machine].get(ra)
    return (rule.ra, rule.ra_offset) == (Ra.REG, number)


def _agrees_fp(rule: Rule, fp: str) -> bool:
    found = _SUM.fullmatch(fp)
    if found:
        return found[1] == "c" and (rule.fp, rule.fp_offset) == (Fp.CFA, int(found[2]))
    if fp in ("u", "s"):
        return rule.fp == Fp.SAME
    return rule.fp == Fp.LOST or fp == "exp" and rule.fp == Fp.FP


def _is_buffer(row: Row, machine: int) -> bool:
    """Return True for a row of glibc's longjmp() or setcontext() for arm64.

    There, x0 points to the buffer with the saved registers.
    """
    return machine == AARCH64 and row.cfa == "x0+0"


def agrees(rule: Rule, row: Row, machine: int) -> bool:
    """Return True if a rule agrees with readelf."""
    if rule.kind == Kind.END:
        return row.ra == "u"
    numbers = NUMBERS[machine]
    if rule.kind == Kind.BAD:
        return row.cfa == "exp" or row.sp not in ("u", "s") or _is_buffer(row, machine)
    if row.sp in numbers:
        jump = Rule(Kind.REG, numbers[row.sp], Ra.REG, Fp.LOST, 0, numbers[row.ra])
        return rule == jump
    if row.cfa == "exp":
        if rule.kind == Kind.SIGNAL:
            return row.ra == row.fp == "exp"
        return row.ra == "c-8" and _agrees_fp(rule, row.fp)
    found = _SUM.fullmatch(row.cfa)
    assert found, row
    return (
        rule.kind == Kind.REG
        and rule.reg == numbers[found[1]]
        and rule.cfa_offset == int(found[2])
        and _agrees_ra(rule, row, machine)
        and _agrees_fp(rule, row.fp)
    )


class Offsets:
    """Convert addresses of code to offsets in the file."""

    def __init__(self, path: Path) -> None:
        done = subprocess.run(
            ["readelf", "-lW", path], capture_output=True, text=True, check=True
        )
        self._segments = []
        for found in _SEGMENT.finditer(done.stdout):
            offset, address, size = (int(field, 16) for field in found.groups())
            self._segments.append((address, address + size, offset))

    def __call__(self, address: int) -> int:
        for start, end, offset in self._segments:
            if start <= address < end:
                return address - start + offset
        raise ValueError(f"{address:#x} is in no executable segment")


def differences(path: Path, table: Table) -> tuple[int, list[str]]:
    """Compare each row of readelf with all rules that apply to the row's addresses.

    Return the number of comparisons, and the differences.
    """
    offsets, count, found = Offsets(path), 0, []
    for code in frames(path, table.machine):
        base = offsets(code.start) - code.start
        bounds = [row.address for row in code.rows[1:]] + [code.end]
        for row, end in zip(code.rows, bounds):
            # Skip rows that begin at the end of the code.
            rules = table.between(row.address + base, end + base)
            for rule in rules if row.address < end else ():
                count += 1
                if not agrees(rule, row, table.machine):
                    found.append(f"{row.address:#x}: {row} {rule}")
    return count, found
