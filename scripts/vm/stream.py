# SPDX-License-Identifier: MIT OR GPL-2.0
"""A stream of bytes whose sender marks its end, because it cannot close the channel."""

from __future__ import annotations

from collections.abc import Callable


class Stream:
    """Passes on what comes before the end mark, as it comes.

    Only bytes that may be the beginning of the mark are held back.
    """

    def __init__(self, mark: bytes, sink: Callable[[bytes], None]) -> None:
        self.ended = False
        self._mark = mark
        self._sink = sink
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Take the next piece of the stream; what follows the mark is dropped."""
        if self.ended:
            return
        data = self._held + data
        end = data.find(self._mark)
        self.ended = end >= 0
        if not self.ended:
            end = len(data) - self._overlap(data)
        self._held = data[end:]
        if end:
            self._sink(data[:end])

    def close(self) -> None:
        """Pass on what was held back of a stream that broke off before its mark."""
        if not self.ended and self._held:
            self._sink(self._held)
            self._held = b""

    def _overlap(self, data: bytes) -> int:
        """Return how many of the last bytes are the beginning of the mark."""
        for length in range(min(len(data), len(self._mark) - 1), 0, -1):
            if data.endswith(self._mark[:length]):
                return length
        return 0
