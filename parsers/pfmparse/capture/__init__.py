# SPDX-License-Identifier: MIT OR GPL-2.0
"""The capture file (docs/capture.md): a module for each type of chunk."""

from .buffer import Buffer
from .file import Capture

__all__ = ["Buffer", "Capture"]
