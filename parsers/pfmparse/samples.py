# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a format's decoder returns: samples as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .errors import PfmParseError
from .layout import Data
from .session import Session

Column = NDArray[np.integer[Any]]


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
    """Samples of one buffer in the order in which they were recorded.

    ``columns`` maps the name of each field that the entries have to its values,
    shape (count,); every sample is in at most one of ``groups``.
    """

    count: int
    columns: Mapping[str, Column]
    groups: tuple[PmdGroup, ...]


@dataclass(frozen=True)
class Decoded:
    """The samples of a buffer, and what kept the decoder from having them all.

    ``problem`` carries an offset from the buffer's first byte; it is None if the
    whole buffer was decoded.
    """

    samples: Samples
    problem: Optional[PfmParseError]


Decode = Callable[[Data], Decoded]
"""Decodes one buffer; raises PfmParseError if not even its header is usable."""


@dataclass(frozen=True)
class Format:
    """A sampling format that can be decoded.

    ``decoder`` prepares the decoding of a session's buffers; ``describe_arg`` names
    the values in the format's argument, or returns None if these bytes are not
    one.
    """

    name: str
    uuid: str
    decoder: Callable[[Session], Decode]
    describe_arg: Callable[[bytes], Optional[dict[str, int]]]
