# SPDX-License-Identifier: MIT OR GPL-2.0
"""Lets these tests use what runs the others: the harness, and the lists of programs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vm"))
