# SPDX-License-Identifier: MIT OR GPL-2.0
"""Makes the parsers importable."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "parsers"))
