# SPDX-License-Identifier: MIT OR GPL-2.0
"""A stand-in for a terminal."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """A text buffer that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True
