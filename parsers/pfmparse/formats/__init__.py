# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decoders of sampling buffers: a module for each format."""

from .registry import find_format, known

__all__ = ["find_format", "known"]
