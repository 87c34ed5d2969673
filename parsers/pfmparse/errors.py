# SPDX-License-Identifier: MIT OR GPL-2.0
"""The one error that bad input raises."""

from __future__ import annotations


class PfmParseError(Exception):
    """Input that cannot be decoded.

    ``message`` says what is wrong, ``offset`` where: the byte of the file or
    buffer that was being read. ``truncated`` distinguishes input that merely ends
    early from input that contradicts its layout.
    """

    def __init__(self, message: str, offset: int, truncated: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.truncated = truncated

    def within(self, offset: int, stored: str, whole: bool) -> PfmParseError:
        """The same problem, located in the file that holds the data at ``offset``.

        If the data are ``stored`` in another form, which this names, the byte is
        given in the message only. Data that are ``whole`` but too short are damaged,
        not truncated.
        """
        truncated = self.truncated and not whole
        if stored:
            message = f"{stored}, byte {self.offset:#x}: {self.message}"
            return PfmParseError(message, offset, truncated)
        return PfmParseError(self.message, offset + self.offset, truncated)

    def __str__(self) -> str:
        return f"offset {self.offset:#x}: {self.message}"
