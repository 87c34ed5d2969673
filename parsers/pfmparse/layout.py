# SPDX-License-Identifier: MIT OR GPL-2.0
"""The array type, and numpy dtypes for structures that are declared in C.

numpy.typing is imported for type checkers only, because importing it would take a tenth
of the start-up time of ``pfmparse report``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from .errors import PfmParseError

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray
else:
    NDArray = np.ndarray


def split(which: NDArray[np.intp], *keys: NDArray[Any]) -> Iterator[NDArray[np.intp]]:
    """Yields the elements of ``which`` in non-empty groups with equal keys."""
    if which.size == 0:
        return
    order = np.lexsort(keys)
    changes = np.zeros(which.size - 1, np.bool_)
    for key in keys:
        changes |= np.diff(key[order]) != 0
    yield from np.split(which[order], np.flatnonzero(changes) + 1)


Field = tuple[str, Union[str, "np.dtype[Any]"], int]
"""Name, numpy format with byte order (``"<u8"``, ``"10<u8"``), offset in bytes."""

Data = Union[bytes, bytearray, memoryview]

KERNEL_START = 1 << 63  # on x86_64 and arm64, kernel addresses are not below this


def struct_dtype(size: int, fields: Sequence[Field]) -> np.dtype[np.void]:
    """Returns a structured dtype of ``size`` bytes, which the fields fill without gaps.

    Padding must be given as a field, too. Raises AssertionError unless each field
    starts where the previous one ends.
    """
    end = 0
    for name, spec, offset in fields:
        assert offset == end, f"{name} is at {end}, not {offset}"
        end += np.dtype(spec).itemsize
    assert end == size, f"the fields end at {end}, not {size}"
    return np.dtype([(name, spec) for name, spec, _ in fields])


def view(
    data: Data, dtype: np.dtype[np.void], count: int, offset: int, stride: int
) -> NDArray[np.void]:
    """Returns ``count`` structures in ``data``, without a copy; shape (count,).

    The first structure is at byte ``offset``, and each further one ``stride`` bytes
    later; structures may overlap. The caller must have checked that they are within
    ``data``.
    """
    if count == 0:
        return np.zeros(0, dtype)
    return np.ndarray((count,), dtype, data, offset, (stride,))


def structures(
    data: Data, dtype: np.dtype[np.void], count: int, offset: int, what: str
) -> NDArray[np.void]:
    """Returns ``count`` consecutive structures from byte ``offset`` on, without a copy.

    Raises PfmParseError if the data end before the structures; ``what`` names them.
    """
    end = offset + count * dtype.itemsize
    if len(data) < end:
        message = f"{what} ends here, before byte {end}"
        raise PfmParseError(message, len(data), truncated=True)
    return view(data, dtype, count, offset, dtype.itemsize)


@cache
def field_names(dtype: np.dtype[np.void]) -> tuple[str, ...]:
    """Returns the names of fields that are neither reserved nor padding, by offset."""
    return tuple(n for n in dtype.names or () if "reserved" not in n and "pad" not in n)


def integers(
    data: Data, dtype: np.dtype[np.void], offset: int, what: str
) -> dict[str, int]:
    """Returns the integers of a structure at byte ``offset``, by field.

    Raises PfmParseError if the data end before the structure does; ``what`` names it.
    """
    return table(data, dtype, 1, offset, what)[0]


def table(
    data: Data, dtype: np.dtype[np.void], count: int, offset: int, what: str
) -> list[dict[str, int]]:
    """Returns the integers of ``count`` consecutive structures, see integers()."""
    raw = structures(data, dtype, count, offset, what)
    names = [n for n in field_names(dtype) if dtype[n].kind in "iu"]
    return [dict(zip(names, row)) for row in zip(*(raw[n].tolist() for n in names))]


def bad_field(
    dtype: np.dtype[np.void], field: str, message: str, offset: int = 0
) -> PfmParseError:
    """Returns an error about a field of the structure at byte ``offset``."""
    assert dtype.fields is not None
    return PfmParseError(f"{field}: {message}", offset + dtype.fields[field][1])


def describe(arg: bytes, dtype: np.dtype[np.void]) -> Optional[Mapping[str, int]]:
    """Returns the values in a format's argument, None if its size is wrong."""
    if len(arg) != dtype.itemsize:
        return None
    return integers(arg, dtype, 0, "the argument")
