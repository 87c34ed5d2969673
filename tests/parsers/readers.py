# SPDX-License-Identifier: MIT OR GPL-2.0
"""Short ways to read with the parsers what a test wrote."""

from __future__ import annotations

import io
import json
from io import BufferedIOBase
from typing import Any, Optional

from pfmparse import formats
from pfmparse.capture.session import parse_session
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import Decoded, Decoder
from pfmparse.recording import Recording, open_capture

Json = dict[str, Any]


def decoder(sess: Json) -> Decoder:
    """The decoder of one context of a session."""
    parsed = parse_session(json.dumps(sess).encode(), 0)
    return formats.find(parsed.format.uuid).decoder(parsed)


def all_samples(decoded: Decoded) -> list[Json]:
    """The samples of all regions."""
    return [
        sample
        for region in decoded.regions
        for sample in samples_as_dicts(region.samples)
    ]


def decode_buffer(
    data: bytes, sess: Json
) -> tuple[list[Json], Optional[PfmParseError]]:
    """The samples of a buffer, and what kept the decoder from having them all."""
    decoded = decoder(sess)(data)
    return all_samples(decoded), next(iter(decoded.problems), None)


def read_capture(data: bytes) -> tuple[list[Json], Recording]:
    """The samples of a capture, and its recording, read to the end."""
    return read_stream(io.BytesIO(data))


def read_stream(stream: BufferedIOBase) -> tuple[list[Json], Recording]:
    """The same from an open file."""
    recording = open_capture(stream)
    samples: list[Json] = []
    for batch in recording.batches():
        samples += samples_as_dicts(batch.samples)
    return samples, recording
