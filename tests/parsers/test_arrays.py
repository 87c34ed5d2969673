# SPDX-License-Identifier: MIT OR GPL-2.0
"""The array type."""

from __future__ import annotations

from typing import Any

import numpy as np
from pfmparse.arrays import NDArray


def test_ndarray_type_can_be_subscripted() -> None:
    for kind in (NDArray[Any], NDArray[np.uint64], NDArray[np.integer[Any]]):
        assert getattr(kind, "__origin__") is np.ndarray
