# SPDX-License-Identifier: MIT OR GPL-2.0
"""Threads and mappings in perf.data: records that must precede the samples."""

from __future__ import annotations

from typing import Iterator, Optional

import numpy as np

from ..analysis.inputs import Input
from ..analysis.interner import Interner
from ..capture.maps import Mapping, ProcessMaps
from ..layout import NDArray
from . import perf_records
from .perf_jit import JitFile
from .perf_pids import Pids
from .perf_records import Words

DELETED = " (deleted)"

# Some formats record a cookie, which identifies a file, and an offset in this file, but
# perf needs an address. So these files are mapped at invented addresses.
FILES_AT, FILE_SIZE, MAX_FILES = 1 << 44, 1 << 32, 1 << 14


class Processes:
    """The records about an input's processes that perf needs before their samples."""

    def __init__(
        self,
        source: Input,
        jit: Optional[dict[int, JitFile]] = None,
        timed: bool = False,
        pids: Pids = Pids(),
    ) -> None:
        """``jit`` has the files with the functions that each process generated.

        ``timed`` says whether samples have times; ``pids`` changes process IDs.
        """
        self._source = source.recording.source
        self.kernel_code = self._source.kernel_code
        self.pids = pids
        self._jit = jit or {}
        self._new = set(self._jit)  # processes whose JIT file was not mapped yet
        self._timed = self._source.maps.timed and timed
        # States whose mappings are not written yet; the last one is written first.
        self._later = self._source.maps.states()[::-1]
        if self._timed:
            self._later.sort(key=lambda state: -state.since)
        self._written: dict[int, list[ProcessMaps]] = {}
        self._cookies, self._uses = Interner(), Interner()

    def names(self) -> bytes:
        """Returns COMM records of all known threads."""
        pid = self.pids.one
        return b"".join(
            perf_records.comm(pid(thread.tgid), pid(thread.tid), thread.comm)
            for thread in self._source.threads
        )

    def mappings(self, epoch: int) -> tuple[bytes, bool]:
        """Returns MMAP2 records of new mappings, and whether any replace old mappings.

        Calls must be in ascending order of epochs.
        """
        if self._timed:
            return b"", False
        known = self._source.maps
        changed = {} if self._written else dict.fromkeys(known.processes())
        changed |= dict.fromkeys(sorted(self._new))
        while self._later and self._later[-1].epoch <= epoch:
            changed[self._later.pop().maps.tgid] = None
        found: list[bytes] = []
        replace = False
        for tgid in changed:
            before, now = self._written.get(tgid, []), known.candidates(tgid, epoch)
            if list(map(id, before)) != list(map(id, now)) or tgid in self._new:
                self._written[tgid] = now
                replace |= bool(before)
                found += self._records(tgid, now)
                self._new.discard(tgid)
        return b"".join(found), replace

    def until(self, time: int) -> Iterator[tuple[int, bytes]]:
        """Yields times up to ``time`` at which mappings change, with MMAP2 records.

        perf sorts the records by time. Each call yields only what earlier calls have
        not yielded. If times are unknown, yields nothing; mappings() then makes the
        records.
        """
        while self._timed and self._later and self._later[-1].since <= time:
            state = self._later.pop()
            records = self._records(state.maps.tgid, [state.maps])
            yield state.since, b"".join(records)

    def in_files(
        self,
        tgids: NDArray[np.uint64],
        cookies: NDArray[np.uint64],
        offsets: Words,
    ) -> tuple[Words, bytes]:
        """Returns addresses for offsets in files, and MMAP2 records of new files.

        If the cookie is 0, the offset is already an address.
        """
        which = np.flatnonzero((cookies != 0) & (offsets < np.uint64(FILE_SIZE)))
        numbers = self._cookies.ids(np.zeros(1, np.uint64), cookies[which])
        room = numbers < MAX_FILES
        which, numbers = which[room], numbers[room].astype(np.uint64)
        before = len(self._uses)
        self._uses.ids(tgids[which], numbers)
        addresses = offsets.copy()
        bases = numbers * np.uint64(FILE_SIZE) + np.uint64(FILES_AT)
        addresses[which] = addresses[which] + bases
        return addresses, self._files(before)

    def _files(self, before: int) -> bytes:
        """Returns records that map files, for pairs (process, file) in _uses.

        ``before`` is the ID of the first pair.
        """
        tgids, numbers = (part[before:].tolist() for part in self._uses.pairs())
        cookies = self._cookies.pairs()[1]
        found = []
        for tgid, number in zip(tgids, numbers):
            file = self._source.cookies.get(int(cookies[number]))
            if file is not None:
                start = FILES_AT + number * FILE_SIZE
                whole = Mapping(start, start + FILE_SIZE, 0, file.path, file.build_id)
                pid = self.pids.one(tgid)
                found.append(perf_records.mmap2(pid, _without_deleted(whole)))
        return b"".join(found)

    def _records(self, tgid: int, candidates: list[ProcessMaps]) -> list[bytes]:
        """Returns records of a process's mappings."""
        pid = self.pids.one(tgid)
        # The first candidate must win, and perf uses the mapping that was written last.
        records = [
            perf_records.mmap2(pid, _without_deleted(mapping))
            for process in reversed(candidates)
            for mapping in process.mappings
        ]
        if tgid in self._jit:
            records.append(self._jit[tgid].records(pid, candidates))
        return records


def _without_deleted(mapping: Mapping) -> Mapping:
    """Returns the mapping with the name that its file had before it was deleted."""
    if not mapping.path.endswith(DELETED):
        return mapping
    path = mapping.path.removesuffix(DELETED)
    return Mapping(
        mapping.start,
        mapping.end,
        mapping.offset,
        path,
        mapping.build_id,
        mapping.prot,
    )
