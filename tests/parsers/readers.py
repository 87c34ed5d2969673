# SPDX-License-Identifier: MIT OR GPL-2.0
"""Short ways to read with the parsers what a test wrote."""

from __future__ import annotations

import io
import json
from typing import Any, BinaryIO, Optional

from pfmparse import formats
from pfmparse.dump import samples_as_dicts
from pfmparse.errors import PfmParseError
from pfmparse.recording import Recording, open_capture
from pfmparse.session import parse_session

Json = dict[str, Any]


def decode_buffer(
    data: bytes, sess: Json
) -> tuple[list[Json], Optional[PfmParseError]]:
    """The samples of a buffer, and what kept the decoder from having them all."""
    parsed = parse_session(json.dumps(sess).encode(), 0)
    decoded = formats.find(parsed.format.uuid).decoder(parsed)(data)
    return list(samples_as_dicts(decoded.samples)), decoded.problem


def read_capture(data: bytes) -> tuple[list[Json], Recording]:
    """The samples of a capture, and its recording, read to the end."""
    return read_stream(io.BytesIO(data))


def read_stream(stream: BinaryIO) -> tuple[list[Json], Recording]:
    """The same from an open file."""
    recording = open_capture(stream)
    samples: list[Json] = []
    for batch in recording.batches():
        samples += samples_as_dicts(batch.samples)
    return samples, recording
