# SPDX-License-Identifier: MIT OR GPL-2.0
"""Formats without a parser.

If the format uses a sink, its samples can be counted, but not decoded.
"""

from __future__ import annotations

from dataclasses import replace

from ..capture.session import FormatId, Session
from ..layout import Data
from .decoding import Decoded, Format, Region
from .samples import Samples
from .sink import Records, SinkDecoder, is_sink, recorded


def stand_in(identity: FormatId) -> Format:
    """Returns a substitute for an unknown format; its decoder only counts samples."""
    return Format(identity.name, identity.uuid, _Counter)


def counts(data: Data) -> bool:
    """Returns whether the samples in this buffer can be counted."""
    return is_sink(data)


class _Counter:
    """Counts the samples in the buffers of one context."""

    def __init__(self, session: Session) -> None:
        self._sink = SinkDecoder(_counted)
        self._recorded = 0

    def __call__(self, data: Data) -> Decoded:
        """Returns the new samples, without columns."""
        if not counts(data):
            return Decoded(())
        decoded = self._sink(data)
        now = recorded(data)
        if now is None or decoded.problems:
            return decoded
        # A record may represent many samples.
        new, self._recorded = max(0, now - self._recorded), now
        return replace(decoded, regions=(Region(0, Samples(new, {})),))


def _counted(records: Records) -> Samples:
    return Samples(records.count, {})
