# SPDX-License-Identifier: MIT OR GPL-2.0
"""The capture file (docs/capture.md): its chunks, and what each type says."""

from .file import Buffer, Capture

__all__ = ["Buffer", "Capture"]
