# SPDX-License-Identifier: MIT OR GPL-2.0
"""Convert raw time stamps: values of a counter of the CPU (perfmon_time.h)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..layout import NDArray
from .samples import Samples

MAX_SHIFT = 32  # keeps the products below 2^64


@dataclass(frozen=True)
class RawTime:
    """pfm_time_conv_t: ``zero`` is the time in ns at which the counter would be 0."""

    zero: int
    mult: int
    shift: int

    def ns(self, raw: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Converts raw time stamps to ns, modulo 2^64; shape (n,)."""
        shift, mult = np.uint64(self.shift), np.uint64(self.mult)
        whole = raw >> shift
        rest = raw - (whole << shift)
        times: NDArray[np.uint64] = whole * mult + (rest * mult >> shift)
        return times + np.uint64(self.zero)

    def converted(self, samples: Samples) -> Samples:
        """Returns the samples with their column ``tstamp`` in ns."""
        columns = dict(samples.columns)
        columns["tstamp"] = self.ns(columns["tstamp"].astype(np.uint64))
        return replace(samples, columns=columns)
