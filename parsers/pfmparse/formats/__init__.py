# SPDX-License-Identifier: MIT OR GPL-2.0
"""From a sampling buffer's bytes to samples: a module for each format."""

from .registry import find, known

__all__ = ["find", "known"]
