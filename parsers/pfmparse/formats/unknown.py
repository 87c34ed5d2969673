# SPDX-License-Identifier: MIT OR GPL-2.0
"""Formats that no parser is known for."""

from __future__ import annotations

from ..capture.session import FormatId, Session
from ..layout import Data
from .decoding import Decoded, Decoder, Format


def stand_in(identity: FormatId) -> Format:
    """What can be said about any format: its buffers are there."""
    return Format(identity.name, identity.uuid, _decoder)


def _decoder(session: Session) -> Decoder:
    return _decode


def _decode(data: Data) -> Decoded:
    return Decoded(())
