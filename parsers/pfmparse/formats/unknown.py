# SPDX-License-Identifier: MIT OR GPL-2.0
"""Formats that no parser is known for.

The samples of those with a sink can be counted, though not read.
"""

from __future__ import annotations

from ..capture.session import FormatId, Session
from ..layout import Data
from .decoding import Decoded, Decoder, Format
from .samples import Samples
from .sink import Records, SinkDecoder, is_sink


def stand_in(identity: FormatId) -> Format:
    """What can be said about any format: its buffers are there."""
    return Format(identity.name, identity.uuid, _decoder)


def counts(data: Data) -> bool:
    """The samples in this buffer can be counted."""
    return is_sink(data)


def _decoder(session: Session) -> Decoder:
    count = SinkDecoder(_counted)
    return lambda data: count(data) if counts(data) else Decoded(())


def _counted(records: Records) -> Samples:
    """As many samples, without columns."""
    return Samples(records.count, {})
