# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the SDK's C readers and pfmparse agree on any bytes."""

from __future__ import annotations

import errno
import struct
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Iterator, Sequence

import pytest
from helpers.c_readers import LIVE, SDK, SOURCES, WARNINGS, Found, Readers, compiled
from helpers.oprofile_stream import STREAM, sess, without_callers
from helpers.readers import all_samples, decoder
from helpers.sink_buffer import FILLING, READY, SinkRegion, sink
from helpers.writers import (
    FREE,
    IIP_HDR,
    NO_HDR,
    RAW_TIME,
    U64_MAX,
    UUID_2_2,
    UUID_IA64,
    UUID_NWAY,
    UUID_PEBS32,
    UUID_PEBS64,
    NwayRegion,
    Sample,
    buffer,
    nway,
    oprofile,
    oprofile_words,
    pebs,
    pmd,
    session,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.errors import PfmParseError

Json = dict[str, Any]

UUID_CALLSTACK = "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
UUID_FLIGHT = "b9d0cd6e-d66e-486b-aa83-880009473ebf"
UUID_HISTOGRAM = "7e053c7a-52c0-4536-84e9-10d7885f57c9"
UUID_STACKS = "d2f2aba2-e8d3-408b-af5f-54ed08df8b1c"
TRUNCATED, UNKNOWN = 1, 4  # PFM_READ_*

# Sets whose entries have one length, and sets whose entries have several.
ONE = {0: [pmd(0, [5, 7]), pmd(1, [5, 7])]}
MANY = {0: [pmd(0, [5, 7]), pmd(1), pmd(5, sampling=False)], 3: [pmd(0, [7])]}


def samples(sets: dict[int, list[Json]], number: int) -> tuple[Sample, ...]:
    """Build ``number`` samples of the sampling PMDs in turn."""
    kinds = [(s, p) for s, pmds in sets.items() for p in pmds if p["sampling"]]
    made = []
    for i in range(number):
        event_set, kind = kinds[i % len(kinds)]
        values = tuple((num, i << 40 | num) for num in kind["smpl_pmds"])
        where = Sample(ip=0x1000 + i, tstamp=i, cpu=i % 3, pmds=values)
        made.append(replace(where, set=event_set, ovfl_pmd=kind["num"]))
    return tuple(made)


def nway_buffers(sets: dict[int, list[Json]]) -> list[bytes]:
    """Build two copies of a buffer. One region is full only in the second copy."""
    made = samples(sets, 9)
    first = [
        NwayRegion(4, 2, made[3:6], overwritten=3),
        NwayRegion(2, FREE, made[:1]),
        NwayRegion(3, 2, made[:3], dropped=5),
        NwayRegion(5, 1, made[6:8]),
    ]
    second = [*first[:3], NwayRegion(5, 2, made[6:9])]
    return [
        nway(regions, region_size=256, overwritten=3, dropped=5)
        for regions in (first, second)
    ]


def pebs_buffer(uuid: str, size: int) -> bytes:
    """Build a buffer with five records and room for ten."""
    records = [{"ip": 0x400000 + i, "eax": i, "status": 1 << i} for i in range(5)]
    end = 256 + 10 * size
    return pebs(records, uuid, size, max=end, buf_size=end, dropped=2, lost=3)


def callstack(number: int, pmds: int, kernel: int, user: int) -> bytes:
    """Build a record of the callstack format."""
    head = struct.pack("<QQII", number, 0x1000 + number, 7, 6)
    head += struct.pack("<HHHHHHI", number % 2, 1, 0, pmds, kernel, user, 0)
    words = range(number << 8, (number << 8) + pmds + kernel + user)
    return head + struct.pack(f"<{len(words)}Q", *words)


def stack(number: int, kernel: int, user: int) -> bytes:
    """Build a record of the stacks format."""
    head = struct.pack("<QQHHI", 1 + number, 100 * number, 0, 0, 6)
    head += struct.pack("<IBBBB", 7, kernel, user, 0, 0)
    words = range(number << 8, (number << 8) + kernel + user)
    return head + struct.pack(f"<{len(words)}Q", *words)


def flight(number: int, pmds: int) -> bytes:
    """Build a record of the flight recorder."""
    head = struct.pack("<QQII", number, 0x1000 + number, 7, 6)
    head += struct.pack("<HHHH", number % 2, 1, 0, pmds)
    return head + struct.pack(f"<{pmds}Q", *range(pmds))


def sinks(records: Sequence[bytes], **fields: int) -> list[bytes]:
    """Build two copies of a buffer; the second copy has one more record."""
    half = len(records) // 2
    done = SinkRegion(6, tuple(records[:half]), READY)
    rest = tuple(records[half:])
    return [
        sink([SinkRegion(7, rest[:number], FILLING), done, SinkRegion()], **fields)
        for number in (len(rest) - 1, len(rest))
    ]


@dataclass(frozen=True)
class Case:
    """A reader, the buffers of one context, and their session."""

    reader: str
    buffers: list[bytes]
    session: Json


def entries_case(
    sets: dict[int, list[Json]], uuid: str, flags: int = 0, **fields: int
) -> Case:
    """Build a buffer of the default format."""
    data = buffer(samples(sets, 7), uuid, flags, buf_size=1 << 12, **fields)
    name = "ia64" if uuid == UUID_IA64 else "default"
    return Case(name, [data], session(sets, uuid))


STACKS = [callstack(i, 2, i % 3, i % 2) for i in range(4)]
COUNTED = tuple(stack(i, i % 3, 1 + i % 2) for i in range(5))
KEYS = [struct.pack("<HHIQQ", 0, 0, 6, 0x1000 + i, 1 + i) for i in range(5)]
NARROW = [(name, *(n & 0xFFFFFF for n in numbers)) for name, *numbers in STREAM]
TRACE = [*STREAM, ("trace",), *[("at", 0x3000 + i, i) for i in range(3)], ("end",)]
CASES = {
    "default": entries_case(ONE, UUID_2_2),
    "default of several lengths": entries_case(MANY, UUID_2_2),
    "default without headers": entries_case(ONE, UUID_2_2, NO_HDR),
    "default with addresses only": entries_case(ONE, UUID_2_2, IIP_HDR),
    "default with raw time stamps": entries_case(
        MANY,
        UUID_2_2,
        RAW_TIME,
        time_zero=U64_MAX - 9,
        time_mult=3 << 30,
        time_shift=31,
    ),
    "ia64": entries_case(MANY, UUID_IA64),
    "nway": Case("nway", nway_buffers(ONE), session(ONE, UUID_NWAY)),
    "nway of several lengths": Case(
        "nway", nway_buffers(MANY), session(MANY, UUID_NWAY)
    ),
    "pebs32": Case("pebs32", [pebs_buffer(UUID_PEBS32, 40)], session(ONE, UUID_PEBS32)),
    **{
        f"pebs64 of {size} bytes": Case(
            "pebs64", [pebs_buffer(UUID_PEBS64, size)], session(ONE, UUID_PEBS64)
        )
        for size in (144, 176, 192, 200)
    },
    "oprofile": Case("oprofile", [oprofile(oprofile_words(TRACE))], sess()),
    "oprofile in parts": Case(
        "oprofile",
        [oprofile(oprofile_words(TRACE)[at : at + 5]) for at in range(0, 60, 5)],
        sess(),
    ),
    "oprofile of 32 bits": Case(
        "oprofile", [oprofile(oprofile_words(NARROW, 32), 32)], sess("i686")
    ),
    "callstack": Case("callstack", sinks(STACKS), session(ONE, UUID_CALLSTACK)),
    "flight": Case(
        "flight",
        sinks([flight(i, 2 * (i % 2)) for i in range(4)], skipped=21),
        session(MANY, UUID_FLIGHT),
    ),
    "histogram": Case(
        "histogram", [sink([SinkRegion(1, tuple(KEYS))])], session(ONE, UUID_HISTOGRAM)
    ),
    "stacks": Case(
        "stacks", [sink([SinkRegion(1, COUNTED)])], session(ONE, UUID_STACKS)
    ),
}


@pytest.fixture(scope="module", name="readers")
def fixture_readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    program = tmp_path_factory.mktemp("readers") / "print_records"
    readers = Readers(compiled(SOURCES / "print_records.c", program))
    yield readers
    readers.close()


def parsed(case: Case) -> Iterator[tuple[list[Json], list[PfmParseError], Json]]:
    """Yield the samples, problems and losses that pfmparse finds in each buffer."""
    decode = decoder(case.session)
    for data in case.buffers:
        try:
            decoded = decode(data)
        except PfmParseError as problem:
            yield [], [problem], {"skipped": 0}
        else:
            lost = {**decoded.lost.total, "skipped": decoded.skipped}
            yield all_samples(decoded), list(decoded.problems), lost


def told(case: Case, found: Found) -> set[tuple[int, bool]]:
    """Return the offset of each reader problem, and whether it is a truncation."""
    problems = found.problems
    if case.reader == "oprofile":
        # pfmparse reports only the first unknown escape of a buffer.
        unknown = [p for p in problems if p["error"] == UNKNOWN]
        problems = [p for p in problems if p["error"] != UNKNOWN] + unknown[:1]
    return {(p["offset"], p["error"] == TRUNCATED) for p in problems}


def assert_agree(readers: Readers, case: Case) -> None:
    """Check that the readers and pfmparse agree on each buffer."""
    found, expected = readers(case.reader, case.buffers, case.session), [*parsed(case)]
    if case.reader == "oprofile":
        assert_same_stream(
            [sample for one in found for sample in one.samples],
            [sample for samples, _, _ in expected for sample in samples],
        )
    for mine, (samples, problems, lost) in zip(found, expected):
        if case.reader != "oprofile":
            assert mine.samples == samples
        told_lost = {"skipped": 0, **mine.lost}
        told_lost.pop("readable", None)
        assert told_lost == lost
        where = {(p.offset, p.truncated) for p in problems}
        if case.reader == "histogram" or is_refused(mine) and len(where) == 1:
            # Both report only the first wrong field of a header, but check the fields
            # in different orders.
            assert bool(mine.problems) == bool(problems)
        else:
            assert told(case, mine) == where


def assert_same_stream(mine: Sequence[Json], expected: Sequence[Json]) -> None:
    """Compare the samples of all buffers. pfmparse omits a trace without an end."""
    plain, others = (
        [{n: v for n, v in sample.items() if "caller" not in n} for sample in samples]
        for samples in (mine, expected)
    )
    assert others in (plain, plain[:-1])


def is_refused(found: Found) -> bool:
    """Return whether the buffer was refused because its header is unusable."""
    return not found.samples and not found.lost and len(found.problems) == 1


@pytest.mark.parametrize("name", CASES)
def test_c_readers_find_all_samples(name: str, readers: Readers) -> None:
    case = CASES[name]
    assert_agree(readers, case)
    found = readers(case.reader, case.buffers, case.session)
    assert sum(len(one.samples) for one in found) > 3
    assert all(one.problems == [] for one in found)


@pytest.mark.parametrize("name", CASES)
def test_c_readers_read_idle_live_buffer_alike(name: str, readers: Readers) -> None:
    case = CASES[name]
    still = readers(case.reader, case.buffers, case.session)
    assert readers(case.reader, case.buffers, case.session, LIVE) == still


@pytest.mark.parametrize("name", ["oprofile", "oprofile in parts"])
def test_c_reader_callers_match_their_samples(name: str, readers: Readers) -> None:
    case = CASES[name]
    found = readers(case.reader, case.buffers, case.session)
    mine = [sample for one in found for sample in one.samples]
    expected = [sample for samples, _, _ in parsed(case) for sample in samples]
    assert without_callers(mine) == without_callers(expected)
    assert mine[-1]["callers"] == [0x3001, 0x3002]


def test_c_reader_repeats_histogram_counts(readers: Readers) -> None:
    case = CASES["histogram"]
    first, second = readers(case.reader, case.buffers * 2, case.session)
    assert len(first.samples) == 5
    assert second == first


def test_c_readers_agree_in_32_bit_program(readers: Readers, tmp_path: Path) -> None:
    multiarch = subprocess.check_output(["gcc", "-print-multiarch"], text=True)
    options = ["-m32", f"-I/usr/include/{multiarch.strip()}"]
    program, source = tmp_path / "narrow", SOURCES / "print_records.c"
    built = subprocess.run(
        ["gcc", "-O2", *options, f"-I{SDK}", "-o", str(program), str(source)],
        capture_output=True,
        text=True,
    )
    if built.returncode != 0:
        pytest.skip(f"gcc -m32 does not work: {built.stderr.strip()}")
    try:
        narrow = Readers(program)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        pytest.skip("this machine's kernel runs no 32-bit programs")
    for case in CASES.values():
        for flags in (0, LIVE):
            wide = readers(case.reader, case.buffers, case.session, flags)
            assert narrow(case.reader, case.buffers, case.session, flags) == wide
    narrow.close()


@pytest.mark.parametrize("kind", ["nway", "sink", "table", "order"])
def test_c_readers_read_intact_records_while_written(kind: str, tmp_path: Path) -> None:
    program = compiled(SOURCES / "read_while_written.c", tmp_path / kind, "-lpthread")
    subprocess.run([program, kind], check=True, timeout=300)


def test_c_readers_survive_noise(tmp_path: Path) -> None:
    program = compiled(SOURCES / "read_noise.c", tmp_path / "noise", "-lpthread")
    subprocess.run([program], check=True, timeout=300)


# Values for damaged fields: edge cases, and values that occur in these buffers.
EDGES = [0, 1, 2, 3, 7, 8, 40, 128, 256, *(1 << n for n in (16, 31, 60, 63))]
HIGHEST = [(1 << bits) - n for bits in (16, 32, 64) for n in (1, 8, 128)]
VALUES = st.one_of(
    st.sampled_from(EDGES + HIGHEST),
    st.integers(0, 512),
    st.integers(0, (1 << 64) - 1),
)
# Damage to a buffer: an offset, a width in bytes, and a value.
DAMAGE = st.tuples(
    st.one_of(st.integers(0, 600), st.integers(0, 75).map(lambda word: 8 * word)),
    st.sampled_from([1, 2, 4, 8]),
    VALUES,
)


def damaged(data: bytes, damages: Sequence[tuple[int, int, int]], size: int) -> bytes:
    """Return the first ``size`` bytes of the data with this damage."""
    changed = bytearray(data)
    for at, width, value in damages:
        if at + width <= len(changed):
            value &= (1 << 8 * width) - 1
            changed[at : at + width] = value.to_bytes(width, "little")
    return bytes(changed[:size])


MAX = (1 << 64) - 1
TOP = 1 << 63


def put(data: bytes, *words: tuple[int, int], size: int = 8) -> bytes:
    """Return a copy with other integers of ``size`` bytes at these offsets."""
    return damaged(data, [(at, size, value) for at, value in words], len(data))


# Buffers with numbers that a reader uses in calculations before it can check them.
DEFAULT, NWAY = CASES["default"].buffers[0], CASES["nway"].buffers[0]
P32, P64 = (CASES[name].buffers[0] for name in ("pebs32", "pebs64 of 200 bytes"))
SINK = CASES["callstack"].buffers[0]
NASTY = {
    "default": [
        put(DEFAULT, (0, MAX), (8, MAX), (32, MAX), (24, MAX))[:129],
        put(DEFAULT, (0, MAX), (8, 128), (24, MAX)),
        put(DEFAULT, (0, 0)),
        DEFAULT[:128],
        DEFAULT[:167],
        b"",
    ],
    "nway": [
        put(NWAY, (0, MAX), (8, TOP)),
        put(NWAY, (0, MAX), (8, MAX - 7), (16, 0)),
        put(NWAY, (0, MAX), (16, (MAX - 8 - 384) // 4 & ~7)),
        put(NWAY, (0, MAX), (16, MAX & ~7)),
        put(NWAY, (0, MAX), (8, 1 << 32)),
        put(NWAY, *((128 + 64 * i, 7) for i in range(4))),
        put(NWAY, *((128 + 64 * i, MAX) for i in range(4))),
        put(NWAY, *((128 + 64 * i + 16, MAX) for i in range(4))),
        put(NWAY, *((128 + 64 * i + 24, 0) for i in range(4))),
        put(NWAY, (32, 64), size=4),
        put(NWAY, (32, 65), (8, 128 + 65 * 64), (16, 0), (0, 1 << 16), size=4).ljust(
            1 << 14, b"\x01"
        ),
        put(NWAY, (8, 385)),
        put(NWAY, (8, 388), (0, MAX)),
        NWAY[:384],
        NWAY[:383],
    ],
    "pebs32": [
        put(P32, (12, 1), (44 + 16, 85), size=4),
        put(P32, (12, (1 << 32) - 84), (44 + 16, 0), size=4),
        put(P32, (8, (1 << 32) - 1), (44 + 20, 1 << 31), (44 + 24, 1 << 31), size=4),
        put(P32, (24, 0), size=4),
        P32[:84],
    ],
    "pebs64 of 200 bytes": [
        put(P64, (16, MAX - 127), (56 + 32, 0)),
        put(P64, (16, MAX - 128), (56 + 32, MAX), (56 + 40, MAX), (56 + 48, MAX)),
        put(P64, (8, MAX), (56 + 40, MAX), (56 + 48, MAX)),
        put(P64, (36, 0), size=4),
        P64[:128],
    ],
    "callstack": [
        put(SINK, (16, MAX), (24, TOP)),
        put(SINK, (16, MAX), (24, MAX & ~7), (32, 0)),
        put(SINK, (16, MAX), (32, MAX // 4 & ~7)),
        put(SINK, *((128 + 32 * i + 8, MAX) for i in range(3))),
        put(SINK, *((128 + 32 * i + 16, MAX) for i in range(3))),
        put(SINK, *((128 + 32 * i, MAX) for i in range(3))),
        put(SINK, (224 + 30, MAX), (224 + 256 + 30, MAX), size=6),
        put(SINK, (48, 64), size=4),
        put(SINK, (48, 65), (24, 128 + 65 * 32), (32, 0), (16, 1 << 16), size=4).ljust(
            1 << 14, b"\x01"
        ),
        put(SINK, (24, 228), (16, MAX)),
        put(SINK, (12, 2 << 16), size=4),
        put(SINK, (128 + 8, 5), (128 + 16, 40)),
        SINK[:224],
        SINK[:223],
    ],
    "oprofile": [
        oprofile([MAX] * 9),
        oprofile([MAX, 2, MAX, MAX, MAX]),
        oprofile([MAX, 4, 1, MAX, 2, 3, MAX, MAX, 2, 1, 9, 9]),
        oprofile([MAX, 6, 1, 1, MAX, 4, 1, 1]) + b"\xff" * 7,
        b"\xff",
        b"",
    ],
}


@pytest.mark.parametrize("name", NASTY)
def test_c_readers_survive_hostile_numbers(name: str, readers: Readers) -> None:
    case = CASES[name]
    for data in NASTY[name]:
        assert_agree(readers, replace(case, buffers=[data]))
        # Repeat the check after a valid buffer.
        assert_agree(readers, replace(case, buffers=[case.buffers[0], data]))
        readers(case.reader, [case.buffers[0], data], case.session, LIVE)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=150)
@given(draw=st.data())
def test_c_readers_agree_on_damaged_buffers(
    name: str, readers: Readers, draw: st.DataObject
) -> None:
    case = CASES[name]
    buffers = []
    for data in case.buffers:
        damages = draw.draw(st.lists(DAMAGE, max_size=3))
        size = draw.draw(st.one_of(st.just(len(data)), st.integers(0, len(data))))
        buffers.append(damaged(data, damages, size))
    case = Case(case.reader, buffers, case.session)
    assert_agree(readers, case)
    # Reading a live buffer may give any result, but the reader must end.
    readers(case.reader, case.buffers, case.session, LIVE)


@pytest.mark.parametrize(
    "compiler",
    [
        ["gcc", "-std=c11", "-Wpedantic"],
        ["g++", "-x", "c++", "-std=c++11", "-Wpedantic"],
        ["g++", "-x", "c++", "-std=c++20"],
    ],
)
@pytest.mark.parametrize("header", sorted(SDK.glob("perfmon/perfmon_read*.h")))
def test_reader_header_compiles_alone_in_c_and_cpp(
    header: Path, compiler: list[str], tmp_path: Path
) -> None:
    source = tmp_path / "alone.c"
    source.write_text(f"#include <perfmon/{header.name}>\n")
    subprocess.run(
        [*compiler, *WARNINGS, f"-I{SDK}", "-fsyntax-only", str(source)], check=True
    )
