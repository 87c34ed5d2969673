# SPDX-License-Identifier: MIT OR GPL-2.0
"""The interface of formats and decoders."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Callable, Mapping, Optional, Protocol

import numpy as np

from ..capture.buffers import Buffers
from ..capture.session import Session, plain_uuid
from ..errors import PfmParseError
from ..layout import Data, describe
from .samples import Samples

ARGUMENT = "argument"  # name of the argument in Format.dtypes


@dataclass(frozen=True)
class Region:
    """Samples in a part of a buffer.

    ``number`` is the region's index, 0 for formats that do not divide their buffers.
    The samples are ``imprecise`` if the format should record the registers at the
    event, but recorded the registers at a later interrupt.
    """

    number: int
    samples: Samples
    imprecise: bool = False


def _plain(numbers: Mapping[str, int]) -> dict[str, int]:
    return {reason: int(number) for reason, number in numbers.items()}


@dataclass(frozen=True)
class Lost:
    """The losses that a buffer reports: all since the creation of its context.

    ``total`` is the number of lost samples by reason. ``regions`` has these numbers for
    each region, if the format records them.
    """

    total: Mapping[str, int] = field(default_factory=dict)
    regions: tuple[Mapping[str, int], ...] = ()

    def __post_init__(self) -> None:
        # numpy's integers are not valid in JSON, and overflow at 64 bits.
        object.__setattr__(self, "total", _plain(self.total))
        object.__setattr__(self, "regions", tuple(map(_plain, self.regions)))


@dataclass(frozen=True)
class Decoded:
    """The samples of a buffer, and problems with samples that cannot be decoded.

    ``regions`` are in the order in which they were filled. The offsets in ``problems``
    are relative to the buffer; if everything was decoded, there are no problems.
    ``skipped`` is the number of samples that the format deliberately did not record,
    since the creation of the context.
    """

    regions: tuple[Region, ...]
    problems: tuple[PfmParseError, ...] = ()
    lost: Lost = Lost()
    skipped: int = 0

    def __post_init__(self) -> None:
        """Raises TypeError if elements have wrong types."""
        for region in self.regions:
            if not isinstance(region, Region):
                raise TypeError(f"{region!r} in regions is not a Region")
        for problem in self.problems:
            if not isinstance(problem, PfmParseError):
                raise TypeError(f"{problem!r} in problems is not a PfmParseError")


class Decoder(Protocol):
    """Decodes the buffers of one context in the order in which they were copied."""

    def __call__(self, data: Data) -> Decoded:
        """Decodes a buffer, of which ``data`` may have only the first bytes.

        Does not return samples again that an earlier call has returned, if the format
        allows the decoder to recognise them. Raises PfmParseError if even the header is
        unusable.
        """


class TogetherDecoder(Decoder, Protocol):
    """A decoder that can decode several buffers at once, which is faster."""

    def together(self, buffers: Buffers) -> Optional[Decoded]:
        """Returns the samples of all buffers, and the losses reported by the last one.

        If there is a problem in any buffer, returns None without changing the decoder.
        """


def _not_described(arg: bytes) -> Optional[Mapping[str, object]]:
    """Returns None, because the values are unknown; the default ``describe_arg``."""
    return None


@dataclass(frozen=True)
class Format:
    """A sampling format that can be decoded.

    ``decoder`` makes a decoder for one context of a session. ``describe_arg`` returns
    the values in the format's argument by name, or None if the bytes are not valid.
    ``dtypes`` are the format's structures; ``describe_arg`` is not needed if they
    include "argument". If ``stream`` is set, the data continue from buffer to buffer.
    After a missing buffer, pfmparse then makes a new decoder, which must find a place
    where it can begin. If ``joined`` is set, a batch may have the samples of several
    buffers.
    """

    name: str
    uuid: str
    decoder: Callable[[Session], Decoder]
    describe_arg: Callable[[bytes], Optional[Mapping[str, object]]] = _not_described
    dtypes: Mapping[str, np.dtype[np.void]] = field(default_factory=dict)
    stream: bool = False
    joined: bool = False

    def __post_init__(self) -> None:
        """Converts the UUID to lower case.

        Raises ValueError if the format is invalid.
        """
        try:
            text = plain_uuid(self.uuid)
        except (ValueError, AttributeError, TypeError):
            message = f"{self.uuid!r} of format {self.name!r} is not a UUID"
            raise ValueError(message) from None
        object.__setattr__(self, "uuid", text)
        if not callable(self.decoder):
            raise ValueError(f"the decoder of format {self.name!r} is not callable")
        if self.describe_arg is _not_described and ARGUMENT in self.dtypes:
            argument = partial(describe, dtype=self.dtypes[ARGUMENT])
            object.__setattr__(self, "describe_arg", argument)
