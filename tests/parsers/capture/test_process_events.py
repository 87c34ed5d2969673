# SPDX-License-Identifier: MIT OR GPL-2.0
"""Apply events of processes, such as forks, to the mappings of samples."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from helpers.writers import (
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    code_of,
    event,
    exec_of,
    fork,
    json_chunk,
    mapped,
    mapping,
    maps_file,
    proc,
    renamed,
    session,
    totals,
)
from pfmparse.analysis.places import Places
from pfmparse.capture import kallsyms, metadata, threads
from pfmparse.capture.file import Capture
from pfmparse.capture.maps import FileState, Mapping
from pfmparse.capture.process_events import (
    Code,
    Exec,
    Fork,
    Mapped,
    Name,
    ProcessEvent,
    parse_events,
)
from pfmparse.errors import PfmParseError
from pfmparse.recording import Recording
from pfmparse.symbols.location import UNKNOWN, Detail, SymbolOptions

SHELL = mapping(0x1000, 0x2000, 0, "/bin/sh")
GZIP = mapping(0x1000, 0x3000, 0, "/bin/gzip")
LIBC = mapping(0x8000, 0x9000, 0, "/lib/libc")
CODE = 0xFFFFFFFFC0000000  # an address in the kernel


def file_of(samples: Sequence[Sample], *chunks: bytes) -> bytes:
    """Return a capture of these samples with these PROC chunks."""
    return capture(
        json_chunk("SESS", session()),
        *chunks[:-1],
        bufr(buffer(samples)),
        *chunks[-1:],
        json_chunk("DONE", totals(len(samples))),
    )


def objects(samples: Sequence[Sample], *chunks: bytes) -> list[str]:
    """Return the path of each sample's file."""
    recording = Recording(Capture(BytesIO(file_of(samples, *chunks))))
    places = Places(recording, SymbolOptions(()), Detail.OBJECT, lambda text: None)
    found: list[str] = []
    for batch in recording.batches():
        ids = places.own(batch)
        found += [places.locations()[i].object for i in ids.tolist()]
    assert not recording.problems
    return found


def at(time: int, tgid: int = 100, ip: int = 0x1500) -> Sample:
    return Sample(tgid=tgid, pid=tgid, tstamp=time, ip=ip)


def parsed(*events: bytes) -> list[ProcessEvent]:
    return list(parse_events(b"".join(events), 0))


def test_each_kind_of_event_is_parsed() -> None:
    found = parsed(
        fork(1, 5, 4),
        exec_of(2, 5, "x", "/group"),
        exec_of(3, 5, "x"),
        renamed(4, 5, 6, "y"),
        event(99, 5, 5, 5, b"of a later version"),
        maps_file(6, 5, {**LIBC, "build_id": "abcd"}),
        code_of(7, CODE, CODE + 1, "x"),
        code_of(8, CODE, CODE + 1, "y", kind=2, gone=True),
    )
    assert found == [
        Fork(1, 5, 5, 4, 4),
        Exec(2, 5, 5, "x", "/group"),
        Exec(3, 5, 5, "x", None),
        Name(4, 5, 6, "y"),
        Mapped(6, 5, Mapping(0x8000, 0x9000, 0, "/lib/libc", b"\xab\xcd", "r-xp")),
        Code(7, CODE, CODE + 1, "x", bpf=True, gone=False),
        Code(8, CODE, CODE + 1, "y", bpf=False, gone=True),
    ]


def test_code_of_the_kernel_is_read_as_pfmon_writes_it(programs: Path) -> None:
    code = struct.pack("<QIHH", CODE, 0x100, 1, 1) + b"bpf_prog\0"
    code += bytes(-len(code) % 8) + struct.pack("<Q", 7)
    record = struct.pack("<IHH", 17, 0, 8 + len(code)) + code
    printed = subprocess.run(
        [programs / "event_reader", "1", "512"],
        input=f"put 0 {record.hex()}\nlast\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    chunk = bytes.fromhex(printed.splitlines()[0])
    assert parsed(chunk) == [Code(7, CODE, CODE + 0x100, "bpf_prog", True, True)]


def test_mapping_without_build_id_has_its_state() -> None:
    where: Json = {**LIBC, "prot": "rw-s", "size": 5, "mtime_ns": 6}
    go = {**where, "go_build_id": "go"}
    states = []
    for found in parsed(maps_file(1, 5, where), maps_file(1, 5, go)):
        assert isinstance(found, Mapped) and found.mapping.prot == "rw-s"
        states.append(found.mapping.state)
    assert states == [FileState(5, 6), FileState(5, 6, "go")]


def test_text_that_is_not_utf8_is_kept() -> None:
    assert parsed(event(3, 1, 5, 5, b"a\xff\0")) == [Name(1, 5, 5, "a\udcff")]


WHOLE = maps_file(1, 5, {**LIBC, "build_id": "abcd"})


@pytest.mark.parametrize(
    "bad",
    [
        *(WHOLE[:size] for size in range(1, len(WHOLE))),
        struct.pack("<I", 16) + fork(1, 5, 4)[4:],
        struct.pack("<I", 28) + fork(1, 5, 4)[4:],
        struct.pack("<I", 0) + fork(1, 5, 4)[4:],
        struct.pack("<I", (1 << 32) - 8) + fork(1, 5, 4)[4:],
        event(1, 1, 5, 5, b""),
        event(2, 1, 5, 5, b"text\0one"),
        event(3, 1, 5, 5, b"no end.."),
        event(4, 1, 5, 5, bytes(40)),
        event(4, 1, 5, 5, bytes(48)),
        maps_file(1, 5, {**LIBC, "end": 0x8000}),
        maps_file(1, 5, {**LIBC, "build_id": "ab" * 65}),
        WHOLE[:52] + struct.pack("<I", 64) + WHOLE[56:],
        event(5, 1, 0, 0, struct.pack("<QQI", CODE, CODE + 1, 1)),
        event(5, 1, 0, 0, struct.pack("<QQII", CODE, CODE + 1, 1, 0) + b"no end.."),
        code_of(1, CODE, CODE, "x"),
        code_of(1, 0x400000, CODE, "x"),
        code_of(1, CODE, CODE + 1, ""),
        code_of(1, CODE, CODE + 1, "f" * 513),
        code_of(1, CODE, CODE + 1, "f\t[/etc/passwd]"),
    ],
    ids=len,
)
def test_malformed_event_is_refused(bad: bytes) -> None:
    good = fork(1, 5, 4)
    with pytest.raises(PfmParseError, match="PROC: event at byte 32: ") as error:
        for found in parse_events(good + bad, 100):
            assert found == Fork(1, 5, 5, 4, 4)
    assert error.value.offset == 132


def test_short_lived_process_has_its_files() -> None:
    events = proc(
        fork(10, 101, 100), exec_of(20, 101, "gzip"), maps_file(30, 101, GZIP)
    )
    samples = [at(40, 101), at(5, 100)]
    assert objects(samples, mapped(SHELL), events) == ["/bin/gzip", "/bin/sh"]


def test_child_has_mappings_of_parent_until_exec() -> None:
    events = proc(
        fork(10, 101, 100),
        exec_of(20, 101, "gzip"),
        maps_file(21, 101, mapping(0x5000, 0x6000, 0, "/bin/gzip")),
    )
    samples = [at(15, 101), at(25, 101, ip=0x5500), at(26, 101), at(15, 100)]
    found = objects(samples, mapped(SHELL), events)
    assert found == ["/bin/sh", "/bin/gzip", UNKNOWN, "/bin/sh"]


def test_child_keeps_mappings_that_parent_replaces() -> None:
    events = proc(
        fork(10, 101, 100), exec_of(20, 100, "gzip"), maps_file(21, 100, GZIP)
    )
    samples = [at(30, 101), at(30, 100)]
    assert objects(samples, mapped(SHELL), events) == ["/bin/sh", "/bin/gzip"]


def test_exec_in_same_process_replaces_mappings() -> None:
    events = proc(exec_of(20, 100, "gzip"), maps_file(21, 100, GZIP))
    found = objects([at(19), at(22), at(19), at(23)], mapped(SHELL), events)
    assert found == ["/bin/sh", "/bin/gzip", "/bin/sh", "/bin/gzip"]


def test_reused_process_id_is_a_new_process() -> None:
    events = []
    for time, path in ((10, "/bin/one"), (20, "/bin/two"), (30, "/bin/three")):
        events += [fork(time, 101, 100), exec_of(time + 1, 101, path)]
        events += [maps_file(time + 2, 101, mapping(0x1000, 0x2000, 0, path))]
    samples = [at(15, 101), at(25, 101), at(35, 101)]
    found = objects(samples, mapped(SHELL), proc(*events))
    assert found == ["/bin/one", "/bin/two", "/bin/three"]


def test_library_stays_mapped_until_replaced() -> None:
    # A new mapping replaces the old one, because perf does not report when memory is
    # unmapped.
    other = mapping(0x8800, 0xA000, 0, "/lib/other")
    events = proc(maps_file(10, 100, LIBC), maps_file(20, 100, other))
    samples = [
        *(at(15, ip=0x8900), at(15, ip=0x8100), at(25, ip=0x8900), at(25, ip=0x8100)),
    ]
    found = objects(samples, mapped(SHELL), events)
    assert found == ["/lib/libc", "/lib/libc", "/lib/other", "/lib/libc"]


def test_mapping_inside_another_keeps_both_ends() -> None:
    whole = mapping(0x10000, 0x14000, 0x1000, "/lib/whole")
    hole = mapping(0x11000, 0x12000, 0, "/lib/hole")
    data = file_of([], proc(maps_file(1, 100, whole), maps_file(2, 100, hole)))
    ((_, before), (_, after)) = Capture(BytesIO(data)).maps.all()
    assert [m.path for m in before.mappings] == ["/lib/whole"]
    found = [(m.start, m.end, m.offset, m.path) for m in after.mappings]
    assert found == [
        (0x10000, 0x11000, 0x1000, "/lib/whole"),
        (0x11000, 0x12000, 0, "/lib/hole"),
        (0x12000, 0x14000, 0x3000, "/lib/whole"),
    ]


def test_same_mapping_again_begins_no_state() -> None:
    part = mapping(0x8800, 0x9800, 0x800, "/lib/libc")
    data = file_of([], proc(*(maps_file(n, 100, m) for n, m in ((1, LIBC), (2, part)))))
    ((_, only),) = Capture(BytesIO(data)).maps.all()
    assert [(m.start, m.end) for m in only.mappings] == [
        (0x8000, 0x8800),
        (0x8800, 0x9800),
    ]


def test_event_before_known_state_is_ignored() -> None:
    late = proc(exec_of(20, 100, "gzip"), maps_file(21, 100, GZIP))
    early = proc(fork(5, 100, 1), maps_file(6, 100, mapping(0x1000, 0x2000, 0, "/no")))
    assert objects([at(25)], late, early) == ["/bin/gzip"]


def test_sample_before_fork_has_first_state() -> None:
    # The clocks of CPUs can differ a little, so a sample may precede its process's
    # fork.
    events = proc(fork(10, 101, 100))
    assert objects([at(9, 101)], mapped(SHELL), events) == ["/bin/sh"]


def test_mapping_of_unknown_process_is_used() -> None:
    assert objects([at(9, 7)], proc(maps_file(5, 7, SHELL))) == ["/bin/sh"]


def test_threads_get_names_from_events() -> None:
    data = file_of(
        [],
        mapped(SHELL),
        proc(
            exec_of(1, 100, "sh", "/a"),
            fork(1, 101, 100),
            fork(2, 102, 101),
            exec_of(3, 102, "gzip", "/b"),
            fork(4, 102, 102, tid=103),
            fork(5, 102, 102, tid=104),
            renamed(6, 102, 104, "worker"),
        ),
    )
    source = Capture(BytesIO(data))
    known = {t.tid: (t.tgid, t.comm, t.ppid, t.cgroup) for t in source.threads}
    assert known == {
        100: (100, "sh", None, "/a"),
        101: (101, "sh", 100, "/a"),
        102: (102, "gzip", 101, "/b"),
        103: (102, "gzip", 101, "/b"),
        104: (102, "worker", 101, "/b"),
    }
    assert source.maps.processes() == {100: "sh", 101: "sh", 102: "gzip"}


def test_mappings_of_events_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "MAX_MAPPINGS", 3)
    where = [mapping(n << 12, (n + 1) << 12, 0, "/x") for n in range(5)]
    events = [maps_file(n, 100, one) for n, one in enumerate(where)]
    source = Capture(BytesIO(file_of([], proc(*events))))
    assert [p.message for p in source.problems] == ["more than 3 mappings"]


def test_later_events_than_mappings_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    # When the limit is reached, all mappings are dropped. If only later mappings were
    # ignored, the new process would keep its parent's mappings.
    monkeypatch.setattr(metadata, "MAX_MAPPINGS", 2)
    late = [maps_file(21, 100, GZIP), fork(22, 101, 100), exec_of(23, 101, "gzip")]
    events = proc(maps_file(10, 100, SHELL), maps_file(11, 100, LIBC), *late)
    source = Capture(BytesIO(file_of([], events)))
    assert [p.message for p in source.problems] == ["more than 2 mappings"]
    assert [maps.mappings for _, maps in source.maps.all()][-1] == ()
    assert {thread.tid: thread.comm for thread in source.threads}[101] == "gzip"


def problems_and_files(*events: bytes) -> tuple[list[str], list[str]]:
    """Return a capture's problems, and the files that are mapped at the end."""
    source = Capture(BytesIO(file_of([], mapped(SHELL), proc(*events))))
    *_, (_, last) = source.maps.all()
    return [p.message for p in source.problems], [m.path for m in last.mappings]


LATE = exec_of(20, 100, "gzip"), maps_file(21, 100, GZIP)


def test_later_events_than_threads_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MAX_THREADS", 1)
    forks = [fork(n, 100, 100, tid=n) for n in (101, 102)]
    found = problems_and_files(*forks, *LATE)
    assert found == (["more than 1 threads"], ["/bin/gzip"])


def test_known_thread_is_renamed_after_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "MAX_THREADS", 1)
    forks = [fork(n, 100, 100, tid=n) for n in (101, 102)]
    data = file_of([], mapped(SHELL), proc(*forks, renamed(9, 100, 101, "x")))
    assert Capture(BytesIO(data)).threads.name(101) == "x"


def test_later_events_than_code_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kallsyms, "MAX_CODE", 1)
    code = [code_of(n, CODE, CODE + 1, "f") for n in range(2)]
    found = problems_and_files(*code, *LATE)
    assert found == (["more than 1 functions of the kernel"], ["/bin/gzip"])


def test_reused_thread_ids_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MAX_THREADS", 3)
    again = [fork(n, 101, 100) for n in range(9)]
    again += [renamed(n, 101, 101, "x") for n in range(10, 19)]
    events = proc(*again, fork(20, 102, 100), fork(21, 103, 100))
    source = Capture(BytesIO(file_of([], events)))
    assert not source.problems
    source = Capture(BytesIO(file_of([], events, proc(fork(22, 104, 100)))))
    assert [p.message for p in source.problems] == ["more than 3 threads"]


def test_offset_behind_a_hole_has_64_bits() -> None:
    whole = mapping(0x10000, 0x14000, (1 << 64) - 0x1000, "/lib/whole")
    hole = mapping(0x11000, 0x12000, 0, "/lib/hole")
    data = file_of([], proc(maps_file(1, 100, whole), maps_file(2, 100, hole)))
    ((_, _), (_, after)) = Capture(BytesIO(data)).maps.all()
    assert after.mappings[-1].offset == 0x1000
