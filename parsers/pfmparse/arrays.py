# SPDX-License-Identifier: MIT OR GPL-2.0
"""The array type.

numpy.typing is imported for type checkers only: importing it would take a tenth of the
start-up time of ``pfmparse report``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray
else:
    NDArray = np.ndarray
