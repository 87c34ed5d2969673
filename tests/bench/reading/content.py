# SPDX-License-Identifier: MIT OR GPL-2.0
"""Generate the same samples of one program for all inputs of the benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import numpy as np
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from numpy.typing import NDArray

BASE = 0x555555554000  # address where the program's first byte is mapped
PAGE = 4096
PID = 1000
THREADS = 4  # the first thread's ID is the PID
CPUS = 2
SLICE = 256  # consecutive samples of one thread on one CPU
PERIOD = 100_000  # events
INTERVAL = 1000  # ns from sample to sample
INSTRUCTION = 4  # average bytes, roughly
BLOCK = SLICE << 12  # samples that are generated at once

Column = NDArray[Any]


@dataclass(frozen=True)
class Program:
    """The sampled program: where its code is in the file and in memory."""

    path: str
    build_id: str
    offset: int  # file offset of the executable segment, rounded down to a page
    start: int  # address of that byte in memory
    size: int
    functions: tuple[tuple[int, int], ...]  # address and size of each function

    @classmethod
    def read(cls, path: Path) -> Program:
        """Read a position-independent executable with symbols."""
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            notes = elf.get_section_by_name(".note.gnu.build-id").iter_notes()
            segment = next(
                s for s in elf.iter_segments("PT_LOAD") if s["p_flags"] & 1
            ).header
            functions = _functions(elf)
            down = segment.p_offset % PAGE
            return cls(
                path=str(path),
                build_id=next(notes)["n_desc"],
                offset=segment.p_offset - down,
                start=BASE + segment.p_vaddr - down,
                size=-(-(segment.p_filesz + down) // PAGE) * PAGE,
                functions=tuple(sorted(functions.items())),
            )


def _functions(elf: ELFFile) -> dict[int, int]:
    """Return the address and size of the functions that have only one name."""
    functions: dict[int, int] = {}
    names: Counter[int] = Counter()
    for symbol in elf.get_section_by_name(".symtab").iter_symbols():
        if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"] >= INSTRUCTION:
            address = BASE + symbol["st_value"]
            functions[address] = symbol["st_size"]
            names[address] += 1
    return {at: size for at, size in functions.items() if names[at] == 1}


@dataclass(frozen=True)
class Block:
    """Some consecutive samples; each column has shape (n,)."""

    ip: Column
    tid: Column
    time: Column
    cpu: Column


class Content:
    """The samples, which are the same in each run."""

    def __init__(self, program: Program, count: int) -> None:
        self.program = program
        self.count = count
        # The functions' shares of the samples follow Zipf's law, in a random order.
        random = np.random.default_rng(1)
        sizes = [size // INSTRUCTION for _, size in program.functions]
        weights = 1 / (1 + random.permutation(len(sizes)))
        self._ips = np.concatenate(
            [
                start + INSTRUCTION * np.arange(n)
                for (start, _), n in zip(program.functions, sizes)
            ]
        ).astype(np.uint64)
        self._shares = np.cumsum(np.repeat(weights / sizes, sizes))
        self._shares /= self._shares[-1]

    def blocks(self) -> Iterator[Block]:
        """Yield all samples, sorted by time."""
        random = np.random.default_rng(2)
        for start in range(0, self.count, BLOCK):
            n = min(BLOCK, self.count - start)
            slices = -(-n // SLICE)
            which = np.searchsorted(self._shares, random.random(n))
            tid = np.repeat(PID + random.integers(THREADS, size=slices), SLICE)
            cpu = np.repeat(random.integers(CPUS, size=slices), SLICE)
            yield Block(
                ip=self._ips[np.minimum(which, self._ips.size - 1)],
                tid=tid[:n],
                time=10**9 + INTERVAL * np.arange(start, start + n),
                cpu=cpu[:n],
            )
