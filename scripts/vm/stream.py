# SPDX-License-Identifier: MIT OR GPL-2.0
"""A stream of bytes with an end mark, because the sender cannot close the channel."""

from __future__ import annotations

from collections.abc import Callable


class Stream:
    """Passes on the bytes before the end mark as soon as they arrive.

    Holds back only bytes that may be the start of the mark.
    """

    def __init__(self, mark: bytes, sink: Callable[[bytes], None]) -> None:
        self.ended = False
        self._mark = mark
        self._sink = sink
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Pass on a piece of the stream; drop everything after the mark."""
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
        """Pass on the held-back bytes if the stream ended without its mark."""
        if not self.ended and self._held:
            self._sink(self._held)
            self._held = b""

    def _overlap(self, data: bytes) -> int:
        """Return how many of the last bytes may be the start of the mark."""
        for length in range(min(len(data), len(self._mark) - 1), 0, -1):
            if data.endswith(self._mark[:length]):
                return length
        return 0
