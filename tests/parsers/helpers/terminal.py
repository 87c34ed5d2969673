# SPDX-License-Identifier: MIT OR GPL-2.0
"""What claims to be a terminal."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """Keeps what is written to it."""

    def isatty(self) -> bool:
        """It is one."""
        return True
