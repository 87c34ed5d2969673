# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that reading buffers together or one by one yields the same samples."""

from __future__ import annotations

import io
import json
import struct
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, Optional

import pytest
from helpers import damaged, writers
from helpers.damage import chunks_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pfmparse import Capture, Decoder, PfmParseError, Samples, find_format, open_capture
from pfmparse.capture import buffers, file, index
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.formats import added_columns
from pfmparse.formats.decoding import Lost

Json = dict[str, Any]
CONTEXTS = 2


@dataclass
class Read:
    """The results of reading. Samples are grouped by context and epoch."""

    samples: dict[tuple[int, int], list[Json]] = field(
        default_factory=lambda: defaultdict(list)
    )
    problems: list[tuple[int, str, bool]] = field(default_factory=list)
    total: int = 0
    imprecise: int = 0
    buffers: int = 0
    lost: dict[int, Lost] = field(default_factory=dict)
    told: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def note(self, problem: PfmParseError) -> None:
        """Record a problem."""
        self.problems.append((problem.offset, problem.message, problem.truncated))


def rows_of(samples: Samples) -> list[Json]:
    """Return the samples as rows, without the columns for the context's thread and
    process, which only a Recording adds.
    """
    rows: list[Json] = [dict(row) for row in samples_as_dicts(samples)]
    for name in set(samples.derived) - {
        added_columns.THREAD,
        added_columns.PROCESS,
    }:
        for row, value in zip(rows, samples.column(name).tolist()):
            row[f"derived {name}"] = value
    return rows


def one_by_one(data: bytes) -> Read:
    """Decode buffers one by one with their contexts' decoders; return the results."""
    capture, read = Capture(io.BytesIO(data)), Read()
    form, unread = find_format(capture.session.format.uuid), 0
    decoders: dict[int, Decoder] = {}
    for buffer in capture.buffers():
        read.buffers += 1
        if form.stream and buffer.unread != unread:
            decoders, unread = {}, buffer.unread
        if buffer.context not in decoders:
            decoders[buffer.context] = form.decoder(capture.session)
        try:
            decoded = decoders[buffer.context](buffer.data)
        except PfmParseError as error:
            read.note(error.within(buffer.offset, buffer.stored, buffer.whole))
            continue
        for problem in decoded.problems:
            read.note(problem.within(buffer.offset, buffer.stored, buffer.whole))
        read.lost[buffer.context] = decoded.lost
        for region in decoded.regions:
            total = region.samples.total()
            read.total += total
            read.imprecise += total if region.imprecise else 0
            rows = rows_of(region.samples)
            read.samples[buffer.context, buffer.epoch] += rows
            read.told[buffer.context] = Counter(decoded.lost.total)
    for problem in capture.problems:
        read.note(problem)
    return read


def together(data: bytes, threads: int) -> Read:
    """Read the batches of a recording; return the results."""
    recording, read = open_capture(io.BytesIO(data)), Read()
    for batch in recording.batches(threads):
        rows = rows_of(batch.samples)
        read.samples[batch.context, batch.epoch] += rows
        read.told[batch.context].update(batch.lost)
    read.total, read.imprecise = recording.samples, recording.imprecise
    read.buffers, read.lost = recording.buffers, recording.in_buffers
    for problem in recording.problems:
        read.note(problem)
    offsets = [offset for offset, _, _ in read.problems]
    assert offsets == sorted(offsets)
    return read


def check_same(data: bytes, threads: int) -> None:
    """Check that both ways of reading agree."""
    one, other = one_by_one(data), together(data, threads)
    assert other.samples == one.samples
    assert Counter(other.problems) == Counter(one.problems)
    assert (other.total, other.imprecise) == (one.total, one.imprecise)
    assert other.buffers == one.buffers and other.lost == one.lost
    for context, told in one.told.items():
        assert +other.told[context] == +told


def sessions(sets: Optional[dict[int, list[Json]]] = None) -> Json:
    """Return the JSON of a session of several contexts in the default format."""
    described = writers.session(sets)
    described["contexts"] = writers.contexts(CONTEXTS)
    return described


def plain(
    count: int, base: int, pmds: tuple[int, ...] = (), uuid: str = writers.UUID_2_2
) -> bytes:
    """Build a buffer of the default format."""
    ovfl = 4 if uuid == writers.UUID_IA64 else 0
    numbers = range(base, base + count)
    values = [tuple((pmd, n * 10 + pmd) for pmd in pmds) for n in numbers]
    return writers.buffer(
        [
            writers.Sample(ip=0x1000 + n, tstamp=n, pmds=p, ovfl_pmd=ovfl)
            for n, p in zip(numbers, values)
        ],
        uuid,
    )


def on_ia64(described: Json) -> Json:
    """Change a session's format to the default format of IA-64; return the session."""
    described["format"]["uuid"] = writers.UUID_IA64
    return described


EAR = "DATA_EAR_CACHE_LAT4"
SIZES = (0, 1, 3, 3, 3, 9)
DEFAULTS = {
    "default": (sessions(), [plain(n, 10 * at) for at, n in enumerate(SIZES)]),
    "default with values": (
        sessions({0: [writers.pmd(0, [2, 3])]}),
        [plain(n, 10 * at, (2, 3)) for at, n in enumerate(SIZES)],
    ),
    "default of ia64": (
        on_ia64(sessions({0: [{**writers.pmd(4, [2, 3, 17]), "event": EAR}]})),
        [
            plain(n, 10 * at, (2, 3, 17), writers.UUID_IA64)
            for at, n in enumerate(SIZES)
        ],
    ),
    "default of two sizes": (
        sessions({0: [writers.pmd(0, [2]), writers.pmd(1)]}),
        [plain(n, 10 * at, (2,)) for at, n in enumerate(SIZES)],
    ),
}


def regions(seq: int, *counts: int, free: int = 0) -> bytes:
    """Build an n-way buffer with ``counts`` entries per region, newest region first."""
    found = []
    for at, count in enumerate(counts):
        numbers = range(100 * seq + 10 * at, 100 * seq + 10 * at + count)
        samples = (writers.Sample(ip=0x1000 + n, tstamp=n) for n in numbers)
        state = writers.FREE if at < free else writers.READY
        number = seq + len(counts) - at
        found.append(writers.NwayRegion(number, state, tuple(samples), dropped=seq))
    return writers.nway(found, dropped=seq)


def in_regions() -> Json:
    """Return the JSON of a session of several contexts in the n-way format."""
    described = sessions()
    described["format"]["uuid"] = writers.UUID_NWAY
    return described


NWAYS = [
    regions(1, 3, 3),
    regions(5, 3, 2),
    regions(9, 0, 4),
    regions(13, 2, 2, free=1),
]


def inputs() -> dict[str, tuple[Json, list[bytes]]]:
    """Return a session and some buffers of each format."""
    found = {**DEFAULTS, "n-way": (in_regions(), NWAYS)}
    for name, data in damaged.UNHARMED.items():
        chunks = [(head[:4], payload) for head, payload in chunks_of(data)]
        described = json.loads(chunks[0][1])
        context = described["contexts"][0]
        described["contexts"] = [{**context, "id": n} for n in range(CONTEXTS)]
        buffers = [payload[24:] for kind, payload in chunks if kind == b"BUFR"]
        found[f"every: {name}"] = described, buffers
    return found


INPUTS = inputs()
MAPS = writers.mapped(writers.mapping(0, 1, 0, "/x"))


@st.composite
def chunks(draw: st.DrawFn, buffers: list[bytes]) -> bytes:
    """Draw a chunk: a buffer, which may be damaged, or mappings."""
    data = draw(st.sampled_from(buffers))
    context = draw(st.integers(0, CONTEXTS - 1))
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return MAPS
    if kind == 1:
        return writers.bufr(data, context, compress=True)
    if kind == 2:
        return writers.bufr_pieces([(0, data)], len(data), context)
    if kind == 3 and data:
        at = draw(st.integers(0, len(data) - 1))
        data = (
            data[:at] + bytes([data[at] ^ draw(st.integers(1, 255))]) + data[at + 1 :]
        )
    if kind == 4:
        data = data[: draw(st.integers(0, len(data)))]
    chunk = bytearray(writers.bufr(data, CONTEXTS if kind == 5 else context))
    if kind == 6:
        chunk[24 + draw(st.integers(0, len(chunk) - 25))] ^= 1
    if kind == 7:
        chunk = bytearray(writers.chunk("BUFR", bytes(chunk[24:]), flags=2))
    return bytes(chunk)


@st.composite
def captures(draw: st.DrawFn) -> bytes:
    """Draw a capture of any format, in which buffers may be damaged."""
    described, buffers = INPUTS[draw(st.sampled_from(sorted(INPUTS)))]
    parts = draw(st.lists(chunks(buffers), max_size=12))
    # Repeat buffers, because consecutive buffers of real captures are similar.
    parts = [part for part in parts for _ in range(draw(st.integers(1, 3)))]
    data = writers.capture(writers.json_chunk("SESS", described), *parts)
    if draw(st.booleans()):
        return data + writers.json_chunk("DONE", writers.totals(1))
    return data[: len(data) - draw(st.integers(0, len(parts[-1]) if parts else 0))]


@settings(
    derandomize=True,
    deadline=None,
    max_examples=500,
    suppress_health_check=list(HealthCheck),
)
@given(
    captures(),
    st.sampled_from([0, 0, 1, 3]),
    st.sampled_from([1, 1000, 1 << 20]),
    st.sampled_from([1, 1000, 1 << 20]),
)
def test_batches_equal_reading_buffers_one_by_one(
    data: bytes, threads: int, group: int, enough: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "GROUP", group)
        patch.setattr(buffers, "ENOUGH", enough)
        patch.setattr(file, "ROOM", 3 * group)
        check_same(data, threads)


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_similar_buffers_become_one_batch(name: str) -> None:
    described, buffers = INPUTS[name]
    parts = [writers.bufr(data) for data in buffers]
    data = writers.capture(writers.json_chunk("SESS", described), *parts)
    recording = open_capture(io.BytesIO(data))
    batches = list(recording.batches())
    assert len(batches) == 1 and batches[0].samples.total() == recording.samples
    check_same(data, 0)


@pytest.mark.parametrize("some", [[0, 1, 2, 3], [0, 0], [1, 0, 2], [3, 3, 1]])
def test_batched_regions_are_read_once_in_any_order(some: list[int]) -> None:
    parts = [writers.bufr(NWAYS[at]) for at in some]
    session = writers.json_chunk("SESS", in_regions())
    check_same(writers.capture(session, *parts), 0)


@pytest.mark.parametrize(
    "described, good, size",
    [
        (DEFAULTS["default"][0], [plain(3, 0)] * 5, 48),
        (in_regions(), [regions(seq, 3, 3) for seq in range(1, 11, 2)], 256),
    ],
)
def test_batched_buffers_report_bad_header_fields(
    described: Json, good: list[bytes], size: int
) -> None:
    for at in range(0, size, 4):
        for value in (1, 1 << 20, 1 << 31, (1 << 32) - 1):
            buffers = list(good)
            for which in (2, 4):
                data = buffers[which]
                word = struct.unpack_from("<I", data, at)[0] ^ value
                buffers[which] = data[:at] + struct.pack("<I", word) + data[at + 4 :]
            parts = [writers.bufr(data) for data in buffers]
            session = writers.json_chunk("SESS", described)
            check_same(writers.capture(session, *parts), 0)
