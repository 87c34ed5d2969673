# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to numpy arrays: samples, and tables for their numbers (docs/exports.md)."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from typing import Any, BinaryIO, Optional, Sequence
from zipfile import ZipFile, ZipInfo

import numpy as np

from ..analysis.columns import NOBODY
from ..analysis.inputs import Input
from ..analysis.rows import CARRIED, RowMaker, Rows, pmds_of
from ..analysis.weights import COUNT
from ..arrays import NDArray
from ..formats.roles import Role
from ..formats.samples import Column
from ..recording import Batch
from ..symbols.location import Detail
from .interface import Export, Job
from .unsupported import noted

NPY: Any = np.lib.format  # has no type annotations
BLOCK = 1 << 12  # samples whose fields are copied at once, which fit into the cache

EVENT = np.dtype(
    [("name", "<u4"), ("set", "<i4"), ("pmd", "<i4"), ("period", "<u8")]
    + [("input", "<u4")]
)
PLACE = np.dtype(
    [("address", "<u8"), ("function", "<u4"), ("object", "<u4"), ("line", "<u4")]
)
STACK = np.dtype([("parent", "<i8"), ("place", "<u4")])
INPUT = np.dtype(
    [("file", "<u4"), ("host", "<u4"), ("samples", "<u8"), ("lost", "<i8")]
)
UNKNOWN = -1  # in signed fields

# Fields of samples that exist only if an input has recorded the role.
RECORDED = {
    "time": (Role.TIME, "<u8"),
    "cpu": (Role.CPU, "<u4"),
    "data_address": (Role.DATA_ADDRESS, "<u8"),
    "latency": (Role.LATENCY, "<u8"),
    "data_source": (Role.DATA_SOURCE, "<u8"),
}


def write(job: Job) -> None:
    """Writes the arrays; samples are spooled as they are read."""
    tables = _Tables()
    pmds = pmds_of(job.inputs)
    weights = [] if job.weight == COUNT else [("weight", "<u8")]
    dtype = _dtype(job.inputs, [*weights, *((f"pmd{pmd}", "<u8") for pmd in pmds)])
    # The array's header, which comes first, needs the number of samples.
    with tempfile.TemporaryFile(dir=job.path.parent) as spool:
        count = 0
        for source in job.inputs:
            arrays = _Arrays(job, source, tables, pmds, dtype)
            for batch in noted(job, source, CARRIED, pmds=True, losses=True):
                if batch.samples.count:
                    spool.write(arrays.of(batch).data)
                    count += batch.samples.count
            arrays.close()
        with ZipFile(job.path, "w") as out:
            with _member(out, "samples") as member:
                _write_header(member, dtype, count)
                spool.seek(0)
                shutil.copyfileobj(spool, member, 1 << 20)
            for name, array in tables.arrays().items():
                with _member(out, name) as member:
                    _write_header(member, array.dtype, array.size)
                    member.write(array.data)


def _member(out: ZipFile, name: str) -> Any:
    return out.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True)


def _write_header(out: BinaryIO, dtype: np.dtype[Any], count: int) -> None:
    header = {
        "descr": NPY.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": (count,),
    }
    NPY.write_array_header_1_0(out, header)


def _dtype(
    inputs: Sequence[Input], more: Sequence[tuple[str, str]]
) -> np.dtype[np.void]:
    """The fields that any of the inputs needs, followed by ``more``."""
    found = [samples for source in inputs if (samples := source.first()) is not None]
    fields = [
        (name, kind)
        for name, (role, kind) in RECORDED.items()
        if any(samples.name_of(role) is not None for samples in found)
    ]
    fields += [(name, "<u4") for name in ("pid", "tid", "comm", "event", "place")]
    fields += [("stack", "<i8"), ("period", "<u8"), ("count", "<u8")]
    return np.dtype([*fields, *more])


@dataclass
class _Bases:
    """The sizes of the tables before an input."""

    events: int
    places: int
    stacks: int


class _Tables:
    """The tables of all inputs, to which the numbers in samples refer."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {"": 0}
        self._rows: dict[str, list[tuple[int, ...]]] = {
            name: [] for name in ("events", "places", "stacks", "inputs")
        }

    def bases(self) -> _Bases:
        """The current sizes of the tables."""
        return _Bases(
            *(len(self._rows[name]) for name in ("events", "places", "stacks"))
        )

    def name(self, text: Optional[str]) -> int:
        """The number of a name; 0 for no name."""
        plain = (text or "").replace("\0", " ")
        return self._names.setdefault(plain, len(self._names))

    def add(self, source: Input) -> None:
        """Adds the events, places and stacks of an input, which has been read."""
        bases, rows = self.bases(), self._rows
        for event in source.events.all:
            numbers = [UNKNOWN if n is None else n for n in (event.set, event.pmd)]
            of = len(rows["inputs"])
            row = (self.name(event.name), *numbers, event.period, of)
            rows["events"].append(row)
        addresses = source.places.addresses().tolist()
        for place, address in zip(source.places.locations(), addresses):
            names = place.symbol, place.object, place.line
            rows["places"].append((address, *map(self.name, names)))
        parents = source.stacks.parents().tolist()
        for parent, at in zip(parents, source.stacks.places().tolist()):
            up = UNKNOWN if parent < 0 else parent + bases.stacks
            rows["stacks"].append((up, at + bases.places))
        lost = source.recording.lost
        named = self.name(source.file), self.name(source.host)
        known = UNKNOWN if lost is None else lost
        rows["inputs"].append((*named, source.selected, known))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tables by name."""
        dtypes = {"events": EVENT, "places": PLACE, "stacks": STACK, "inputs": INPUT}
        found: dict[str, NDArray[Any]] = {
            name: np.array(self._rows[name], dtype) for name, dtype in dtypes.items()
        }
        text = "\0".join(self._names).encode("utf-8", "backslashreplace")
        return {**found, "names": np.frombuffer(text, np.uint8)}


class _Arrays:
    """Makes arrays of the samples of an input."""

    def __init__(
        self,
        job: Job,
        source: Input,
        tables: _Tables,
        pmds: Sequence[int],
        dtype: np.dtype[np.void],
    ) -> None:
        self._source, self._tables, self._dtype = source, tables, dtype
        self._pmds = pmds
        self._maker = RowMaker(source, pmds, job.weight)
        self._bases = tables.bases()
        self._comms: list[int] = []

    def of(self, batch: Batch) -> NDArray[np.void]:
        """The samples of a batch."""
        rows = self._maker.rows(batch)
        columns = self._columns(rows)
        array = np.zeros(rows.count, self._dtype)
        for start in range(0, rows.count, BLOCK):
            part = slice(start, start + BLOCK)
            for name, column in columns.items():
                array[name][part] = column if np.isscalar(column) else column[part]
        return array

    def close(self) -> None:
        """Adds the input to the tables, after it was read."""
        self._tables.add(self._source)

    def _columns(self, rows: Rows) -> dict[str, Any]:
        """The columns by field; a scalar if all samples have the same number.

        Fields that are not included stay 0.
        """
        bases = self._bases
        columns: dict[str, Any] = {
            "time": rows.times,
            "cpu": NOBODY if rows.cpus is None else rows.cpus,
            "data_address": rows.data_addresses,
            "latency": rows.latencies,
            "data_source": rows.data_sources,
            "pid": NOBODY if rows.tgids is None else _narrow(rows.tgids),
            "tid": NOBODY if rows.tids is None else _narrow(rows.tids),
            "comm": None if rows.names is None else self._comms_of(rows.names),
            "event": rows.events + bases.events,
            "place": rows.places + bases.places,
            "stack": UNKNOWN if rows.stacks is None else rows.stacks + bases.stacks,
            "period": rows.periods,
            "count": 1 if rows.counts is None else rows.counts,
            "weight": rows.weights,
        }
        for pmd, (values, _) in zip(self._pmds, rows.pmds):
            columns[f"pmd{pmd}"] = values
        there = self._dtype.names or ()
        return {n: c for n, c in columns.items() if c is not None and n in there}

    def _comms_of(self, names: NDArray[np.intp]) -> NDArray[Any]:
        if int(names.max()) >= len(self._comms):
            new = self._maker.names.all()[len(self._comms) :]
            self._comms += [self._tables.name(name) for name in new]
        return np.array(self._comms, np.uint32)[names]


def _narrow(column: Column) -> Column:
    return column.astype(np.uint32, copy=False)


EXPORT = Export("npz", "numpy arrays", write, Detail.LINE)
