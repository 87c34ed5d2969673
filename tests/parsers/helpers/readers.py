# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read test data with the parsers."""

from __future__ import annotations

import io
import json
import sys
import tracemalloc
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Any, Callable, Optional, Sequence, TypeVar

import pfmparse
from pfmparse.analysis.inputs import Input, Options
from pfmparse.analysis.keys import detail_of
from pfmparse.analysis.selection import Selection
from pfmparse.capture.session import parse_session
from pfmparse.commands import report_rows
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.commands.report_print import print_json
from pfmparse.errors import PfmParseError
from pfmparse.formats.decoding import Decoded, Decoder
from pfmparse.recording import Recording, open_capture
from pfmparse.symbols.location import SymbolOptions

Json = dict[str, Any]
T = TypeVar("T")


def decoder(sess: Json) -> Decoder:
    """Return the decoder of one context of a session."""
    parsed = parse_session(json.dumps(sess).encode(), 0)
    return pfmparse.find_format(parsed.format.uuid).decoder(parsed)


def all_samples(decoded: Decoded) -> list[Json]:
    """Return the samples of all regions."""
    return [
        sample
        for region in decoded.regions
        for sample in samples_as_dicts(region.samples)
    ]


def decode_buffer(
    data: bytes, sess: Json
) -> tuple[list[Json], Optional[PfmParseError]]:
    """Return the samples of a buffer and its first problem, or None."""
    decoded = decoder(sess)(data)
    return all_samples(decoded), next(iter(decoded.problems), None)


def read_capture(data: bytes) -> tuple[list[Json], Recording]:
    """Read a capture to its end; return its samples and its recording."""
    return read_stream(io.BytesIO(data))


def read_stream(stream: BufferedIOBase) -> tuple[list[Json], Recording]:
    """Read a capture from an open file to its end."""
    recording = open_capture(stream)
    samples: list[Json] = []
    for batch in recording.batches():
        samples += samples_as_dicts(batch.samples)
    return samples, recording


def peak_memory(read: Callable[[], T]) -> tuple[int, T]:
    """Return the peak number of bytes that Python allocates, and ``read``'s result."""
    tracemalloc.start()
    try:
        value = read()
        return tracemalloc.get_traced_memory()[1], value
    finally:
        tracemalloc.stop()


def call_count(work: Callable[[], object]) -> int:
    """Return how many functions, of Python and of C, are called by ``work``."""
    calls = list[str]()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, value: calls.append(event))
    try:
        work()
    finally:
        sys.setprofile(before)
    return sum(event.endswith("call") for event in calls)


def opened(
    data: bytes,
    by: str = "function",
    symfs: Sequence[str] = (),
    warn: Callable[[str], None] = print,
    selection: Selection = Selection(),
    demangle: bool = True,
) -> Input:
    """Open a capture as the input of a report by key ``by``."""
    options = Options(selection, SymbolOptions(symfs, demangle))
    return input_of(open_capture(io.BytesIO(data)), options, warn, by)


def input_of(
    recording: Recording,
    options: Options = Options(Selection(), SymbolOptions()),
    warn: Callable[[str], None] = print,
    by: str = "function",
) -> Input:
    """Make the input of a report by key ``by``."""
    return Input("x.pfm", recording, options, warn, detail_of([by]))


@dataclass(frozen=True)
class Reported:
    """A report's rows as (key, symbol, object, count), and its warnings."""

    rows: list[tuple[str, Optional[str], str, int]]
    warnings: list[str]


def reported(
    data: bytes,
    by: str = "function",
    symfs: Sequence[str] = (),
    demangle: bool = True,
) -> Reported:
    """Return what report --json prints for a capture."""
    warnings = list[str]()
    source = opened(data, by, symfs, warnings.append, demangle=demangle)
    made = report_rows.make([source], report_rows.Options([by]))
    out = io.StringIO()
    print_json(made, [source.recording], out)
    rows = [
        (row["key"], row["symbol"], row["object"], row["count"])
        for row in json.loads(out.getvalue())["rows"]
    ]
    return Reported(rows, warnings)
