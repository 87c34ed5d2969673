# SPDX-License-Identifier: MIT OR GPL-2.0
"""Map pairs of numbers to dense IDs.

IDs are looked up in a hash table. If the first numbers of the pairs are equal, and the
second numbers are close together, a faster table indexed by the second number is used.
"""

from __future__ import annotations

from typing import Any, Iterator, Optional

import numpy as np

from ..layout import NDArray

U64s = NDArray[np.uint64]
Ids = NDArray[np.intp]

SIZE = 1 << 20  # maximum size of a Window
UNKNOWN = -1


class Window:
    """A table of the IDs of ``size`` adjacent numbers, from ``base`` on."""

    def __init__(self, base: int, size: int) -> None:
        self._base = np.uint64(base)
        self._ids = np.full(size, UNKNOWN, np.intp)

    @classmethod
    def around(cls, numbers: U64s) -> Optional[Window]:
        """Returns a window with these numbers in it; None if they are too far apart."""
        low, high = int(numbers.min()), int(numbers.max())
        size = 2 * (high - low + 1)
        return cls(max(0, low - size // 4), size) if size <= SIZE else None

    def look_up(self, numbers: U64s, ids: Ids) -> Optional[Ids]:
        """Fills in the known IDs; returns the indices of the numbers without an ID.

        Returns None if a number is outside of the window.
        """
        at = numbers - self._base
        if at.max() >= self._ids.size:
            return None
        self._ids.take(at.view(np.int64), 0, ids, "wrap")
        if ids.min() != UNKNOWN:
            return np.zeros(0, np.intp)
        others: Ids = (ids == UNKNOWN).nonzero()[0]
        return others

    def note(self, numbers: U64s, ids: Ids) -> None:
        """Stores the IDs of numbers; ignores numbers outside of the window."""
        at = numbers - self._base
        inside = at < self._ids.size
        self._ids[at[inside].view(np.int64)] = ids[inside]


BLOCK = 1 << 15  # pairs that are looked up at once; they fit into the cache
SLOTS = 1 << 12  # initial size of the table
SPARE = 4  # minimum number of slots per pair, so that collisions are rare
LARGE = 1 << 22  # slots; a table of at least this size needs only two slots per pair
PATIENCE = 1 << 14  # number of pairs to look up before a window is made

# An odd multiplier that spreads adjacent numbers: 2^64 / golden ratio.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)  # bits


class Interner:
    """Assigns IDs 0, 1, ... to distinct pairs (a, b) of 64-bit numbers.

    An ID never changes. Memory grows with the number of distinct pairs, not with the
    number of look-ups. The class is not thread-safe.

    The IDs are in a hash table with open addressing. The low bits of b, plus a number
    that depends on a, select a pair's first slot. If b is an address, pairs seldom
    collide, because the addresses of a program's code are close together. If the slot
    has another pair, the next slots to try follow at a fixed distance, which depends on
    a hash of the pair. Even an empty slot contains a valid ID: 0. A first look-up can
    therefore compare its pair with the pair of the slot's ID without checking whether
    the slot is empty.
    """

    def __init__(self) -> None:
        self._count = 0
        self._a, self._b = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
        self._same_a = True  # all pairs have the same a
        self._slots = np.zeros(SLOTS, np.intp)
        self._used = np.zeros(SLOTS, np.bool_)
        self._window: Optional[Window] = None
        self._window_of = np.uint64(0)  # the a of the pairs in the window
        self._tries = 0  # pairs that were looked up without a window

    def __len__(self) -> int:
        return self._count

    def pairs(self) -> tuple[U64s, U64s]:
        """Returns copies of the pairs' a and b, indexed by ID."""
        return self._a[: self._count].copy(), self._b[: self._count].copy()

    def ids(self, a: NDArray[Any], b: NDArray[Any]) -> Ids:
        """Returns the ID of each pair; ``a`` has shape (n,) or (1,), ``b`` (n,).

        Both are arrays of integers; negative integers are taken modulo 2^64.
        """
        ids = np.empty(b.size, np.intp)
        if b.size == 0:
            return ids
        a, left = _or_one(a), list[Ids]()
        window = self._window_for(_part(a, slice(1)), b) if a.size == 1 else None
        for start in range(0, b.size, BLOCK):
            part = slice(start, start + BLOCK)
            some = _wide(b[part])
            others = window.look_up(some, ids[part]) if window else None
            if others is None:
                others = self._look_up(_part(a, part), some, ids[part])
            if others.size:
                left.append(others + start)
        # Most pairs are in their first slot. Search for the few others of all blocks
        # together.
        for which in _pieces(left):
            some = _wide(b[which])
            ids[which] = self._search(_part(a, which), some)
            if window:
                window.note(some, ids[which])
        return ids

    def _window_for(self, a: U64s, b: NDArray[Any]) -> Optional[Window]:
        """Returns the window for pairs with this a, or None."""
        if self._window is not None and self._window_of == a[0]:
            return self._window
        self._tries += b.size
        if self._tries < PATIENCE:
            return None
        self._tries = 0
        self._window, self._window_of = Window.around(_wide(b)), a[0]
        return self._window

    def _look_up(self, a: U64s, b: U64s, ids: Ids) -> Ids:
        """Fills in the IDs of pairs that are in their first slots.

        Returns the indices of the other pairs.
        """
        slots = _first_slots(a, b, self._slots.size)
        if self._count == 0:
            self._add_new(slots[:1], a[:1], b[:1])
        self._slots.take(slots, 0, ids, "wrap")
        others: Ids = self._differ(ids, a, b).nonzero()[0]
        return others

    def _differ(self, ids: Ids, a: U64s, b: U64s) -> NDArray[np.bool_]:
        """Returns a mask of the pairs that differ from the pairs with these IDs."""
        differ: NDArray[np.bool_] = self._b.take(ids, mode="wrap") != b
        if not (self._same_a and a.size == 1 and a[0] == self._a[0]):
            differ |= self._a.take(ids, mode="wrap") != a
        return differ

    def _search(self, a: U64s, b: U64s) -> Ids:
        """Returns the IDs of pairs, searching all their slots; adds missing pairs."""
        ids, left = np.empty(b.size, np.intp), np.arange(b.size)
        walk, a = self._walk(a, b), np.broadcast_to(a, b.shape)
        while left.size:
            self._add_new(walk.slots, a, b)
            found = self._slots[walk.slots]
            differ = (self._b[found] != b) | (self._a[found] != a)
            ids[left[~differ]] = found[~differ]
            left, a, b = left[differ], a[differ], b[differ]
            grown = self._grow()
            walk = self._walk(a, b) if grown else walk.next(differ)
        return ids

    def _add_new(self, slots: Ids, a: U64s, b: U64s) -> None:
        """Adds the pairs whose current slot is empty."""
        new = self._claim(slots)
        self._slots[slots[new]] = np.arange(self._count, self._count + new.size)
        self._append(a[new], b[new])

    def _claim(self, slots: Ids) -> Ids:
        """Assigns each empty slot to one of the pairs that need it.

        Returns the indices of the pairs that got their slot.
        """
        empty = np.flatnonzero(~self._used[slots])
        # If several pairs need the same slot, the pair that is written last gets it.
        self._slots[slots[empty]] = empty
        got: Ids = empty[self._slots[slots[empty]] == empty]
        self._used[slots[got]] = True
        return got

    def _append(self, a: U64s, b: U64s) -> None:
        """Appends pairs, which get the next IDs."""
        if b.size == 0:
            return
        end = self._count + b.size
        if end > self._b.size:
            size = max(end, 2 * self._b.size)
            self._a, self._b = _resized(self._a, size), _resized(self._b, size)
        self._a[self._count : end], self._b[self._count : end] = a, b
        self._same_a = self._same_a and bool((a == self._a[0]).all())
        self._count = end

    def _grow(self) -> bool:
        """Enlarges the table if it is too full; returns whether it was enlarged."""
        size = self._slots.size
        while self._count * (SPARE if size < LARGE else 2) > size:
            size *= 2
        if size == self._slots.size:
            return False
        self._slots, self._used = np.zeros(size, np.intp), np.zeros(size, np.bool_)
        a, b = self._a[: self._count], self._b[: self._count]
        walk, left = self._walk(a, b), np.arange(self._count)
        while left.size:
            got = self._claim(walk.slots)
            self._slots[walk.slots[got]] = left[got]
            others = np.ones(left.size, np.bool_)
            others[got] = False
            left, walk = left[others], walk.next(others)
        return True

    def _walk(self, a: U64s, b: U64s) -> _Walk:
        """Returns a walk over the pairs' slots, which begins at their first slots."""
        return _Walk(
            _first_slots(a, b, self._slots.size), _steps(a, b), self._slots.size
        )


class _Walk:
    """The current slot of each pair, and the step to its next slot."""

    def __init__(self, slots: Ids, steps: Ids, size: int) -> None:
        self.slots = slots
        self._steps = steps
        self._size = size  # a power of two, so that odd steps reach all slots

    def next(self, which: NDArray[np.bool_]) -> _Walk:
        """Returns a walk with the next slots of the pairs in the mask ``which``."""
        steps = self._steps[which]
        slots = (self.slots[which] + steps) & (self._size - 1)
        return _Walk(slots, steps, self._size)


def _part(a: NDArray[Any], which: slice | Ids) -> U64s:
    """Returns some of n numbers; if one number stands for all n, returns just that."""
    return _wide(a if a.size == 1 else a[which])


def _pieces(parts: list[Ids]) -> Iterator[Ids]:
    """Yields the indices in all parts, in arrays of at most BLOCK elements."""
    if parts:
        together = np.concatenate(parts)
        for start in range(0, together.size, BLOCK):
            yield together[start : start + BLOCK]


def _or_one(numbers: NDArray[Any]) -> NDArray[Any]:
    """Returns only the first number if all are equal, otherwise all numbers.

    Often all are equal, and look-ups are then faster.
    """
    equal = numbers.strides[0] == 0 or (numbers == numbers[0]).all()
    return numbers[:1] if equal else numbers


def _wide(numbers: NDArray[Any]) -> U64s:
    """Returns the numbers as contiguous 64-bit integers."""
    if numbers.dtype == np.uint64 and numbers.flags.c_contiguous:
        return numbers
    return numbers.astype(np.uint64)


def _first_slots(a: U64s, b: U64s, size: int) -> Ids:
    """Returns each pair's first slot.

    Pairs with equal a and adjacent b get adjacent slots; a different a changes the
    slots completely.
    """
    slots = b + a * MULTIPLIER
    slots &= np.uint64(size - 1)
    return slots.view(np.int64).astype(np.intp, copy=False)


def _steps(a: U64s, b: U64s) -> Ids:
    """Returns step sizes: odd numbers that depend on all bits of the pairs."""
    mixed = (a * MULTIPLIER) ^ b
    mixed *= MULTIPLIER
    mixed >>= HALF
    mixed |= np.uint64(1)
    return mixed.view(np.int64).astype(np.intp, copy=False)


def _resized(numbers: U64s, size: int) -> U64s:
    larger = np.zeros(size, np.uint64)
    larger[: numbers.size] = numbers
    return larger
