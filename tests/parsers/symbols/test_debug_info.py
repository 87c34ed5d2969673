# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read lines and inlined functions of programs that the tests compile."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers.incomplete_dwarf import assembled
from helpers.programs import run
from pfmparse.symbols.debug_info import Row
from pfmparse.symbols.elf_file import ElfFile
from pfmparse.symbols.location import Inlined, Line

# Each function has a label. middle() is inlined into outer(), and inner() into
# middle(). The tests find a line by the call or the label in it.
CHAIN = """
#define INLINE static inline __attribute__((always_inline))
#define LABEL(name) __asm__ volatile(name ": nop")
volatile int sink;
INLINE void inner(int at)
{
\tsink += at;
\tif (at == 1)
\t\tLABEL("in_inner");
}
INLINE void middle(int at)
{
\tLABEL("in_middle");
\t{
\t\tint block = sink;
\t\tinner(1);
\t\tsink = block;
\t}
}
void outer(void)
{
\tLABEL("in_outer");
\tmiddle(2);
}
__attribute__((noinline)) void alone(void)
{
\tLABEL("in_alone");
}
"""


@dataclass(frozen=True)
class Compiled:
    """A program, its source and the addresses of its labels."""

    path: Path
    source: Path
    labels: dict[str, int]

    def line(self, text: str) -> Line:
        """Return the line that contains ``text``."""
        lines = self.source.read_text().splitlines()
        return Line(
            str(self.source), next(n for n, t in enumerate(lines, 1) if text in t)
        )

    def chain(self, *calls: tuple[str, str]) -> tuple[Inlined, ...]:
        """Return frames for calls, each given by a function and a text in its line."""
        return tuple(Inlined(name, self.line(text)) for name, text in calls)


def compiled(where: Path, text: str, *command: str, suffix: str = ".c") -> Compiled:
    """Compile a shared object with ``command``, and return it."""
    source, path = where / f"chain{suffix}", where / "chain"
    source.write_text(text)
    subprocess.run([*command, "-o", str(path), str(source)], check=True, cwd=where)
    with open(path, "rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        labels = {s.name: s["st_value"] for s in table.iter_symbols()}
    return Compiled(path, source, labels)


def check(made: Compiled, names: dict[str, str]) -> None:
    """Check the frames at the labels; ``names`` has the functions' names in DWARF."""
    label = 'LABEL("in_{}")'.format
    outer = (names["outer"], "middle(2);")
    middle = (names["middle"], "inner(1);")
    expected = {
        "in_inner": ((names["inner"], label("inner")), middle, outer),
        "in_middle": ((names["middle"], label("middle")), outer),
        "in_outer": (),
        "in_alone": (),
    }
    at = np.array([made.labels[name] for name in expected], np.uint64)
    with ElfFile(str(made.path)) as elf:
        found, lines = elf.inlines(at), elf.lines(at)
    for name, inlines, line in zip(expected, found, lines):
        assert inlines == made.chain(*expected[name]), name
        assert line == made.line(label(name[3:])), name


BASE = ["-g", "-O2", "-nostdlib", "-shared", "-fPIC"]
C_NAMES = {name: name for name in ("inner", "middle", "outer")}
CPP_NAMES = {"inner": "_Z5inneri", "middle": "_Z6middlei", "outer": "_Z5outerv"}


@pytest.mark.parametrize(
    "options",
    [
        ["-gdwarf-5"],
        ["-gdwarf-4", "-fdebug-types-section"],
        ["-gdwarf-3"],
        ["-gsplit-dwarf"],
        ["-flto"],
        ["-ffunction-sections", "-gz"],
        ["-O0"],
    ],
    ids=" ".join,
)
def test_dwarf_inlined_functions_match_the_source(
    options: list[str], tmp_path: Path
) -> None:
    check(compiled(tmp_path, CHAIN, "gcc", *BASE, *options), C_NAMES)


def test_dwarf_function_names_are_linkage_names(tmp_path: Path) -> None:
    text = CHAIN.replace("static inline", "inline")
    check(compiled(tmp_path, text, "g++", *BASE, suffix=".cpp"), CPP_NAMES)


def test_dwarf_without_debug_aranges_is_read(tmp_path: Path) -> None:
    if not shutil.which("clang"):
        pytest.skip("clang, which writes no .debug_aranges, is not installed")
    check(compiled(tmp_path, CHAIN, "clang", *BASE), C_NAMES)


def test_dwarf_of_another_machine_is_read(tmp_path: Path) -> None:
    version = subprocess.check_output(["gcc", "-dumpversion"], text=True).strip()
    compiler = f"aarch64-linux-gnu-gcc-{version}"
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    check(compiled(tmp_path, CHAIN, compiler, *BASE), C_NAMES)


def test_separate_debug_file_is_read(tmp_path: Path) -> None:
    made = compiled(tmp_path, CHAIN, "gcc", *BASE)
    apart = tmp_path / "chain.debug"
    run("objcopy", "--only-keep-debug", made.path, apart)
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={apart}", made.path)
    check(made, C_NAMES)


def test_line_rows_of_a_function_are_sorted(tmp_path: Path) -> None:
    made = compiled(tmp_path, CHAIN, "gcc", *BASE)
    with ElfFile(str(made.path)) as elf:
        start = made.labels["outer"]
        (outer,) = elf.functions(np.array([start], np.uint64))
        assert outer is not None
        rows = elf.rows(outer.start, outer.end)
        every = np.arange(outer.start, outer.end, dtype=np.uint64)
        lines = elf.lines(every)
    starts = [row.address for row in rows]
    assert starts == sorted(set(starts)) and starts[0] <= outer.start < starts[1]
    assert starts[-1] < outer.end
    # Each address has the line of the last row that is not after it.
    rank = np.searchsorted(starts, every, side="right") - 1
    assert lines == [rows[at].line for at in rank]
    shown = {row.line for row in rows}
    assert {made.line('LABEL("in_inner")'), made.line('LABEL("in_outer")')} <= shown


def test_line_row_between_functions_has_no_line(tmp_path: Path) -> None:
    options = ("-ffunction-sections", "-falign-functions=256")
    made = compiled(tmp_path, CHAIN, "gcc", *BASE, *options)
    with ElfFile(str(made.path)) as elf:
        (outer,) = elf.functions(np.array([made.labels["outer"]], np.uint64))
        assert outer is not None
        rows = elf.rows(outer.start, outer.end + 1)
        behind = np.array([outer.end - 1, outer.end], np.uint64)
        assert [line is None for line in elf.lines(behind)] == [False, True]
    assert rows[-1] == Row(outer.end, None)


def test_addresses_outside_debug_info_have_no_line(tmp_path: Path) -> None:
    made = compiled(tmp_path, CHAIN, "gcc", *BASE)
    outside = np.array([0, 1 << 40, 2**64 - 1], np.uint64)
    with ElfFile(str(made.path)) as elf:
        assert elf.lines(outside) == [None] * 3
        assert elf.inlines(outside) == [()] * 3
        assert elf.rows(0, 16) == []


@pytest.mark.parametrize("has_lines", [True, False])
def test_incomplete_dwarf_leaves_names_and_lines_unknown(
    has_lines: bool, tmp_path: Path
) -> None:
    start = assembled(tmp_path / "x", has_lines)
    chain = Inlined("inner", None), Inlined(None, None), Inlined("outer", None)
    at = np.array([start, start + 1], np.uint64)
    with ElfFile(str(tmp_path / "x")) as elf:
        assert elf.lines(at) == [None, None]
        assert elf.inlines(at) == [(), chain]
        assert elf.rows(start, start + 3) == ([Row(start, None)] if has_lines else [])


RUST = """
#![crate_type = "cdylib"]
use std::hint::black_box;
pub mod shapes {
    #[inline(always)]
    pub fn area(side: u64) -> u64 {
        std::hint::black_box(side) * side
    }
}
#[no_mangle]
pub fn outer(side: u64) -> u64 {
    black_box(shapes::area(side))
}
"""


def test_dwarf_of_rust_is_read(tmp_path: Path) -> None:
    if not shutil.which("rustc"):
        pytest.skip("rustc is not installed")
    command = ("rustc", "-g", "-C", "opt-level=2")
    made = compiled(tmp_path, RUST, *command, suffix=".rs")
    with ElfFile(str(made.path)) as elf:
        (outer,) = elf.functions(np.array([made.labels["outer"]], np.uint64))
        assert outer is not None
        chains = elf.inlines(np.arange(outer.start, outer.end, dtype=np.uint64))
    calls = [chain for chain in chains if "area" in str(chain)]
    assert calls
    names = [(inlined.function, inlined.line) for inlined in calls[0][-2:]]
    assert "4area" in str(names[0][0])
    assert names[1] == ("chain::outer", made.line("shapes::area(side)"))
