# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build buffers and captures byte by byte from their documented layouts.

This module does not use the parsers, so that tests detect wrong layouts in the parsers.
"""

from __future__ import annotations

import copy
import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Optional, Sequence

UUID_2_2 = "d139b29e-62e8-40e4-b402-73078792e937"
UUID_IA64 = "4d72bec0-0664-4143-82b4-d3fd27243c97"
NO_HDR = 0x1
IIP_HDR = 0x2
RAW_TIME = 0x4
HDR_SIZE = 128
U64_MAX = (1 << 64) - 1

Json = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """A sample: the fields of the entry's header, and PMD values by index."""

    pid: int = 100
    ovfl_pmd: int = 0
    last_reset_val: int = (1 << 64) - 1000
    ip: int = 0x401000
    tstamp: int = 10**9
    cpu: int = 0
    set: int = 0
    tgid: int = 100
    pmds: tuple[tuple[int, int], ...] = ()

    def as_dict(self, flags: int = 0) -> Json:
        """Return what dump --json prints for the sample."""
        fields = {**vars(self), "pmds": {str(i): value for i, value in self.pmds}}
        kept = {NO_HDR: ["pmds"], IIP_HDR: ["ip", "pmds"]}.get(flags, list(fields))
        return {name: fields[name] for name in kept}


def entry(sample: Sample, uuid: str = UUID_2_2, flags: int = 0) -> bytes:
    """Build an entry: its header, if the flags request one, and the PMD values."""
    s = sample
    if flags == NO_HDR:
        head = b""
    elif flags == IIP_HDR:
        head = struct.pack("<Q", s.ip)
    elif uuid == UUID_IA64:
        head = struct.pack("<i3xB", s.pid, s.ovfl_pmd)
        head += struct.pack("<QQQ", s.last_reset_val, s.ip, s.tstamp)
        head += struct.pack("<HHi", s.cpu, s.set, s.tgid)
    else:
        head = struct.pack("<IHH", s.pid, s.ovfl_pmd, 0)
        head += struct.pack("<QQQ", s.last_reset_val, s.ip, s.tstamp)
        head += struct.pack("<HHI", s.cpu, s.set, s.tgid)
    return head + b"".join(struct.pack("<Q", value) for _, value in s.pmds)


def header(
    count: int,
    cur_offs: int,
    uuid: str = UUID_2_2,
    flags: int = 0,
    buf_size: int = 1 << 20,
    version: Optional[int] = None,
    time_zero: int = 0,
    time_mult: int = 0,
    time_shift: int = 0,
) -> bytes:
    """Build the header of a buffer."""
    if uuid == UUID_IA64:
        version = 2 << 16 if version is None else version
        head = struct.pack("<QQQQQ", count, cur_offs, 0, 0, buf_size)
        return head + struct.pack("<II80x", version, 0)
    version = 1 << 16 if version is None else version
    head = struct.pack("<QQQQQ", count, cur_offs, 0, buf_size, 40 + 8 * 320)
    head += struct.pack("<II", version, flags)
    return head + struct.pack("<QII64x", time_zero, time_mult, time_shift)


def buffer(
    samples: Sequence[Sample], uuid: str = UUID_2_2, flags: int = 0, **fields: int
) -> bytes:
    """Build the used part of a buffer; ``fields`` replace header fields."""
    body = b"".join(entry(sample, uuid, flags) for sample in samples)
    values = {"count": len(samples), "cur_offs": HDR_SIZE + len(body), **fields}
    return header(uuid=uuid, flags=flags, **values) + body


def pmd(num: int, smpl_pmds: Sequence[int] = (), sampling: bool = True) -> Json:
    """Return the JSON of a PMD."""
    return {
        "num": num,
        "event": f"event-{num}",
        "value": (1 << 64) - 1000,
        "long_reset": (1 << 64) - 1000,
        "short_reset": (1 << 64) - 1000,
        "random_mask": 0,
        "random_seed": 0,
        "sampling": sampling,
        "notify": sampling,
        "smpl_pmds": list(smpl_pmds),
        "reset_pmds": [],
        "eventid": 0,
    }


def session(sets: Optional[dict[int, list[Json]]] = None, uuid: str = UUID_2_2) -> Json:
    """Return the JSON of a session with these PMDs per set; by default, only PMD 0."""
    sets = {0: [pmd(0)]} if sets is None else sets
    return {
        "version": 1,
        "tool": "pfmon 0.9.0",
        "command": ["./hotloops", "--fast"],
        "mode": "thread",
        "start_ns": 1732098765000000000,
        "machine": {
            "arch": "x86_64",
            "release": "6.1.0-38-cloud-amd64",
            "cpus": 2,
            "page_size": 4096,
            "pmu": "perf_events",
            "host": "build7",
            "boot_id": "0d6ec4b8-8c0f-4d8a-a8f1-6e0e3a4c2b11",
            "processors": [processors()],
        },
        "format": {
            "name": "default",
            "uuid": uuid,
            "arg": struct.pack("<QI52x", 65536, 0).hex(),
        },
        "contexts": [
            {"id": 0, "tid": 100, "cpu": None, "buf_size": 65536, "tgid": 100}
        ],
        "sets": [
            {
                "id": number,
                "pmcs": [{"num": p["num"], "value": 1 << 56, "flags": 1} for p in pmds],
                "pmds": pmds,
            }
            for number, pmds in sets.items()
        ],
    }


def processors() -> Json:
    """Return the JSON of two CPUs of one type, with private caches and a shared one."""
    return {
        "cpus": "0-1",
        "model": "Example CPU @ 2.80GHz",
        "id": "GenuineExample,6,85,7",
        "khz": 2800000,
        "caches": [cache(1, "data", 32768, 1), cache(2, "unified", 1 << 20, 2)],
    }


def cache(level: int, kind: str, size: int, shared_by: int) -> Json:
    """Return the JSON of a cache."""
    return {
        "level": level,
        "type": kind,
        "size": size,
        "line_size": 64,
        "ways": 8,
        "shared_by": shared_by,
    }


def contexts(number: int) -> list[Json]:
    """Return the JSON of the contexts in a session that monitored ``number`` CPUs."""
    return [{"id": n, "tid": None, "cpu": n, "buf_size": 4096} for n in range(number)]


def ctxt(number: int, tid: int, tgid: int) -> bytes:
    """Build a chunk with the context of a thread that started later."""
    context = {"id": number, "tid": tid, "tgid": tgid, "cpu": None, "buf_size": 4096}
    return json_chunk("CTXT", context)


def changed(document: Json, path: list[Any], value: object) -> bytes:
    """Return a document as text, with the value at ``path`` replaced."""
    document = copy.deepcopy(document)
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(document).encode()


def maps(tgid: int, mappings: Sequence[Json], comm: str = "hotloops") -> Json:
    """Return the JSON of a process's mappings."""
    return {"tgid": tgid, "comm": comm, "maps": list(mappings)}


def thread(tid: int, tgid: int, comm: str, ppid: int = 1, start_ns: int = 0) -> Json:
    """Return the JSON of a thread."""
    return {
        "tid": tid,
        "tgid": tgid,
        "ppid": ppid,
        "comm": comm,
        "start_ns": start_ns,
    }


def thrd(*threads: Json) -> bytes:
    """Build a THRD chunk."""
    return json_chunk("THRD", {"threads": list(threads)})


def proc(*events: bytes) -> bytes:
    """Build a PROC chunk."""
    return chunk("PROC", b"".join(events))


def event(kind: int, time: int, tgid: int, tid: int, data: bytes) -> bytes:
    """Build an event of a PROC chunk."""
    data += bytes(-len(data) % 8)
    return struct.pack("<IIQII", 24 + len(data), kind, time, tgid, tid) + data


def fork(time: int, tgid: int, ppid: int, tid: Optional[int] = None) -> bytes:
    """Build the event of a new process, or of a new thread in a process."""
    tid = tgid if tid is None else tid
    return event(1, time, tgid, tid, struct.pack("<II", ppid, ppid))


def exec_of(time: int, tgid: int, comm: str, cgroup: str = "") -> bytes:
    """Build the event of a process that has executed a program."""
    return event(2, time, tgid, tgid, f"{comm}\0{cgroup}\0".encode())


def renamed(time: int, tgid: int, tid: int, comm: str) -> bytes:
    """Build the event of a thread that has changed its name."""
    return event(3, time, tgid, tid, f"{comm}\0".encode())


def maps_file(time: int, tgid: int, where: Json) -> bytes:
    """Build the event of a process that has mapped a file or memory."""
    prot = "".join("0" if letter in "-p" else "1" for letter in where["prot"])
    build_id = bytes.fromhex(where["build_id"] or "")
    place = struct.pack("<QQQ", where["start"], where["end"], where["offset"])
    file = struct.pack("<II", int(prot[::-1], 2), len(build_id))
    file += struct.pack("<QQ", where.get("size", 0), where.get("mtime_ns", 0))
    texts = f"{where['path']}\0{where.get('go_build_id', '')}\0".encode()
    return event(4, time, tgid, tgid, place + file + build_id + texts)


def code_of(
    time: int, start: int, end: int, name: str, kind: int = 1, gone: bool = False
) -> bytes:
    """Build the event of a kernel that has generated or frees a function."""
    part = struct.pack("<QQII", start, end, kind, gone)
    return event(5, time, 0, 0, part + f"{name}\0".encode())


def mapping(
    start: int,
    end: int,
    offset: int,
    path: str,
    build_id: Optional[str] = None,
    prot: str = "r-xp",
) -> Json:
    """Return the JSON of a mapping."""
    return {
        "start": start,
        "end": end,
        "offset": offset,
        "prot": prot,
        "path": path,
        "build_id": build_id,
    }


def clock_moment(perf: int, realtime: int, tsc: Optional[int] = None) -> Json:
    """Return the JSON of one reading of all clocks, which took 100 ns."""
    return {
        "perf_ns": perf,
        "realtime_ns": realtime,
        "monotonic_ns": perf + 1000,
        "boottime_ns": perf + 2000,
        "uncertainty_ns": 100,
        "tsc": tsc,
    }


def clck(perf: int, realtime: int) -> bytes:
    """Build a CLCK chunk."""
    return json_chunk("CLCK", clock_moment(perf, realtime))


def farg(realtime: int, argument: str) -> bytes:
    """Build a FARG chunk: the format's argument was changed, which took 50 ns."""
    change = {"realtime_ns": realtime, "uncertainty_ns": 50, "arg": argument}
    return json_chunk("FARG", change)


def jitm(tgid: int, text: str, flags: int = 0, kind: str = "JITM") -> bytes:
    """Build a JITM or JITD chunk."""
    payload = struct.pack("<II", tgid, flags) + text.encode()
    return chunk(kind, payload, compress=True)


def totals(samples: int, lost: int = 7, notifications: int = 3) -> Json:
    """Return the JSON of the totals of a session that monitored PMD 0."""
    return {
        "samples": samples,
        "lost": lost,
        "notifications": notifications,
        "bytes": 40 * samples,
        "end_ns": 1732098769000000000,
        "exit_status": 0,
        "counts": [
            {"context": 0, "set": 0, "pmd": 0, "event": "event-0", "value": 123}
        ],
    }


def chunk(kind: str, payload: bytes, compress: bool = False, flags: int = 0) -> bytes:
    """Build a chunk with its header and its padding."""
    stored = zlib.compress(payload) if compress else payload
    flags |= 1 if compress else 0
    head = struct.pack("<4sIQI", kind.encode(), flags, len(stored), zlib.crc32(stored))
    head += struct.pack("<I", zlib.crc32(head))
    return head + stored + bytes(-len(stored) % 8)


def json_chunk(kind: str, value: Json) -> bytes:
    """Build a chunk with a JSON payload."""
    return chunk(kind, json.dumps(value).encode())


def bufr(data: bytes, context: int = 0, compress: bool = False) -> bytes:
    """Build a BUFR chunk with the first bytes of a buffer."""
    payload = struct.pack("<IIQQ", context, 0, 12345, 1 << 20) + data
    return chunk("BUFR", payload, compress)


def capture(*chunks: bytes) -> bytes:
    """Build a capture file."""
    return b"PFMCAP\r\n" + struct.pack("<II", 1, 0) + b"".join(chunks)


def simple_capture(samples: Sequence[Sample], sess: Optional[Json] = None) -> bytes:
    """Build a complete capture with one buffer."""
    sess = session() if sess is None else sess
    return capture(
        json_chunk("SESS", sess),
        bufr(buffer(samples, sess["format"]["uuid"])),
        json_chunk("DONE", totals(len(samples))),
    )


def captured(samples: Sequence[Sample], *chunks: bytes, flags: int = 0) -> bytes:
    """Build a capture with these chunks before its only buffer."""
    return capture(
        json_chunk("SESS", session()),
        *chunks,
        bufr(buffer(samples, flags=flags)),
        json_chunk("DONE", totals(len(samples))),
    )


def mapped(where: Json, tgid: int = 100) -> bytes:
    """Build a MAPS chunk with one mapping."""
    return json_chunk("MAPS", maps(tgid, [where]))


def bufr_pieces(
    pieces: Sequence[tuple[int, bytes]],
    buf_size: int,
    context: int = 0,
    compress: bool = False,
) -> bytes:
    """Build a BUFR chunk from pieces of a buffer, given as offsets and bytes."""
    return chunk("BUFR", pieces_payload(pieces, buf_size, context), compress)


def pieces_payload(
    pieces: Sequence[tuple[int, bytes]], buf_size: int, context: int = 0
) -> bytes:
    """Build the payload of a BUFR chunk with pieces."""
    head = struct.pack("<IIQQ", context, len(pieces), 12345, buf_size)
    table = b"".join(struct.pack("<QQ", at, len(data)) for at, data in pieces)
    return head + table + b"".join(data for _, data in pieces)


UUID_NWAY = "70fa5e60-0e12-4a8b-8a49-beac1a9d51ce"
FREE, FILLING, READY = 0, 1, 2


@dataclass(frozen=True)
class NwayRegion:
    """A region. By default, ``count`` and ``size`` are right for the samples."""

    seq: int = 0
    state: int = FREE
    samples: tuple[Sample, ...] = ()
    count: Optional[int] = None
    size: Optional[int] = None
    overwritten: int = 0
    dropped: int = 0

    def body(self) -> bytes:
        """Return the bytes of the samples."""
        return b"".join(entry(sample) for sample in self.samples)

    def header(self) -> bytes:
        """Return the region's header in the buffer."""
        count = len(self.samples) if self.count is None else self.count
        size = len(self.body()) if self.size is None else self.size
        head = struct.pack("<QIIQQ", self.seq, self.state, 0, count, size)
        return head + struct.pack("<QQ16x", self.overwritten, self.dropped)


def nway_header(regions: int, region_size: int, **fields: int) -> bytes:
    """Build the header of an n-way buffer; ``fields`` replace header fields."""
    offs = 128 + 64 * regions
    values = {
        "buf_size": offs + regions * region_size,
        "region_offs": offs,
        "region_size": region_size,
        "min_region_space": 40,
        "num_regions": regions,
        "version": 1 << 16,
        "buf_flags": 0,
        "cur_region": 0,
        "handed_out": 0,
        "freed": 0,
        "overwritten": 0,
        "dropped": 0,
        **fields,
    }
    return struct.pack("<QQQQIIIIQQQQ48x", *values.values())


def nway(
    regions: Sequence[NwayRegion], region_size: int = 1024, **fields: int
) -> bytes:
    """Build an n-way buffer."""
    head = nway_header(len(regions), region_size, **fields)
    head += b"".join(region.header() for region in regions)
    head = head.ljust(fields.get("region_offs", len(head)), b"\0")
    return head + b"".join(r.body().ljust(region_size, b"\xa5") for r in regions)


UUID_PEBS32 = "0d8591e7-493f-49ae-8cfc-e8b933e4eb8b"
UUID_PEBS64 = "36be9794-1fbf-41df-b463-1062eb729bad"

_REGISTERS = ["eflags", "ip", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp"]
_LONGER = [*_REGISTERS, *(f"r{n}" for n in range(8, 16))]
_NEHALEM = [*_LONGER, "status", "dla", "dse", "lat"]
_HASWELL = [*_NEHALEM, "real_ip", "tsx_tuning"]

# The fields of each record, by UUID and size in bytes.
PEBS_RECORDS = {
    (UUID_PEBS32, 40): _REGISTERS,
    (UUID_PEBS64, 144): _LONGER,
    (UUID_PEBS64, 176): _NEHALEM,
    (UUID_PEBS64, 192): _HASWELL,
    (UUID_PEBS64, 200): [*_HASWELL, "tsc"],
}


def pebs_header_size(uuid: str) -> int:
    """Return the size of a PEBS buffer's header in bytes."""
    return 84 if uuid == UUID_PEBS32 else 128


def pebs(
    records: Sequence[dict[str, int]], uuid: str, size: int, **fields: int
) -> bytes:
    """Build the used part of a PEBS buffer; missing fields of records are 0.

    ``fields`` replace fields of the header and of the debug store area.
    """
    head = pebs_header_size(uuid)
    values = {"start_offs": 256 - head, "entry_size": size, "version": 1 << 16}
    values |= {"overflows": 3, "buf_size": 1 << 16, "flags": 0, "dropped": 0, "lost": 0}
    base = head + fields.get("start_offs", values["start_offs"])
    values |= {"base": base, "index": base + len(records) * size, "max": 1 << 16}
    v = {**values, **fields}
    area = [0, 0, 0, 0, v["base"], v["index"], v["max"], v["max"], 1 << 40]
    if uuid == UUID_PEBS32:
        head_format, area_format, word = "<QIIIIIQQ", "<IIIIIIIIQ", "I"
        end = [v["flags"], v["entry_size"], v["dropped"], v["lost"]]
    else:
        head_format, area_format, word = "<QQQIIIIQQ", "<QQQQQQQQQ", "Q"
        end = [0, v["flags"], v["entry_size"], v["dropped"], v["lost"]]
    start = [v["overflows"], v["buf_size"], v["start_offs"], v["version"]]
    data = struct.pack(head_format, *start, *end) + struct.pack(area_format, *area)
    data = data.ljust(base, b"\0")
    names = PEBS_RECORDS[uuid, size]
    return data + b"".join(
        struct.pack(f"<{len(names)}{word}", *(r.get(name, 0) for name in names))
        for r in records
    )


def pebs_capture(records: Sequence[dict[str, int]], size: int, sess: Json) -> bytes:
    """Build a capture with these records in two buffers, and one mapping.

    The first buffer contains two records. Its header marks them as imprecise.
    """
    uuid = sess["format"]["uuid"]
    return capture(
        json_chunk("SESS", sess),
        mapped(mapping(0x1000, 0x2000, 0, "[vdso]")),
        bufr(pebs(records[:2], uuid, size, flags=1)),
        bufr(pebs(records[2:], uuid, size)),
        json_chunk("DONE", totals(len(records))),
    )


UUID_OPROFILE = "777a6e61-2065-7369-746e-722061650a6c"
OPROFILE_CODES = {
    "ctx": 1,
    "cpu": 2,
    "cookie": 3,
    "kernel": 4,
    "user": 5,
    "tgid": 7,
    "trace": 8,
    "end": 9,
}


def oprofile_words(steps: Sequence[tuple[Any, ...]], bits: int = 64) -> list[int]:
    """Return the words of an OProfile stream.

    A step is a sample ("at", offset, event), an escape (its name, as above, and its
    arguments) or ("word", word).
    """
    words: list[int] = []
    for name, *numbers in steps:
        if name in OPROFILE_CODES:
            words += [(1 << bits) - 1, OPROFILE_CODES[name]]
        words += numbers
    return words


def oprofile(words: Sequence[int], bits: int = 64) -> bytes:
    """Return the bytes of an OProfile stream."""
    return struct.pack(f"<{len(words)}{'Q' if bits == 64 else 'I'}", *words)


def cook(files: Sequence[tuple[int, str, Optional[str]]]) -> bytes:
    """Build a COOK chunk of cookies, paths and build IDs."""
    cookies = [{"cookie": c, "path": p, "build_id": b} for c, p, b in files]
    return json_chunk("COOK", {"cookies": cookies})
