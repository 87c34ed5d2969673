# SPDX-License-Identifier: MIT OR GPL-2.0
"""Annotate single functions. commands/test_annotate.py annotates a real program."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, cast

import numpy as np
import pytest
from helpers.programs import compiled
from helpers.readers import opened
from helpers.writers import Sample, captured, chunk, json_chunk, maps
from numpy.typing import NDArray
from pfmparse.analysis.annotation import (
    Collector,
    SourceFiles,
    annotate,
    without_parameters,
)
from pfmparse.errors import PfmParseError
from pfmparse.symbols.debug_info import Row
from pfmparse.symbols.disassembly import EM_X86_64
from pfmparse.symbols.elf_file import ElfFile
from pfmparse.symbols.location import Line, Symbol

KERNEL = 0xFFFFFFFF81000000
SYMBOLS = f"{KERNEL:x} T f\n{KERNEL + 16:x} T g\n".encode()


def collected(*addresses: int) -> Collector:
    """Return a collector for f() to which samples at these addresses were added."""
    found = [Sample(ip=at) for at in addresses]
    source = opened(captured(found, chunk("KSYM", SYMBOLS)))
    collector = Collector("f", "count")
    collector.add(source)
    return collector


@pytest.mark.parametrize("size,files", [(3, 2), (4, 1)])
def test_annotation_separates_files_with_short_build_ids(
    size: int, files: int, tmp_path: Path
) -> None:
    given, apart = f"-Wl,--build-id=0x{'ab' * size}", 1 << 32
    one, other = (compiled(tmp_path / name, "-pie", given) for name in ("one", "other"))
    moved = dict(other.mapping)
    for end in ("start", "end"):
        moved[end] += apart
    samples = [Sample(ip=one.ip("hot")), Sample(ip=other.ip("hot") + apart)]
    where = json_chunk("MAPS", maps(100, [one.mapping, moved]))
    collector = Collector("hot", "count")
    collector.add(opened(captured(samples, where), by="line"))
    assert len(collector.samples()) == files


def test_annotation_ignores_other_functions() -> None:
    (samples,) = collected(KERNEL, KERNEL + 4, KERNEL + 4, KERNEL + 16).samples()
    assert samples.weights == {KERNEL: [1], KERNEL + 4: [2]} and samples.total == 3
    with pytest.raises(PfmParseError, match="no samples in a function 'f'"):
        collected(KERNEL + 16).samples()


@pytest.mark.parametrize(
    "full,short",
    [
        ("hot", "hot"),
        ("Worker<int>::hot(int)", "Worker<int>::hot"),
        ("Worker<int>::hot(int (*)(char)) const", "Worker<int>::hot"),
        (
            "void apply<Worker<long> >(Worker<long>&) [clone .isra.0]",
            "apply<Worker<long> >",
        ),
        ("(anonymous namespace)::A::step(int)", "(anonymous namespace)::A::step"),
        (
            "main::{lambda(int)#1}::operator()(int) const",
            "main::{lambda(int)#1}::operator()",
        ),
        ("std::vector<int, std::allocator<int> >::at(unsigned long) const &",)
        + ("std::vector<int, std::allocator<int> >::at",),
        ("A::operator new(unsigned long)", "A::operator new"),
        ("bool A::operator<<int>(int)", "A::operator<<int>"),
        ("A::operator->() const", "A::operator->"),
        ("<[u8; 32] as core::fmt::Debug>::fmt", "<[u8; 32] as core::fmt::Debug>::fmt"),
        ("main.(*T).Run", "main.(*T).Run"),
        (")", ")"),
        ("", ""),
    ],
)
def test_function_name_is_found_without_its_parameters(full: str, short: str) -> None:
    assert without_parameters(full) == short


def named(name: str, *functions: str) -> list[str]:
    """Return the sampled functions that match a name, or the error message."""
    symbols = "".join(f"{KERNEL + 16 * n:x} T {f}\n" for n, f in enumerate(functions))
    found = [Sample(ip=KERNEL + 16 * n) for n in range(len(functions))]
    collector = Collector(name, "count")
    collector.add(opened(captured(found, chunk("KSYM", symbols.encode()))))
    try:
        return [samples.function.name for samples in collector.samples()]
    except PfmParseError as error:
        return [str(error)]


def test_annotation_prefers_full_names_and_suggests_others() -> None:
    mangled = ("_Z3hotIiEvT_", "_Z3hotd", "_Z4coldv")
    full = ["void hot<int>(int)", "hot(double)", "cold()"]
    assert named("hot(double)", *mangled) == full[1:2]
    assert named("_Z3hotd", *mangled) == full[1:2]
    assert named("hot", *mangled) == full[1:2]
    assert named("hot<int>", *mangled) == full[:1]
    lacking = "no samples in a function"
    assert named("Hot<", *mangled) == [f"{lacking} 'Hot<'; did you mean '{full[0]}'?"]
    assert named("colds()", *mangled) == [
        f"{lacking} 'colds()'; did you mean 'cold()'?"
    ]
    assert named("other", *mangled) == [f"{lacking} 'other'"]


def test_missing_object_file_leaves_addresses_only() -> None:
    collector = collected(KERNEL + 4, KERNEL)
    (samples,) = collector.samples()
    found = annotate(samples, collector.events(), None, SourceFiles([]), True)
    assert [one.address for one in found.instructions] == [KERNEL, KERNEL + 4]
    assert found.totals == [2] and found.lines == []
    assert found.lacks == ["[kernel] cannot be read: only addresses are shown"]


class Claims:
    """An object file with one function of this size, which has lines but no code."""

    def __init__(self, size: int, machine: int = EM_X86_64) -> None:
        self.machine = machine
        self._size = size

    def functions(self, addresses: NDArray[np.uint64]) -> list[Symbol]:
        """Return one function."""
        return [Symbol("f", KERNEL, KERNEL + self._size)]

    def code(self, start: int, end: int) -> bytes:
        """Return no code."""
        return b""

    def rows(self, start: int, end: int) -> list[Row]:
        """Return two rows for lines that are far apart."""
        return [Row(KERNEL, Line("x.c", n)) for n in (1, 1 << 31)]

    def lines(self, addresses: NDArray[np.uint64]) -> list[None]:
        """Find no line for any address."""
        return [None] * addresses.size

    def source(self, path: str) -> None:
        """Return None: the source is not found."""


@pytest.mark.parametrize(
    "elf,lack",
    [
        (
            Claims(1 << 62),
            f"the function has {1 << 62} bytes of code, too many to disassemble: only "
            "addresses are shown",
        ),
        (Claims(16), f"[kernel] has no code at {KERNEL:#x}"),
        (Claims(16, 999), "code of ELF machine 999 cannot be disassembled"),
    ],
    ids=["too-long", "no-code", "unknown-machine"],
)
def test_function_without_code_shows_addresses(elf: Claims, lack: str) -> None:
    collector = collected(KERNEL + 4, KERNEL)
    (samples,) = collector.samples()
    file = cast(ElfFile, elf)
    found = annotate(samples, collector.events(), file, SourceFiles([]), True)
    assert [line.line.number for line in found.lines] == [1, 1 << 31]
    assert [one.address for one in found.instructions] == [KERNEL, KERNEL + 4]
    assert found.lacks[0] == lack


def test_source_is_read_once_from_regular_files_only(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text("one\ntwo\n")
    sources = SourceFiles([])
    with ElfFile("/bin/sh") as elf:
        assert sources.text(Line(str(path), 2), elf) == "two"
        path.unlink()
        assert sources.text(Line(str(path), 1), elf) == "one"
        assert sources.text(Line(str(path), 3), elf) is None
        assert sources.text(Line("/dev/zero", 1), elf) is None
        # This is a regular file, but reading it from its start fails, because the
        # process does not map address 0.
        assert sources.text(Line("/proc/self/mem", 1), elf) is None


def test_missing_source_is_fetched_from_debuginfod(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    copy.write_text("one\ntwo\n")
    asked: list[str] = []

    def source(_: ElfFile, path: str) -> Optional[str]:
        asked.append(path)
        return str(copy) if path == "/gone/x.c" else None

    monkeypatch.setattr(ElfFile, "source", source)
    sources = SourceFiles([])
    with ElfFile("/bin/sh") as elf:
        for number, text in ((1, "one"), (2, "two"), (3, None)):
            assert sources.text(Line("/gone/x.c", number), elf) == text
            assert sources.text(Line("/gone/y.c", number), elf) is None
    assert asked == ["/gone/x.c", "/gone/y.c"]
