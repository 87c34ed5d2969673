# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to numpy arrays: samples, and tables for their IDs (docs/exports.md)."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from typing import Any, BinaryIO, Mapping, Optional
from zipfile import ZipFile, ZipInfo

import numpy as np

from ..analysis.inputs import Input
from ..analysis.rows import CARRIED, Number, RowMaker, Rows, numbers_of
from ..analysis.weights import COUNT
from ..formats.samples import compact
from ..layout import NDArray
from ..recording import Batch
from ..symbols.location import Detail
from ..text import ESCAPED
from .interface import Export, Job
from .unsupported import noted

NPY: Any = np.lib.format  # has no type annotations
BLOCK = 1 << 12  # samples whose fields are copied at once; they fit into the cache

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

IDS = {"comm": "<u4", "event": "<u4", "place": "<u4", "stack": "<i8"}


def write(job: Job) -> None:
    """Writes the arrays; stores samples in a temporary file as they are read."""
    tables = _Tables()
    numbers = numbers_of(job.inputs)
    if job.weight != COUNT:
        numbers["weight"] = Number("<u8", lambda rows: rows.weights)
    fields = [(name, number.dtype) for name, number in numbers.items()]
    dtype = np.dtype([*fields, *IDS.items()])
    # The array's header precedes the samples, but contains their number, which is known
    # only after the last sample.
    with tempfile.TemporaryFile(dir=job.path.parent) as spool:
        count = 0
        for source in job.inputs:
            arrays = _Arrays(job, source, tables, numbers, dtype)
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


@dataclass
class _Bases:
    """The sizes of the tables before an input's rows are added."""

    events: int
    places: int
    stacks: int


class _Tables:
    """The tables of all inputs, to which the IDs in samples refer."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {"": 0}
        self._rows: dict[str, list[tuple[int, ...]]] = {
            name: [] for name in ("events", "places", "stacks", "inputs")
        }

    def bases(self) -> _Bases:
        """Returns the current sizes of the tables."""
        return _Bases(
            *(len(self._rows[name]) for name in ("events", "places", "stacks"))
        )

    def name(self, text: Optional[str]) -> int:
        """Returns the ID of a name; 0 means no name."""
        plain = (text or "").replace("\0", " ")
        return self._names.setdefault(plain, len(self._names))

    def add(self, source: Input) -> None:
        """Adds the events, locations and stacks of an input that has been read."""
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
        """Returns the tables by name."""
        dtypes = {"events": EVENT, "places": PLACE, "stacks": STACK, "inputs": INPUT}
        found: dict[str, NDArray[Any]] = {
            name: np.array(self._rows[name], dtype) for name, dtype in dtypes.items()
        }
        text = "\0".join(self._names).encode("utf-8", ESCAPED)
        return {**found, "names": np.frombuffer(text, np.uint8)}


class _Arrays:
    """Makes arrays of the samples of an input."""

    def __init__(
        self,
        job: Job,
        source: Input,
        tables: _Tables,
        numbers: Mapping[str, Number],
        dtype: np.dtype[np.void],
    ) -> None:
        self._source, self._tables, self._dtype = source, tables, dtype
        self._numbers = numbers
        self._maker = RowMaker(source, (), job.weight)
        self._bases = tables.bases()
        self._comms: list[int] = []

    def of(self, batch: Batch) -> NDArray[np.void]:
        """Returns the samples of a batch."""
        rows = self._maker.rows(batch)
        columns = self._columns(rows)
        array = np.zeros(rows.count, self._dtype)
        for start in range(0, rows.count, BLOCK):
            part = slice(start, start + BLOCK)
            for name, column in columns.items():
                array[name][part] = column if np.size(column) == 1 else column[part]
        return array

    def close(self) -> None:
        """Adds the input to the tables. Call it after reading the input."""
        self._tables.add(self._source)

    def _columns(self, rows: Rows) -> dict[str, Any]:
        """Returns the column of each field; one number if all samples have the same."""
        bases = self._bases
        numbers = {name: number.of(rows) for name, number in self._numbers.items()}
        return {
            **{name: compact(column) for name, column in numbers.items()},
            "comm": 0 if rows.names is None else self._comms_of(rows.names),
            "event": rows.events + bases.events,
            "place": rows.places + bases.places,
            "stack": UNKNOWN if rows.stacks is None else rows.stacks + bases.stacks,
        }

    def _comms_of(self, names: NDArray[np.intp]) -> NDArray[Any]:
        if int(names.max()) >= len(self._comms):
            new = self._maker.names.all()[len(self._comms) :]
            self._comms += [self._tables.name(name) for name in new]
        return np.array(self._comms, np.uint32)[names]


EXPORT = Export("npz", "numpy arrays", write, Detail.LINE)
