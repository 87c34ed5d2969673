# SPDX-License-Identifier: MIT OR GPL-2.0
"""numpy dtypes of structures that C declares."""

from __future__ import annotations

from typing import Sequence, Union

import numpy as np
from numpy.typing import NDArray

Field = tuple[str, str, int]
"""Name, numpy format with byte order (``"<u8"``, ``"10<u8"``), offset in bytes."""

Data = Union[bytes, bytearray, memoryview]


def struct_dtype(size: int, fields: Sequence[Field]) -> np.dtype[np.void]:
    """Structured dtype of ``size`` bytes that the fields fill without a gap.

    Padding is a field of its own, so that every offset is checked: each field
    must start where the one before it ended. AssertionError if it does not.
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
    """``count`` structures in ``data``, without a copy; shape (count,).

    The first is at byte ``offset``, each further one ``stride`` bytes on; they may
    overlap. The caller has checked that they lie within ``data``.
    """
    if count == 0:
        return np.zeros(0, dtype)
    return np.ndarray((count,), dtype, data, offset, (stride,))


def field_names(dtype: np.dtype[np.void]) -> tuple[str, ...]:
    """Names of the fields that hold something, in the order of their offsets."""
    return tuple(n for n in dtype.names or () if "reserved" not in n)
