# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build a capture of each format, from a program with two threads and two events.

Some samples are in the kernel. Each capture contains what its format can record.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from helpers import writers
from helpers.programs import LOAD, Program
from helpers.sink_buffer import READY, SinkRegion, sink
from helpers.writers import Json

UUID_CALLSTACK = "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
UUID_HISTOGRAM = "7e053c7a-52c0-4536-84e9-10d7885f57c9"
UUID_STACKS = "d2f2aba2-e8d3-408b-af5f-54ed08df8b1c"
UUID_FLIGHT = "b9d0cd6e-d66e-486b-aa83-880009473ebf"

TGID, WORKER = 100, 101
LOW = 0x8000000  # where 32-bit code is mapped
COOKIE = 5
PERIODS = (1000, 250)  # of PMDs 0 and 1
EVENTIDS = (60, 192)
KERNEL = 0xFFFFFFFF81000000
MODULE = 0xFFFFFFFFC0000000
NOWHERE = 0x7000_0000  # an address that is not mapped
L1_HIT, L3_HIT = 0x68100142, 0x68100842  # union perf_mem_data_src
FIRST_TIME = 5_000_000_000  # ns

KALLSYMS = (
    f"{KERNEL:x} T _text\n"
    f"{KERNEL + 0x100:x} T do_work\n"
    f"{KERNEL + 0x200:x} t do_rest\n"
    f"{KERNEL + 0x1000:x} T _etext\n"
    f"{MODULE:x} t mod_work\t[mod]\n"
    f"{MODULE + 0x100:x} t mod_end\t[mod]\n"
).encode()


@dataclass(frozen=True)
class Point:
    """A sample of PMD ``pmd``; ``callers`` are return addresses, innermost first."""

    ip: int
    tid: int = TGID
    pmd: int = 0
    cpu: int = 0
    data: int = 0
    source: int = 0
    latency: int = 0
    callers: tuple[int, ...] = ()


def points(program: Program, kernel: bool = True) -> list[Point]:
    """Build 60 samples in hot, 30 in warm, 6 in the kernel and 4 elsewhere."""
    hot, warm, main = (program.ip(name) for name in ("hot", "warm", "main"))
    data = dict(data=LOAD + 0x10, latency=7, source=L1_HIT)
    far = dict(data=LOAD + 0x2000, latency=300, source=L3_HIT)
    found = [Point(hot, callers=(main,), **data)] * 40
    found += [Point(hot + 1, WORKER, 1, 1, callers=(main,), **far)] * 20
    found += [Point(warm, pmd=1, callers=(main,), **data)] * 18
    found += [Point(warm, WORKER, cpu=1, callers=(main,), **far)] * 12
    found += [Point(main), Point(main, WORKER, 1, 1), Point(main)]
    if kernel:
        found += [Point(KERNEL + 0x110, callers=(KERNEL + 0x20, hot, main))] * 3
        found += [Point(KERNEL + 0x210, WORKER, 1, 1, callers=(warm, main))] * 2
        found += [Point(MODULE + 0x10, callers=(KERNEL + 0x120, main))]
    # Interleave the different kinds of samples.
    mixed = [found[number * 37 % len(found)] for number in range(len(found))]
    return mixed + [Point(NOWHERE)]


def session(uuid: str, argument: bytes = b"") -> Json:
    """Return the JSON of a session with two events."""
    pmds = [
        {
            **writers.pmd(number),
            "event": name,
            "long_reset": (1 << 64) - period,
            "eventid": eventid,
        }
        for number, (name, period, eventid) in enumerate(
            zip(("cycles", "loads"), PERIODS, EVENTIDS)
        )
    ]
    described = writers.session({0: pmds}, uuid)
    if argument:
        described["format"]["arg"] = argument.hex()
    return described


def captures(program: Program) -> dict[str, bytes]:
    """Build a capture of each format; return the captures by the format's name."""
    return {name: make(program) for name, make in FORMATS.items()}


def write(program: Program, into: Path) -> dict[str, Path]:
    """Write a capture of each format; return the paths by the format's name."""
    paths = {}
    for name, data in captures(program).items():
        paths[name] = into / f"{name}.pfm"
        paths[name].write_bytes(data)
    return paths


def _capture(
    program: Program, described: Json, buffers: list[bytes], low: bool = False
) -> bytes:
    """Build a capture of these buffers, with the program below 4 GiB if ``low``."""
    where = dict(program.mapping)
    if low:
        size = where["end"] - where["start"]
        where |= {"start": LOW, "end": LOW + size}
    return writers.capture(
        writers.json_chunk("SESS", described),
        writers.json_chunk("MAPS", writers.maps(TGID, [where], "program")),
        writers.thrd(
            writers.thread(TGID, TGID, "program"),
            writers.thread(WORKER, TGID, "worker"),
        ),
        writers.chunk("KSYM", KALLSYMS, compress=True),
        writers.cook([(COOKIE, str(program.path), program.build_id)]),
        *(writers.bufr(data) for data in buffers),
        writers.json_chunk("DONE", writers.totals(100, lost=0)),
    )


def _samples(program: Program) -> list[writers.Sample]:
    return [
        writers.Sample(
            pid=point.tid,
            ovfl_pmd=point.pmd,
            last_reset_val=(1 << 64) - PERIODS[point.pmd],
            ip=point.ip,
            tstamp=FIRST_TIME + 1000 * number,
            cpu=point.cpu,
            tgid=TGID,
        )
        for number, point in enumerate(points(program))
    ]


def _default(uuid: str) -> Callable[[Program], bytes]:
    def make(program: Program) -> bytes:
        all_of_them = _samples(program)
        parts = all_of_them[:50], all_of_them[50:]
        buffers = [writers.buffer(part, uuid) for part in parts]
        return _capture(program, session(uuid), buffers)

    return make


def _nway(program: Program) -> bytes:
    all_of_them = _samples(program)
    regions = [
        writers.NwayRegion(1, writers.READY, tuple(all_of_them[:50])),
        writers.NwayRegion(2, writers.FILLING, tuple(all_of_them[50:])),
        writers.NwayRegion(),
    ]
    data = writers.nway(regions, region_size=4096)
    described = session(writers.UUID_NWAY, struct.pack("<QII48x", 12288, 1, 2))
    return _capture(program, described, [data])


def _pebs32(program: Program) -> bytes:
    down = program.mapping["start"] - LOW
    records = [
        {"ip": point.ip if point.ip == NOWHERE else point.ip - down}
        for point in points(program, kernel=False)
    ]
    described = session(writers.UUID_PEBS32)
    del described["sets"][0]["pmds"][1]
    data = writers.pebs(records, writers.UUID_PEBS32, 40)
    return _capture(program, described, [data], low=True)


def _pebs64(program: Program) -> bytes:
    records = [
        {
            "real_ip": point.ip,
            "status": 1 << point.pmd,
            "dla": point.data,
            "dse": point.source,
            "lat": point.latency,
            "tsc": number,
        }
        for number, point in enumerate(points(program))
    ]
    data = writers.pebs(records, writers.UUID_PEBS64, 200)
    return _capture(program, session(writers.UUID_PEBS64), [data])


def _oprofile(program: Program) -> bytes:
    shift = program.mapping["offset"] - program.mapping["start"]
    steps: list[tuple[Any, ...]] = []
    for point in points(program):
        level = "kernel" if point.ip >= KERNEL else "user"
        cookie = 0 if level == "kernel" or point.ip == NOWHERE else COOKIE
        steps += [("cpu", point.cpu), ("ctx", point.tid, COOKIE), ("tgid", TGID)]
        steps += [(level,), ("cookie", cookie)]
        at = point.ip + shift if cookie else point.ip
        steps.append(("at", at, EVENTIDS[point.pmd]))
    words = writers.oprofile_words(steps)
    described = session(writers.UUID_OPROFILE)
    described["format"]["arg"] = ""
    return _capture(program, described, [writers.oprofile(words)])


def _sink(uuid: str, record: Callable[[int, Point], bytes]) -> Callable[..., bytes]:
    """Return a function that builds captures with one region of a sink."""

    def make(program: Program) -> bytes:
        records = tuple(record(*item) for item in enumerate(points(program)))
        region = SinkRegion(1, records, READY)
        size = len(region.body())
        data = sink([region], region_size=size, buf_size=128 + 32 + size)
        return _capture(program, session(uuid), [data])

    return make


def _chains(point: Point) -> tuple[list[int], list[int]]:
    """Return the point's kernel addresses and its user addresses."""
    chain = (point.ip, *point.callers)
    return [at for at in chain if at >= KERNEL], [at for at in chain if at < KERNEL]


def _callstack(number: int, point: Point) -> bytes:
    kernel, user = _chains(point)
    head = struct.pack("<QQ", FIRST_TIME + 1000 * number, point.ip)
    head += struct.pack("<IIHHHH", point.tid, TGID, point.pmd, point.cpu, 0, 0)
    head += struct.pack("<HHI", len(kernel), len(user), 0)
    return head + struct.pack(f"<{len(kernel + user)}Q", *kernel, *user)


def _histogram(number: int, point: Point) -> bytes:
    return struct.pack("<HHIQQ", point.pmd, 0, TGID, point.ip, number + 1)


def stacks_periods(number: int, point: Point) -> int:
    """Return the sum of the periods of number + 1 samples.

    The periods vary, as they do if pfmon samples at a given frequency.
    """
    return (number + 1) * (PERIODS[point.pmd] + 5) + number % 3


def _stacks(number: int, point: Point) -> bytes:
    kernel, user = _chains(point)
    periods = stacks_periods(number, point)
    head = struct.pack("<QQHHI", number + 1, periods, point.pmd, 0, TGID)
    head += struct.pack("<IBBBB", point.tid, len(kernel), len(user), 0, 0)
    return head + struct.pack(f"<{len(kernel + user)}Q", *kernel, *user)


def _flight(number: int, point: Point) -> bytes:
    head = struct.pack("<QQ", FIRST_TIME + 1000 * number, point.ip)
    return head + struct.pack("<IIHHHH", point.tid, TGID, point.pmd, point.cpu, 0, 0)


FORMATS: dict[str, Callable[[Program], bytes]] = {
    "default": _default(writers.UUID_2_2),
    "ia64": _default(writers.UUID_IA64),
    "nway": _nway,
    "pebs32": _pebs32,
    "pebs64": _pebs64,
    "oprofile": _oprofile,
    "callstack": _sink(UUID_CALLSTACK, _callstack),
    "histogram": _sink(UUID_HISTOGRAM, _histogram),
    "flight": _sink(UUID_FLIGHT, _flight),
    "stacks": _sink(UUID_STACKS, _stacks),
}
