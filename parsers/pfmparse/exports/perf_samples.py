# SPDX-License-Identifier: MIT OR GPL-2.0
"""Convert samples to the fields of perf's records."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ..analysis import columns
from ..analysis.columns import NOBODY
from ..analysis.inputs import Input
from ..analysis.weights import COUNT, PERIOD, Weight
from ..formats import branches
from ..formats.chains import Chains
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..layout import NDArray
from ..recording import Batch
from ..symbols.location import UNKNOWN
from . import perf_records
from .interface import Job
from .perf_processes import Processes
from .perf_records import MAX_CHAIN, Columns, Lists, Words, chain_words

# The bits of sample_type for roles that not all formats record.
OPTIONAL = {
    Role.TIME: perf_records.TIME,
    Role.DATA_ADDRESS: perf_records.ADDR,
    Role.CPU: perf_records.CPU,
    Role.LATENCY: perf_records.WEIGHT,
    Role.DATA_SOURCE: perf_records.DATA_SRC,
}
ALWAYS = perf_records.IDENTIFIER | perf_records.IP | perf_records.TID
ALWAYS |= perf_records.PERIOD
CARRIED = frozenset((*OPTIONAL, Role.THREAD, Role.ADDRESS))

# The value of union perf_mem_data_src in which all fields are unknown.
NOT_AVAILABLE = 1 << 0 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26
# The number of bits of its lowest field, mem_op, and of all its fields together.
OP_BITS, USED_BITS = 5, 46


def sample_type(inputs: Sequence[Input]) -> int:
    """Returns the sample_type: the bits of all fields that any of the inputs has."""
    found = ALWAYS
    for source in inputs:
        samples = source.first()
        if samples is not None:
            found |= _bits(samples)
    return found


def _bits(samples: Samples) -> int:
    found = 0 if samples.chains is None else perf_records.CALLCHAIN
    if branches.recorded(samples):
        found |= perf_records.BRANCH_STACK
    for role, bit in OPTIONAL.items():
        if samples.name_of(role) is not None:
            found |= bit
    return found


class Events:
    """The events of all inputs by name. IDs begin at 1; the unknown event is last."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self._periods: dict[str, int] = {}
        self._unknown = False
        for source in inputs:
            for event in source.events.all[:-1]:
                self._periods.setdefault(event.name, event.period)

    def all(self) -> list[tuple[str, int]]:
        """Returns the name and the period of each event.

        The unknown event is one of them only if samples have it, or if there is no
        other event.
        """
        unknown = [(UNKNOWN, 1)] if self._unknown or not self._periods else []
        return [*self._periods.items(), *unknown]

    def ids(self, source: Input, samples: Samples) -> Words:
        """Returns the ID of each sample's event."""
        ids = source.events.ids(samples)
        self._unknown |= bool((ids == source.events.unknown).any())
        numbers = {name: at for at, name in enumerate(self._periods, 1)}
        known = [numbers[event.name] for event in source.events.all[:-1]]
        table = np.array([*known, len(numbers) + 1], np.uint64)
        found: Words = table[ids]
        return found


class Maker:
    """Makes the fields of an input's samples."""

    def __init__(
        self, job: Job, source: Input, processes: Processes, events: Events
    ) -> None:
        self._job = job
        self._source = source
        self._processes = processes
        self._events = events
        period = PERIOD if job.weight == COUNT else job.weight
        self._weight = Weight(period, source.events)

    def made(self, batch: Batch, wanted: int) -> tuple[Columns, bytes]:
        """Returns the fields of a batch, and mapping records that perf needs first."""
        samples = batch.samples
        tgids, tids = self._threads(samples)
        pids = self._processes.pids
        kernel = columns.in_kernel(samples)
        at, mappings = self._addresses(samples, tgids, kernel)
        words: dict[int, NDArray[Any]] = {
            perf_records.IDENTIFIER: self._events.ids(self._source, samples),
            perf_records.IP: at,
            perf_records.TID: pids.all(tgids) | pids.all(tids) << np.uint64(32),
            perf_records.PERIOD: self._periods(samples),
        }
        for role, bit in OPTIONAL.items():
            if samples.name_of(role) is not None:
                words[bit] = _wide(samples.role(role))
        if perf_records.CPU in words:
            words[perf_records.CPU] &= np.uint64(NOBODY)
        if perf_records.DATA_SRC in words:
            words[perf_records.DATA_SRC] = self._sources(words[perf_records.DATA_SRC])
        lists: dict[int, Lists] = {}
        if wanted & perf_records.BRANCH_STACK:
            lists[perf_records.BRANCH_STACK] = _branches(samples)
        if wanted & perf_records.CALLCHAIN and samples.chains is not None:
            chains, more = self._chains(samples.chains, tgids, at, kernel)
            lists[perf_records.CALLCHAIN] = chains
            mappings += more
        return Columns(words, kernel, lists), mappings

    def _threads(self, samples: Samples) -> tuple[Words, Words]:
        """Returns each sample's process and thread.

        If the thread is unknown, returns the process's main thread.
        """
        recording = self._source.recording
        tgids, tids = columns.identities(samples, recording)
        only = recording.source.maps.only_tgid()
        if only is not None:
            tgids = np.where(tgids == NOBODY, np.uint64(only), tgids)
        return tgids, np.where(tids == NOBODY, tgids, tids)

    def _addresses(
        self, samples: Samples, tgids: Words, kernel: NDArray[np.bool_]
    ) -> tuple[Words, bytes]:
        at = _wide(samples.role(Role.ADDRESS))
        if samples.name_of(Role.FILE) is None:
            return at, b""
        cookies = np.where(kernel, np.uint64(0), _wide(samples.role(Role.FILE)))
        return self._processes.in_files(tgids, cookies, at)

    def _periods(self, samples: Samples) -> Column:
        """Returns the period of each sample, or the weight if it is not the count."""
        if samples.weights() is not None:
            self._job.lack("counts of merged samples, except as factors of the period")
        weights = self._weight.of(samples)
        assert weights is not None  # only COUNT can have none
        return weights

    def _sources(self, values: Words) -> Words:
        """Replaces data sources in the CPU's own encoding by NOT_AVAILABLE.

        perf would misinterpret the CPU's own encoding.
        """
        bad = (values >> np.uint64(USED_BITS) != 0) | (
            values >> np.uint64(OP_BITS) == 0
        )
        if (values[bad] != 0).any():
            self._job.lack("data sources in the CPU's own encoding")
        return np.where(bad, np.uint64(NOT_AVAILABLE), values)

    def _chains(
        self, chains: Chains, tgids: Words, at: Words, kernel: NDArray[np.bool_]
    ) -> tuple[Lists, bytes]:
        """Returns the chains, and records of new mappings."""
        begin, end = int(chains.offsets[0]), int(chains.offsets[-1])
        offsets, used = chains.offsets - begin, slice(begin, end)
        addresses, mappings = chains.addresses[used], b""
        lengths = np.diff(offsets)
        if (lengths > MAX_CHAIN).any():
            self._job.lack(f"callers beyond {MAX_CHAIN} in a call chain")
        if chains.files is not None:
            addresses, mappings = self._processes.in_files(
                np.repeat(tgids, lengths), chains.files[used], addresses
            )
        levels = kernel, chains.in_kernel()[used]
        words, sizes = chain_words(at, offsets, addresses, levels)
        return Lists(words, sizes), mappings


def _branches(samples: Samples) -> Lists:
    """Returns the branches, newest first."""
    table = branches.table(samples)
    counts = branches.counts(table)
    there = np.arange(branches.COUNT) < counts[:, np.newaxis]
    return Lists(table[there].reshape(-1), counts, width=table.shape[2])


def _wide(column: Column) -> Words:
    return column.astype(np.uint64, copy=False)
