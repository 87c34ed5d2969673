# SPDX-License-Identifier: MIT OR GPL-2.0
"""Lines of comma-separated fields, assembled in arrays of bytes.

numpy copies an array of items in a few nanoseconds per item, whatever the items' size.
So each field is written to all lines at once, with one operation for each size of its
texts. Arrays are viewed as overlapping items, so that items can have any offset.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Callable, Iterator, Optional, Protocol, Sequence

import numpy as np

from ..analysis.interner import Ids
from ..layout import NDArray

Bytes = NDArray[np.uint8]
Items = NDArray[np.void]

ROOM = 1 << 20  # bytes of lines that are assembled at once; they fit into the cache
END = b"\r\n"
DIGITS = 4  # digits of a number that are looked up at once
UNKNOWN = -1


class Field(Protocol):
    """A field, or several adjacent fields; ``sizes`` has its length in each line."""

    sizes: Ids

    def write(self, out: Bytes, starts: Ids, lines: slice) -> None:
        """Writes the field of ``lines``, each at its offset in ``starts``."""


def assembled(fields: Sequence[Field]) -> Iterator[memoryview]:
    """Yields the lines that consist of these fields, several at a time."""
    widths = np.full(fields[0].sizes.size, len(fields) - 1 + len(END))
    for field in fields:
        widths += field.sizes
    ends = np.cumsum(widths)
    first = done = 0
    while first < ends.size:
        last = max(first + 1, int(np.searchsorted(ends, done + ROOM, "right")))
        yield _some(fields, slice(first, last), ends[first:last] - done).data
        first, done = last, int(ends[last - 1])


def _some(fields: Sequence[Field], lines: slice, ends: Ids) -> Bytes:
    """Returns the selected lines, joined; ``ends`` has the end offset of each line."""
    # Fields overwrite all commas except those that separate them.
    out = np.full(ends[-1], ord(","), np.uint8)
    starts = np.append(0, ends[:-1])
    for field in fields:
        field.write(out, starts, lines)
        starts = starts + field.sizes[lines] + 1
    _items(out, len(END))[ends - len(END)] = _item(END)
    return out


class Same:
    """The same text in all lines."""

    def __init__(self, text: bytes, count: int) -> None:
        self._text = text
        self.sizes: Ids = np.broadcast_to(np.intp(len(text)), count)

    def write(self, out: Bytes, starts: Ids, lines: slice) -> None:
        """Writes the text to each of the offsets ``starts``."""
        if self._text:
            _items(out, len(self._text))[starts] = _item(self._text)


class Numbers:
    """Numbers without leading zeros, in decimal or hexadecimal."""

    def __init__(
        self,
        numbers: NDArray[np.uint64],
        there: Optional[NDArray[np.bool_]] = None,
        base: int = 10,
    ) -> None:
        """``base`` is 10 or 16; lines for which ``there`` is False have no number."""
        self._numbers, self._base = numbers, base
        self._prefix = np.frombuffer(b"0x" if base == 16 else b"", np.uint8)
        digits = np.searchsorted(_powers(base), numbers, "right") + 1
        self.sizes: Ids = digits + self._prefix.size
        if there is not None:
            self.sizes *= there

    def write(self, out: Bytes, starts: Ids, lines: slice) -> None:
        """Writes the numbers of ``lines`` to the offsets ``starts``."""
        sizes = self.sizes[lines]
        texts = _digits(self._numbers[lines], int(sizes.max()), self._base)
        for size, which in _groups(sizes.astype(np.uint8)):
            last = texts[which, -size:].copy()
            last[:, : self._prefix.size] = self._prefix
            _items(out, size)[starts[which]] = last.view(f"V{size}")[:, 0]


class Texts:
    """Texts by ID; each text is made only once."""

    def __init__(self, make: Callable[[Ids], Sequence[bytes]]) -> None:
        """``make`` returns the texts of some IDs."""
        self._make = make
        self._bytes = np.zeros(0, np.uint8)
        self._used = 0
        self._starts = self._sizes = np.zeros(0, np.intp)  # by ID

    def of(self, ids: Ids) -> Field:
        """Returns a field with the text of each ID."""
        self._sizes = _grown(self._sizes, int(ids.max()) + 1, UNKNOWN)
        new = ids[self._sizes[ids] == UNKNOWN]
        if new.size:
            self._add(np.unique(new))
        return _Copies(self._bytes, self._starts[ids], self._sizes[ids])

    def _add(self, ids: Ids) -> None:
        texts = self._make(ids)
        sizes = np.array([len(text) for text in texts])
        ends = self._used + np.cumsum(sizes)
        self._bytes = _grown(self._bytes, int(ends[-1]))
        self._bytes[self._used : ends[-1]] = np.frombuffer(b"".join(texts), np.uint8)
        self._used = int(ends[-1])
        self._starts = _grown(self._starts, self._sizes.size)
        self._starts[ids], self._sizes[ids] = ends - sizes, sizes


class _Copies:
    """A field whose texts are parts of an array of bytes."""

    def __init__(self, source: Bytes, starts: Ids, sizes: Ids) -> None:
        self._source, self._starts, self.sizes = source, starts, sizes

    def write(self, out: Bytes, starts: Ids, lines: slice) -> None:
        """Copies the texts of ``lines`` to the offsets ``starts``."""
        sizes, sources = self.sizes[lines], self._starts[lines]
        lengths = np.frexp(sizes)[1]  # in bits
        for length, which in _groups(lengths.astype(np.uint8)):
            # Copy the largest power of two that fits, once from each end. The two
            # copies may overlap.
            half = 1 << (length - 1)
            source, target = _items(self._source, half), _items(out, half)
            begin, start = sources[which], starts[which]
            rest = sizes[which] - half
            target[start] = source[begin]
            target[start + rest] = source[begin + rest]


def _items(array: Bytes, size: int) -> Items:
    """Returns the array as overlapping items of ``size`` bytes, one at each offset."""
    return np.ndarray(array.size - size + 1, f"V{size}", array, strides=(1,))


def _item(text: bytes) -> Items:
    return np.frombuffer(text, f"V{len(text)}")


def _groups(keys: NDArray[np.uint8]) -> Iterator[tuple[int, slice | Ids]]:
    """Yields each key except 0 with the indices of its elements."""
    if (keys == keys[0]).all():
        if keys[0]:
            yield int(keys[0]), slice(None)
        return
    for key in np.unique(keys).tolist():
        if key:
            yield key, np.flatnonzero(keys == key)


def _digits(numbers: NDArray[np.uint64], least: int, base: int) -> Bytes:
    """Returns the last m digits of each number, with leading zeros; shape (n, m).

    m is at least ``least``, and a multiple of DIGITS.
    """
    parts = -(-least // DIGITS)
    texts = np.empty((numbers.size, parts), f"V{DIGITS}")
    table, scale = _table(base), np.uint64(base**DIGITS)
    for part in reversed(range(parts)):
        numbers, low = np.divmod(numbers, scale)
        texts[:, part] = table[low]
    return texts.view(np.uint8)


@cache
def _table(base: int) -> Items:
    """Returns the texts of all numbers of DIGITS digits."""
    digits = np.frombuffer(b"0123456789abcdef"[:base], np.uint8)
    texts = np.stack(np.meshgrid(*[digits] * DIGITS, indexing="ij"), -1)
    items: Items = texts.reshape(-1).view(f"V{DIGITS}")
    return items


@cache
def _powers(base: int) -> NDArray[np.uint64]:
    """Returns the powers of the base, except 1, that fit into 64 bits."""
    powers = (base**exponent for exponent in range(1, 64))
    return np.array([power for power in powers if power < 1 << 64], np.uint64)


def _grown(array: NDArray[Any], size: int, fill: int = 0) -> NDArray[Any]:
    """Returns an array with at least ``size`` elements; the new ones are ``fill``."""
    if size <= array.size:
        return array
    larger = np.full(max(size, 2 * array.size), fill, array.dtype)
    larger[: array.size] = array
    return larger
