# SPDX-License-Identifier: MIT OR GPL-2.0
"""Call chains of samples as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np

from ..layout import KERNEL_START, NDArray


@dataclass(frozen=True)
class Chains:
    """The call chains of n samples.

    The chain of sample i is ``addresses[offsets[i]:offsets[i + 1]]``, innermost caller
    first. A chain has return addresses, but not the sample's own address. ``offsets``
    has shape (n + 1,) and increases. The first ``kernel[i]`` addresses of chain i are
    in the kernel, the others in user space; without ``kernel``, the addresses
    themselves decide. For each address that is an offset in a file, ``files`` has the
    file's cookie; for other addresses, 0.
    """

    offsets: NDArray[np.intp]
    addresses: NDArray[np.uint64]
    kernel: Optional[NDArray[np.intp]] = None
    files: Optional[NDArray[np.uint64]] = None

    def __post_init__(self) -> None:
        """Raises ValueError if the arrays are inconsistent."""
        offsets, size = self.offsets, self.addresses.size
        if offsets.ndim != 1 or offsets.size == 0 or self.addresses.ndim != 1:
            raise ValueError("offsets and addresses of chains are not one-dimensional")
        lengths = np.diff(offsets)
        if offsets[0] < 0 or offsets[-1] > size or (lengths < 0).any():
            raise ValueError(f"offsets of chains do not increase from 0 to {size}")
        if self.files is not None and self.files.shape != self.addresses.shape:
            text = f"files has {self.files.size} values for {size} addresses"
            raise ValueError(text)
        if self.kernel is None:
            return
        if self.kernel.shape != lengths.shape:
            text = f"kernel has {self.kernel.size} values for {lengths.size} chains"
            raise ValueError(text)
        if (self.kernel < 0).any() or (self.kernel > lengths).any():
            raise ValueError("kernel has a value below 0 or above its chain's length")

    @classmethod
    def of_table(
        cls,
        addresses: NDArray[np.uint64],
        lengths: NDArray[np.integer[Any]],
        kernel: Optional[NDArray[np.integer[Any]]] = None,
    ) -> Chains:
        """Makes chains from records that all have the same room for addresses.

        ``addresses`` has shape (n, room). ``lengths``, of shape (n,), has the number of
        addresses that each record uses.
        """
        count, room = addresses.shape
        if lengths.shape != (count,) or (lengths > room).any() or (lengths < 0).any():
            raise ValueError(f"need {count} lengths, each from 0 to {room}")
        offsets = np.zeros(count + 1, np.intp)
        np.cumsum(lengths, out=offsets[1:])
        used = np.arange(room) < lengths[:, np.newaxis]
        parts = None if kernel is None else kernel.astype(np.intp)
        return cls(offsets, addresses[used], parts)

    @classmethod
    def joined(cls, parts: Sequence[Chains]) -> Chains:
        """Concatenates chains; all parts must have the same optional arrays."""
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.zeros(lengths.size + 1, np.intp)
        np.cumsum(lengths, out=offsets[1:])
        used = [slice(part.offsets[0], part.offsets[-1]) for part in parts]
        kernel = [part.kernel for part in parts if part.kernel is not None]
        files = [p.files[use] for p, use in zip(parts, used) if p.files is not None]
        return cls(
            offsets,
            np.concatenate([part.addresses[use] for part, use in zip(parts, used)]),
            np.concatenate(kernel) if kernel else None,
            np.concatenate(files) if files else None,
        )

    @property
    def count(self) -> int:
        """The number of chains."""
        return self.offsets.size - 1

    def in_kernel(self) -> NDArray[np.bool_]:
        """Returns a mask of the ``addresses`` that are in the kernel."""
        if self.kernel is None:
            return self.addresses >= np.uint64(KERNEL_START)
        begins, places = self.offsets[:-1], self.addresses.size + 1
        steps = np.bincount(begins, minlength=places)
        steps -= np.bincount(begins + self.kernel, minlength=places)
        levels: NDArray[np.bool_] = np.cumsum(steps[:-1]) > 0
        return levels

    def callers(self) -> NDArray[np.uint64]:
        """Returns the innermost caller of each sample, or 0; shape (n,)."""
        return self._innermost(self.addresses)

    def files_of_callers(self) -> Optional[NDArray[np.uint64]]:
        """Returns the ``files`` of the innermost callers; shape (n,)."""
        return None if self.files is None else self._innermost(self.files)

    def to_lists(self) -> list[list[int]]:
        """Returns each chain as a list."""
        return self._lists(self.addresses)

    def files_to_lists(self) -> Optional[list[list[int]]]:
        """Returns the ``files`` of each chain as a list."""
        return None if self.files is None else self._lists(self.files)

    def _innermost(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        some = self.offsets[:-1] < self.offsets[1:]
        first = np.zeros(self.count, np.uint64)
        first[some] = values[self.offsets[:-1][some]]
        return first

    def _lists(self, values: NDArray[np.uint64]) -> list[list[int]]:
        every, offsets = values.tolist(), self.offsets.tolist()
        return [every[at:end] for at, end in zip(offsets, offsets[1:])]
