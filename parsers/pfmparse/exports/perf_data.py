# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to perf.data, for perf and other readers; writes samples as they are read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO, Optional

from ..analysis.inputs import Input
from ..recording import Batch
from ..symbols.location import Detail
from . import perf_records
from .build_ids import build_ids_of
from .interface import Export, Job
from .perf_header import SIZE, Header
from .perf_jit import JitFile, JitFiles
from .perf_kernel import Kernel
from .perf_pids import AllPids
from .perf_processes import Processes
from .perf_records import Columns, finished_round
from .perf_samples import CARRIED, Events, Maker, sample_type
from .unsupported import noted

if TYPE_CHECKING:
    from ..capture.kallsyms import KernelCode


class Order:
    """Decides where the rounds of the file end.

    Without rounds, perf would have to keep all samples in memory to sort them. At the
    end of a round, perf processes the samples up to the latest time stamp that it had
    read at the end of the previous round. A round may therefore end as soon as no
    sample before that time can follow. The samples of each context are almost in
    chronological order, so usually only samples that are later than the context's last
    sample follow. If an earlier sample follows, perf prints a warning.
    """

    def __init__(self, contexts: Optional[int]) -> None:
        """``contexts`` is the number of contexts, or None if there are several inputs.

        With None, after() ends no round.
        """
        self._contexts = contexts
        self._last: dict[int, int] = {}
        self._before = 0  # the latest time at the end of the last round

    def after(self, context: int, last: int) -> bytes:
        """Returns the record that ends a round, or b"" if the round continues.

        ``last`` is the time of the context's last sample so far.
        """
        self._last[context] = max(last, self._last.get(context, 0))
        if self._contexts is None or len(self._last) < self._contexts:
            return b""
        if min(self._last.values()) < self._before:
            return b""
        self._before = max(self._last.values())
        return finished_round()

    def flush(self) -> bytes:
        """Returns two records that end rounds; perf then sorts all samples so far."""
        return 2 * finished_round() if self._last else b""


FOREVER = (1 << 64) - 1
MODULES = "the modules of kernel functions"
GENERATED = "names of functions that the kernel generated"


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    with open(job.path, "wb") as out:
        _Writer(job, out).write()


class _Writer:
    """Writes one file."""

    def __init__(self, job: Job, out: BinaryIO) -> None:
        self._job = job
        self._out = out
        self._sample_type = sample_type(job.inputs)
        self._events = Events(job.inputs)
        self._times = FOREVER, 0  # of the first and the last sample
        known = [source.recording.source.kernel for source in job.inputs]
        kernels = (symbols for symbols in known if symbols is not None)
        self._kernel = Kernel(next(kernels, None))
        self._jit = JitFiles(job)
        self._pids = AllPids(job)

    def write(self) -> None:
        """Writes the records first, because the header needs data from them."""
        self._out.write(bytes(SIZE))
        self._write_kernel()
        for source in self._job.inputs:
            self._write_input(source)
        end = self._out.tell()
        header = Header(
            self._sample_type,
            self._events.all(),
            self._job.inputs[0].recording.session,
            build_ids_of(self._job.inputs),
            self._kernel.identifier(),
            self._times if self._times[0] <= self._times[1] else None,
        )
        tail, attrs = header.tail(end)
        self._out.write(tail)
        self._out.seek(0)
        self._out.write(header.head(end - SIZE, attrs))

    def _write_kernel(self) -> None:
        """Writes the kernel's mapping; writes the kernel's symbols to a second file."""
        if len({source.host for source in self._job.inputs}) > 1:
            self._job.lack("the machine of each sample")
        self._write_records(self._kernel.mapping())
        text = self._kernel.kallsyms()
        if text and self._job.beside is not None:
            self._job.beside(".kallsyms").write_bytes(text)

    def _write_input(self, source: Input) -> None:
        timed = bool(self._sample_type & perf_records.TIME)
        pids = self._pids.of(source)
        processes = Processes(source, self._jit_files(source), timed, pids)
        maker = Maker(self._job, source, processes, self._events)
        alone = len(self._job.inputs) == 1
        order = Order(len(source.recording.session.contexts) if alone else None)
        self._write_records(processes.names())
        for batch in noted(self._job, source, CARRIED, losses=True, periods=True):
            if batch.samples.count:
                self._write_records(_new_mappings(batch, processes, order))
                self._write_batch(batch, maker, order, processes)
        self._write_records(_lost(source))

    def _jit_files(self, source: Input) -> dict[int, JitFile]:
        """Writes files with JIT-compiled functions; returns them by process ID."""
        recording, found = source.recording, dict[int, JitFile]()
        for symbols in recording.source.jit.processes():
            file = self._jit.add(symbols, recording.session.machine.arch)
            if file is not None:
                found[symbols.tgid] = file
            elif len(symbols):
                self._job.lack("names of JIT-compiled functions")
        return found

    def _write_records(self, records: bytes) -> None:
        """Writes records other than samples."""
        self._out.write(perf_records.identified(records, self._sample_type))

    def _write_changes(self, processes: Processes, time: int) -> None:
        """Writes the mappings that have changed up to ``time``."""
        for since, records in processes.until(time):
            self._out.write(perf_records.identified(records, self._sample_type, since))

    def _note_lacks(self, samples: Columns, code: Optional[KernelCode]) -> None:
        """Notes what perf.data lacks about the samples' kernel functions."""
        lacks = {MODULES: self._kernel.is_in_modules}
        if code is not None:
            lacks[GENERATED] = partial(self._kernel.misnames, code)
        unknown = [lack for lack in lacks if lack not in self._job.lacks]
        if unknown and samples.kernel.any():
            addresses = samples.words[perf_records.IP][samples.kernel]
            for lack in unknown:
                if lacks[lack](addresses):
                    self._job.lack(lack)

    def _write_batch(
        self, batch: Batch, maker: Maker, order: Order, processes: Processes
    ) -> None:
        made, mappings = maker.made(batch, self._sample_type)
        self._note_lacks(made, processes.kernel_code)
        self._write_records(mappings)
        times = made.words.get(perf_records.TIME)
        self._write_changes(processes, FOREVER if times is None else int(times.max()))
        for block in perf_records.samples(self._sample_type, made):
            self._out.write(block)
        if times is not None:
            first, last = int(times.min()), int(times.max())
            self._times = min(self._times[0], first), max(self._times[1], last)
            self._out.write(order.after(batch.context, last))


def _new_mappings(batch: Batch, processes: Processes, order: Order) -> bytes:
    """Returns records of the mappings that apply from this batch on."""
    mappings, replace = processes.mappings(batch.epoch)
    return order.flush() + mappings if replace else mappings


def _lost(source: Input) -> bytes:
    """Returns a record of the number of lost samples, or b"" if it is 0."""
    recording = source.recording
    number = recording.lost
    if number is None:
        number = sum(recording.lost_in_buffers().values())
    return perf_records.lost(number) if number else b""


EXPORT = Export("perf-data", "perf.data", write, Detail.OBJECT)
