# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write ELF files with generated code; test_perf_data.py reads such files with perf."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers import perf_file
from pfmparse.capture.code import JitChunk, JitSymbols
from pfmparse.capture.maps import Mapping, ProcessMaps
from pfmparse.exports.interface import Job
from pfmparse.exports.perf_jit import JitFiles

TEXT = b"10010 20 one\n10030 40 two\n10040 8 in two\n30000 10 far\n10010 10 again\n"
SYMBOLS = JitSymbols(5, [JitChunk(TEXT)])


def job(where: Path) -> Job:
    """Return a job that writes further files into a directory."""
    made = Job([], where / "new", target=where / "perf.data")
    made.beside = lambda suffix: where / f"perf.data{suffix}"
    return made


def test_jit_file_has_the_functions_as_symbols(tmp_path: Path) -> None:
    files = JitFiles(job(tmp_path))
    assert files.add(SYMBOLS, "x86_64") is not None
    with open(tmp_path / "perf.data.jit0.so", "rb") as stream:
        elf = ELFFile(stream)
        table = elf.get_section_by_name(".symtab").iter_symbols()
        found = [(s.name, s["st_value"], s["st_size"]) for s in table if s.name]
        assert elf["e_machine"] == "EM_X86_64"
    # The values are offsets from the page of the first function. If functions overlap,
    # the last one is used.
    assert found == [
        ("again", 0x10, 0x10),
        ("one", 0x20, 0x10),
        ("two", 0x30, 0x10),
        ("in two", 0x40, 8),
        ("two", 0x48, 0x28),
        ("far", 0x20000, 0x10),
    ]


def test_jit_file_is_mapped_outside_of_other_files(tmp_path: Path) -> None:
    file = JitFiles(job(tmp_path)).add(SYMBOLS, "aarch64")
    assert file is not None

    records_of = file.records

    def mapped(*mappings: Mapping) -> list[tuple[Any, ...]]:
        records = records_of(5, [ProcessMaps(5, "x", mappings)])
        bodies = [record.body for record in perf_file.parsed(records, 0)]
        return [
            (*struct.unpack_from("<8xQQQ", body), body[64:].split(b"\0")[0].decode())
            for body in bodies
        ]

    path = str(tmp_path / "perf.data.jit0.so")
    far = (0x30000, 0x10, 0x20000, path)
    assert mapped() == [(0x10010, 0x60, 0x10, path), far]
    assert mapped(Mapping(0x10000, 0x11000, 0, "", None)) == mapped()
    assert mapped(Mapping(0x10000, 0x11000, 0, "/bin/x", None)) == [far]


def test_jit_file_needs_functions_and_a_64_bit_machine(tmp_path: Path) -> None:
    files = JitFiles(job(tmp_path))
    assert files.add(JitSymbols(5, [JitChunk(b"")]), "x86_64") is None
    assert files.add(SYMBOLS, "i386") is None
    assert list(tmp_path.iterdir()) == []
