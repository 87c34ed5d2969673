# SPDX-License-Identifier: MIT OR GPL-2.0
"""The type of arrays; importing numpy.typing takes a tenth of a report's start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray
else:
    NDArray = np.ndarray
