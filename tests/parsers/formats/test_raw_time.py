# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the conversion of raw time stamps with exact integers."""

from __future__ import annotations

import numpy as np
import pytest
from pfmparse.formats.raw_time import RawTime

RAW = [0, 1, 2**32 - 1, 2**32, 3 * 10**15, 2**63, 2**64 - 1]


@pytest.mark.parametrize("mult", [1, 2**24 - 1, 2**32 - 1])
@pytest.mark.parametrize("shift", [0, 10, 32])
@pytest.mark.parametrize("zero", [0, 12345, 2**64 - 5])
def test_raw_time_is_converted_exactly(zero: int, mult: int, shift: int) -> None:
    ns = RawTime(zero, mult, shift).ns(np.array(RAW, np.uint64))
    expected = [((raw * mult >> shift) + zero) % 2**64 for raw in RAW]
    assert ns.tolist() == expected
