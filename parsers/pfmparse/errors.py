# SPDX-License-Identifier: MIT OR GPL-2.0
"""PfmParseError, which is raised for bad input, and texts of other exceptions."""

from __future__ import annotations

import os
from bisect import insort

# Stack frames in these directories are skipped in the search for an error's origin.
_OURS = (os.path.dirname(os.path.abspath(__file__)), f"{os.sep}numpy{os.sep}")


class PfmParseError(Exception):
    """Input that cannot be decoded.

    ``message`` says what is wrong. ``offset`` is the byte of the file or buffer that
    was being read. ``truncated`` is set if the input merely ends too early; it is not
    set if the input contradicts its layout.
    """

    def __init__(self, message: str, offset: int, truncated: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.truncated = truncated

    def within(self, offset: int, stored: str, whole: bool) -> PfmParseError:
        """Converts an error in data to an error in the file that contains the data.

        The data begin at ``offset`` in the file. If the file stores them in another
        form, such as compressed, ``stored`` names this form; the new error then has the
        offset of the stored data, and the offset in the data is only in its message.
        ``whole`` is set if the file has all bytes of the data: if they still end too
        early, they are damaged, not truncated.
        """
        truncated = self.truncated and not whole
        if stored:
            message = f"{stored}, byte {self.offset:#x}: {self.message}"
            return PfmParseError(message, offset, truncated)
        return PfmParseError(self.message, offset + self.offset, truncated)

    def __str__(self) -> str:
        return f"offset {self.offset:#x}: {self.message}"


class RequestError(PfmParseError):
    """A request that cannot be met with this input, or an error in another package.

    No byte of the input is wrong, so the text has no offset.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, 0)

    def __str__(self) -> str:
        return self.message


def note(problems: list[PfmParseError], problem: PfmParseError) -> None:
    """Adds a problem to a list that is sorted by offset.

    Drops references to the stack and to an earlier exception, which would keep the
    input in memory.
    """
    problem.__traceback__ = problem.__context__ = None
    insort(problems, problem, key=lambda other: other.offset)


def blamed(error: BaseException) -> str:
    """Describes an exception in another package's code, with the line of the code."""
    import traceback  # slow to import, and rarely needed

    text = f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        generated = frame.filename.startswith("<")
        if not generated and not any(ours in frame.filename for ours in _OURS):
            return f"{text} ({frame.filename}, line {frame.lineno})"
    return text
