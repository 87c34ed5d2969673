# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the default format's entries (specification 3.6.4) in a buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ..capture.buffers import Buffers
from ..capture.session import Session
from ..layout import Data, NDArray, field_names, split, view
from .samples import Column, Lazy, PmdGroup, Samples, made_once

WORD = 8  # bytes; entries are whole words

Fields = Union[Mapping[str, Column], NDArray[np.void]]


@dataclass(frozen=True)
class Kinds:
    """The kinds of entries that a session records, one per sampling PMD and set.

    ``keys`` has set << 16 | PMD of each kind, in ascending order. ``lists`` has the
    distinct lists of smpl_pmds. ``group`` has the index in ``lists`` for each key.
    """

    keys: NDArray[np.uint32]
    group: NDArray[np.intp]
    lists: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, session: Session) -> Kinds:
        """Returns the kinds of a session's entries."""
        smpl_pmds = {
            event_set.id << 16 | pmd.num: pmd.smpl_pmds
            for event_set in session.sets
            for pmd in event_set.pmds
            if pmd.sampling
        }
        lists = {pmds: i for i, pmds in enumerate(sorted(set(smpl_pmds.values())))}
        keys = sorted(smpl_pmds)
        return cls(
            np.array(keys, np.uint32),
            np.array([lists[smpl_pmds[key]] for key in keys], np.intp),
            tuple(lists),
        )

    def one_size(self) -> bool:
        """Returns whether all entries have the same number of PMD values."""
        return len({len(pmds) for pmds in self.lists}) <= 1

    def groups_of(self, keys: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Returns the index in ``lists`` for each key; -1 for unknown keys."""
        if self.keys.size == 0:
            return np.full(keys.shape, -1, np.intp)
        found = np.searchsorted(self.keys, keys)
        found[found == self.keys.size] = 0
        return np.where(self.keys[found] == keys, self.group[found], -1)

    def first_unknown(self, columns: Fields) -> Optional[int]:
        """Returns the index of the first entry with an unknown key, or None."""
        if self.keys.size == 1:
            event_set, pmd = divmod(int(self.keys[0]), 1 << 16)
            wrong = columns["ovfl_pmd"] != pmd
            wrong |= columns["set"] != event_set
        else:
            wrong = self.groups_of(keys_of(columns)) < 0
        return int(np.argmax(wrong)) if wrong.any() else None


def keys_of(columns: Fields) -> NDArray[np.uint32]:
    """Returns set << 16 | ovfl_pmd of each entry; shape (n,)."""
    sets: NDArray[np.uint32] = columns["set"].astype(np.uint32)
    return (sets << np.uint32(16)) | columns["ovfl_pmd"].astype(np.uint32)


@dataclass(frozen=True)
class Run:
    """Consecutive entries.

    ``stop`` is the offset, in bytes, of the end of these entries. ``unknown`` is set if
    the next entry does not belong to a sampling PMD.
    """

    samples: Samples
    stop: int
    unknown: bool = False


@dataclass(frozen=True)
class Span:
    """Where to search for entries: at most ``count``, from ``start`` to ``end``.

    ``start`` and ``end`` are offsets in bytes; ``end`` is within the data.
    """

    start: int
    end: int
    count: int


class Entries:
    """Finds the entries of a session."""

    def __init__(self, entry: np.dtype[np.void], session: Session) -> None:
        """``entry`` is the dtype of an entry without its PMD values."""
        self._entry = entry
        self.kinds = Kinds.of(session)

    def find(self, data: Data, span: Span) -> Run:
        """Returns the entries in a part of a buffer."""
        if span.end - span.start < self._entry.itemsize or span.count == 0:
            return Run(as_samples(view(data, self._entry, 0, 0, 0), ()), span.start)
        if self.kinds.one_size():
            return self._one_size(data, span)
        return self._many_sizes(data, span)

    def all_of(
        self, buffers: Buffers, start: int, counts: NDArray[np.intp]
    ) -> Optional[Samples]:
        """Returns the entries from byte ``start`` of each buffer on.

        The caller must have checked that each buffer has ``counts`` entries. Returns
        None if there are several lists of smpl_pmds, or an entry that no PMD can have
        recorded.
        """
        if len(self.kinds.lists) != 1:
            return None
        columns = _columns(buffers, self._entry, start, counts, self.size)
        if self.kinds.first_unknown(columns) is not None:
            return None
        pmds, head = self.kinds.lists[0], self._entry.itemsize
        groups, ends = [], np.cumsum(counts).tolist()
        for begin, count, end in zip(buffers.begins.tolist(), counts.tolist(), ends):
            if not (pmds and count):
                continue
            values: NDArray[np.uint64] = np.ndarray(
                (count, len(pmds)),
                "<u8",
                buffers.data,
                begin + start + head,
                (self.size, 8),
            )
            groups.append(PmdGroup(slice(end - count, end), pmds, values))
        return _samples(ends[-1], columns, groups)

    @property
    def size(self) -> int:
        """The size of an entry in bytes, if all entries have the same size."""
        lists = self.kinds.lists
        return self._entry.itemsize + (WORD * len(lists[0]) if lists else 0)

    def _one_size(self, data: Data, span: Span) -> Run:
        """Returns entries of one size, as views of the buffer without copies."""
        values = len(self.kinds.lists[0]) if self.kinds.lists else 0
        found = rows(data, self._entry, values, span)
        wrong = self.kinds.first_unknown(found["entry"])
        if wrong is not None:
            found = found[:wrong]
        groups = [
            PmdGroup(which, pmds, found["pmds"][which])
            for which, pmds in self._members(found["entry"])
        ]
        stop = span.start + found.nbytes
        return Run(as_samples(found["entry"], groups), stop, wrong is not None)

    def _many_sizes(self, data: Data, span: Span) -> Run:
        """Returns entries of several sizes; each begins where the previous one ends.

        First computes, for each word of the buffer, the key of an entry that would
        start there, so that the loop over the entries has little to do.
        """
        kinds, entry = self.kinds, self._entry
        words, head = (span.end - span.start) // WORD, entry.itemsize // WORD
        candidates = view(data, entry, max(0, words - head + 1), span.start, WORD)
        keys = keys_of(candidates)
        sizes = {
            key: head + len(kinds.lists[group])
            for key, group in zip(kinds.keys.tolist(), kinds.group.tolist())
        }
        starts, stop = _follow(keys, sizes, words, span.count)
        unknown = stop < keys.size and int(keys[stop]) not in sizes
        values: NDArray[np.uint64] = np.ndarray((words,), "<u8", data, span.start)
        entries = _gather(values, starts, head).view(entry)[:, 0]
        groups = [
            PmdGroup(which, pmds, _gather(values, starts[which] + head, len(pmds)))
            for which, pmds in self._members(entries)
        ]
        return Run(as_samples(entries, groups), span.start + stop * WORD, unknown)

    def _members(
        self, entries: NDArray[np.void]
    ) -> Iterator[tuple[slice | NDArray[np.intp], tuple[int, ...]]]:
        """Yields the entries for each list of smpl_pmds; all keys must be known."""
        lists = self.kinds.lists
        if len(lists) == 1:
            yield slice(None), lists[0]
            return
        of = self.kinds.groups_of(keys_of(entries))
        for which in split(np.arange(of.size), of):
            yield which, lists[of[which[0]]]


def _columns(
    buffers: Buffers,
    entry: np.dtype[np.void],
    start: int,
    counts: NDArray[np.intp],
    stride: int,
) -> Lazy:
    """Returns the fields of all buffers' entries, which are ``stride`` bytes apart."""
    spacing, count = buffers.spacing(), int(counts[0])
    at = buffers.begins + start
    if spacing and (counts == count).all() and count:
        table: NDArray[np.void] = np.ndarray(
            (len(buffers), count), entry, buffers.data, int(at[0]), (spacing, stride)
        )
        return made_once(field_names(entry), lambda name: table[name].reshape(-1))
    parts = [
        view(buffers.data, entry, number, begin, stride)
        for begin, number in zip(at.tolist(), counts.tolist())
    ]
    return made_once(
        field_names(entry),
        lambda name: np.concatenate([part[name] for part in parts]),
    )


def rows(
    data: Data, entry: np.dtype[np.void], values: int, span: Span
) -> NDArray[np.void]:
    """Returns the entries in a span, each of which has ``values`` PMD values."""
    row = np.dtype([("entry", entry), ("pmds", "<u8", (values,))])
    fit = (span.end - span.start) // row.itemsize
    return view(data, row, min(span.count, fit), span.start, row.itemsize)


def _follow(
    keys: NDArray[np.uint32], sizes: Mapping[int, int], words: int, count: int
) -> tuple[NDArray[np.intp], int]:
    """Returns the starts of up to ``count`` entries and the last one's end, in words.

    ``keys`` has, for each word, the key of an entry that would start there; ``sizes``
    has the sizes of entries in words, by key. The search ends at a key that is not in
    ``sizes``, or at an entry that would extend beyond ``words``.
    """
    starts: list[int] = []
    at, key_at, size_of = 0, keys.data, sizes.get
    while at < len(key_at) and len(starts) < count:
        step = size_of(key_at[at], 0)
        if step == 0 or at + step > words:
            break
        starts.append(at)
        at += step
    return np.array(starts, np.intp), at


def _gather(
    words: NDArray[np.uint64], starts: NDArray[np.intp], size: int
) -> NDArray[np.uint64]:
    """Returns ``size`` words from each of n starts; shape (n, size)."""
    return words[starts[:, np.newaxis] + np.arange(size)]


def as_samples(entries: NDArray[np.void], groups: Sequence[PmdGroup]) -> Samples:
    """Returns the entries as columns."""
    columns: dict[str, Column] = {n: entries[n] for n in field_names(entries.dtype)}
    return _samples(entries.size, columns, groups)


def _samples(
    count: int, columns: Mapping[str, Column], groups: Sequence[PmdGroup]
) -> Samples:
    """Makes samples with these columns, and the derived period."""
    derived = {}
    if "last_reset_val" in columns:
        derived["period"] = lambda: np.uint64(0) - columns["last_reset_val"]
    return Samples(count, columns, tuple(groups), Lazy(derived))
