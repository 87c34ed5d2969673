# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a format is, and what its decoder returns for each buffer."""

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

ARGUMENT = "argument"  # its name in Format.dtypes


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


def _plain(numbers: Mapping[str, int]) -> dict[str, int]:
    return {reason: int(number) for reason, number in numbers.items()}


@dataclass(frozen=True)
class Lost:
    """Samples that the buffer says were lost since its context was created.

    ``total`` has a number for each reason, ``regions`` the same for each region, if
    the format says so.
    """

    total: Mapping[str, int] = field(default_factory=dict)
    regions: tuple[Mapping[str, int], ...] = ()

    def __post_init__(self) -> None:
        # Numbers of numpy neither become JSON nor grow beyond their 64 bits.
        object.__setattr__(self, "total", _plain(self.total))
        object.__setattr__(self, "regions", tuple(map(_plain, self.regions)))


@dataclass(frozen=True)
class Decoded:
    """The samples of a buffer, and why some could not be decoded.

    ``regions`` are in the order in which they were filled. ``problems`` carry
    offsets from the buffer's first byte; there are none if everything was decoded.
    """

    regions: tuple[Region, ...]
    problems: tuple[PfmParseError, ...] = ()
    lost: Lost = Lost()

    def __post_init__(self) -> None:
        """TypeError if a decoder has filled in something else."""
        for region in self.regions:
            if not isinstance(region, Region):
                raise TypeError(f"{region!r}, among the regions, is no Region")
        for problem in self.problems:
            if not isinstance(problem, PfmParseError):
                raise TypeError(f"{problem!r}, a problem, is no PfmParseError")


class Decoder(Protocol):
    """Decodes the buffers of one context in the order in which they were copied."""

    def __call__(self, data: Data) -> Decoded:
        """Decodes a buffer of which ``data`` are the first bytes.

        Samples that an earlier call returned are not returned again, if the format
        can tell. PfmParseError if not even the header is usable.
        """


class TogetherDecoder(Decoder, Protocol):
    """One that may decode several buffers at once faster."""

    def together(self, buffers: Buffers) -> Optional[Decoded]:
        """The samples of all, and what the last one says was lost.

        None, and nothing is remembered, unless there is no problem in any of them.
        """


def _not_described(arg: bytes) -> Optional[Mapping[str, object]]:
    """What is known of an argument of which the format says nothing."""
    return None


@dataclass(frozen=True)
class Format:
    """A sampling format that can be decoded.

    ``decoder`` makes the decoder of one context of a session; ``describe_arg`` names
    the values in the format's argument, or returns None if these bytes are not one;
    ``dtypes`` are the format's structures, of which "argument" is enough to describe
    it. A ``stream`` continues from buffer to buffer: after a missing one, a new
    decoder has to synchronize with it. The samples of several buffers may be
    ``joined`` in one batch.
    """

    name: str
    uuid: str
    decoder: Callable[[Session], Decoder]
    describe_arg: Callable[[bytes], Optional[Mapping[str, object]]] = _not_described
    dtypes: Mapping[str, np.dtype[np.void]] = field(default_factory=dict)
    stream: bool = False
    joined: bool = False

    def __post_init__(self) -> None:
        """ValueError if the UUID is none; it is kept in lower case."""
        try:
            text = plain_uuid(self.uuid)
        except (ValueError, AttributeError, TypeError):
            message = f"{self.uuid!r}, of format {self.name!r}, is no UUID"
            raise ValueError(message) from None
        object.__setattr__(self, "uuid", text)
        if not callable(self.decoder):
            raise ValueError(f"the decoder of format {self.name!r} cannot be called")
        if self.describe_arg is _not_described and ARGUMENT in self.dtypes:
            argument = partial(describe, dtype=self.dtypes[ARGUMENT])
            object.__setattr__(self, "describe_arg", argument)
