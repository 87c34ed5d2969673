# SPDX-License-Identifier: MIT OR GPL-2.0
"""The capture file (docs/capture.md): its chunks, and what each type says."""

from .buffer import Buffer
from .file import Capture

__all__ = ["Buffer", "Capture"]
