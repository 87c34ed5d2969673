# SPDX-License-Identifier: MIT OR GPL-2.0
"""The common part of both PEBS formats: records in a debug-store area."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence

import numpy as np

from ..capture.session import Session
from ..errors import PfmParseError
from ..layout import Data, NDArray, bad_field, describe, field_names, integers, view
from ..text import amount
from .decoding import Decoded, Lost, Region
from .samples import Column, Lazy, Samples

VERSION = 1 << 16
ARG_IMPRECISE = 0x1  # flag of the argument
HDR_IMPRECISE = 0x1  # flag of the header
UNKNOWN = (1 << 16) - 1  # not a valid index of a PMD or set
STATUS_BITS = 64

REGISTERS32 = ("eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp")
REGISTERS = (*REGISTERS32, *(f"r{n}" for n in range(8, 16)))


@dataclass(frozen=True)
class Layout:
    """A format's dtypes; ``entries`` has the dtypes of records, by size in bytes."""

    header: np.dtype[np.void]
    area: np.dtype[np.void]
    entries: Mapping[int, np.dtype[np.void]]


@dataclass(frozen=True)
class _Records:
    """The start and the end of the records in bytes, and their dtype."""

    base: int
    index: int
    entry: np.dtype[np.void]


class Decoder:
    """Decodes buffers of one session in one layout."""

    def __init__(self, layout: Layout, session: Session) -> None:
        self._layout = layout
        self._pmds = _SamplingPmds(session)

    def __call__(self, data: Data) -> Decoded:
        """Returns the samples in a buffer; ``data`` may lack the buffer's end."""
        header = integers(data, self._layout.header, 0, "the buffer's header")
        records = self._records(data, header)
        size = records.entry.itemsize
        there = max(0, min(records.index, len(data)) - records.base)
        rows = view(data, records.entry, there // size, records.base, size)
        problem = _problem(records, rows.size, len(data))
        imprecise = bool(header["hdr_flags"] & HDR_IMPRECISE)
        return Decoded(
            (Region(0, self._samples(rows), imprecise),),
            (problem,) if problem else (),
            Lost({"dropped": header["hdr_dropped"], "no_room": header["hdr_lost"]}),
        )

    def _records(self, data: Data, header: Mapping[str, int]) -> _Records:
        """Returns the location of the records; checks the header and the area."""
        layout = self._layout.header
        if header["hdr_version"] != VERSION:
            text = f"{header['hdr_version']:#x} is not {VERSION:#x}"
            raise bad_field(layout, "hdr_version", text)
        entry = self._layout.entries.get(header["hdr_entry_size"])
        if entry is None:
            known = ", ".join(map(str, self._layout.entries))
            text = f"{header['hdr_entry_size']} is not one of {known}"
            raise bad_field(layout, "hdr_entry_size", text)
        assert layout.fields is not None
        at = layout.fields["hdr_ds"][1]
        area = integers(data, self._layout.area, at, "the debug-store area")
        base, first = area["pebs_buf_base"], layout.itemsize + header["hdr_start_offs"]
        if base != first:
            text = f"{base}, but according to hdr_start_offs records start at {first}"
            raise bad_field(self._layout.area, "pebs_buf_base", text, at)
        index, end = area["pebs_index"], area["pebs_abs_max"]
        if end > header["hdr_buf_size"]:
            text = f"{end} is greater than hdr_buf_size {header['hdr_buf_size']}"
            raise bad_field(self._layout.area, "pebs_abs_max", text, at)
        if not base <= index <= end:
            text = f"{index} is not from pebs_buf_base {base} to pebs_abs_max {end}"
            raise bad_field(self._layout.area, "pebs_index", text, at)
        return _Records(base, index, entry)

    def _samples(self, rows: NDArray[np.void]) -> Samples:
        """Returns the records as columns, with derived columns for reports."""
        columns: dict[str, Column] = {n: rows[n] for n in field_names(rows.dtype)}
        derived = self._pmds.columns(rows.size, columns.get("status"))
        if "real_ip" in columns:
            derived["event_ip"] = lambda: _event_ip(rows)
        return Samples(rows.size, columns, derived=Lazy(derived))


def _event_ip(rows: NDArray[np.void]) -> Column:
    """Returns real_ip, or ip if the CPU did not record real_ip."""
    ips: NDArray[np.uint64] = rows["real_ip"].copy()
    missing = ips == 0
    if missing.any():
        np.copyto(ips, rows["ip"], where=missing)
    return ips


class _SamplingPmds:
    """The PMDs whose overflows may have caused the records of a session."""

    def __init__(self, session: Session) -> None:
        self._all = [(s.id, p.num) for s in session.sets for p in s.pmds if p.sampling]

    def columns(
        self, count: int, status: Optional[Column]
    ) -> dict[str, Callable[[], Column]]:
        """Returns set and ovfl_pmd of ``count`` records, as far as known."""
        only = self._all[0] if len(self._all) == 1 else None
        if status is None and only is None:
            return {}
        sets, pmds = zip(*([only or (UNKNOWN, UNKNOWN)] + self._with_bits()))
        return {
            "set": lambda: _by_status(sets, pmds, count, status),
            "ovfl_pmd": lambda: _by_status(pmds, pmds, count, status),
        }

    def _with_bits(self) -> list[tuple[int, int]]:
        """Returns the PMDs that a status bit identifies: those in only one set."""
        numbers = [pmd for _, pmd in self._all]
        return [
            (event_set, pmd)
            for event_set, pmd in self._all
            if pmd < STATUS_BITS and numbers.count(pmd) == 1
        ]


def _by_status(
    values: Sequence[int], pmds: Sequence[int], count: int, status: Optional[Column]
) -> Column:
    """Returns, for each sample, the value of the lowest PMD whose status bit is set.

    If no status bit is set, the result is the first value.
    """
    column = np.full(count, values[0], np.uint16)
    if status is not None:
        for value, pmd in sorted(zip(values[1:], pmds[1:]), key=lambda v: -v[1]):
            column[(status >> np.uint64(pmd)) & np.uint64(1) != 0] = value
    return column


def _problem(records: _Records, found: int, size: int) -> Optional[PfmParseError]:
    """Returns an error if records and area contradict each other, or None."""
    number, rest = divmod(records.index - records.base, records.entry.itemsize)
    if found < number:
        text = (
            f"the buffer ends here instead of at pebs_index {records.index}; "
            f"{found} of {number} records are whole"
        )
        return PfmParseError(text, size, truncated=True)
    if rest:
        text = (
            f"{amount(found, 'records')} before this offset, but pebs_index is "
            f"{records.index}"
        )
        return PfmParseError(text, records.index - rest)
    return None


def describe_arg(arg: bytes, dtype: np.dtype[np.void]) -> Optional[dict[str, object]]:
    """Returns the values of an argument, and whether it allows imprecise samples."""
    values = describe(arg, dtype)
    if values is None:
        return None
    return {**values, "imprecise": bool(values["flags"] & ARG_IMPRECISE)}
