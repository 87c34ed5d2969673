# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a format is, and what its decoder returns: samples as columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Optional, Protocol, Union

import numpy as np
from numpy.typing import NDArray

from ..capture.session import Session
from ..errors import PfmParseError
from ..layout import Data

Column = NDArray[np.integer[Any]]

BLOCK = 1 << 12  # samples that stay in the cache while their fields are copied


class Lazy(Mapping[str, Column]):
    """Columns that are made on demand."""

    def __init__(self, makers: Mapping[str, Callable[[], Column]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> Column:
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        # Mapping's own would make the column to see whether it exists.
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@dataclass(frozen=True)
class PmdGroup:
    """PMD values of the samples that recorded the same PMDs.

    ``which`` selects those samples, m of them, from a column; ``pmds`` are k PMD
    indices in increasing order; ``values`` has shape (m, k).
    """

    which: Union[slice, NDArray[np.intp]]
    pmds: tuple[int, ...]
    values: NDArray[np.uint64]


@dataclass(frozen=True)
class Samples:
    """Samples in the order in which they were recorded.

    ``columns`` maps the name of each field that the entries have to its values,
    shape (count,); every sample is in at most one of ``groups``. ``derived`` are
    columns that are computed from those, for reports only.
    """

    count: int
    columns: Mapping[str, Column]
    groups: tuple[PmdGroup, ...] = ()
    derived: Mapping[str, Column] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """There is such a column."""
        return name in self.columns or name in self.derived

    def column(self, name: str) -> Column:
        """A column; PfmParseError if the entries were recorded without it."""
        if name in self.columns:
            return self.columns[name]
        if name in self.derived:
            return self.derived[name]
        raise PfmParseError(f"the samples have no {name}", 0)

    def to_array(self) -> NDArray[np.void]:
        """A copy of all samples as one structured array, shape (count,).

        Its fields are the columns and ``pmdN`` for each PMD N that any sample
        recorded; the others have 0 there.
        """
        pmds = sorted({pmd for group in self.groups for pmd in group.pmds})
        columns = dict(self.columns)
        fields = [(name, column.dtype) for name, column in columns.items()]
        fields += [(f"pmd{pmd}", np.dtype("<u8")) for pmd in pmds]
        array = np.zeros(self.count, np.dtype(fields))
        for start in range(0, self.count, BLOCK):
            part = slice(start, start + BLOCK)
            for name, column in columns.items():
                array[name][part] = column[part]
        for group in self.groups:
            for at, pmd in enumerate(group.pmds):
                array[f"pmd{pmd}"][group.which] = group.values[:, at]
        return array


@dataclass(frozen=True)
class Region:
    """Samples of a part of a buffer.

    ``number`` is 0 for formats that do not divide their buffers. The samples are
    ``imprecise`` if the format promises the registers at the event, but those at a
    later interrupt were recorded.
    """

    number: int
    samples: Samples
    imprecise: bool = False


@dataclass(frozen=True)
class Lost:
    """Samples that the buffer says were lost since its context was created.

    ``total`` has a number for each reason, ``regions`` the same for each region, if
    the format says so.
    """

    total: Mapping[str, int] = field(default_factory=dict)
    regions: tuple[Mapping[str, int], ...] = ()


@dataclass(frozen=True)
class Decoded:
    """The samples of a buffer, and why some could not be decoded.

    ``regions`` are in the order in which they were filled. ``problems`` carry
    offsets from the buffer's first byte; there are none if everything was decoded.
    """

    regions: tuple[Region, ...]
    problems: tuple[PfmParseError, ...] = ()
    lost: Lost = Lost()


class Decoder(Protocol):
    """Decodes the buffers of one context in the order in which they were copied."""

    def __call__(self, data: Data) -> Decoded:
        """Decodes a buffer of which ``data`` are the first bytes.

        Samples that an earlier call returned are not returned again, if the format
        can tell. PfmParseError if not even the header is usable.
        """


@dataclass(frozen=True)
class Format:
    """A sampling format that can be decoded.

    ``uuid`` is in lower case. ``decoder`` makes the decoder of one context of a
    session; ``describe_arg`` names the values in the format's argument, or returns
    None if these bytes are not one; ``dtypes`` are the format's structures. A
    ``stream`` continues from buffer to buffer: after a missing one, a new decoder
    has to synchronize with it.
    """

    name: str
    uuid: str
    decoder: Callable[[Session], Decoder]
    describe_arg: Callable[[bytes], Optional[Mapping[str, object]]]
    dtypes: Mapping[str, np.dtype[np.void]] = field(default_factory=dict)
    stream: bool = False
