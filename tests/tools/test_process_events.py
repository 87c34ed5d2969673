# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read perf's records about processes as pfmon does."""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mappings import build_id
from process_events import events_of

COMM, EXIT, FORK, SAMPLE, MMAP2, KSYMBOL = 3, 4, 7, 9, 10, 17
IS_EXEC, HAS_BUILD_ID = 1 << 13, 1 << 14
RING = 512  # bytes
KERNEL = 0xFFFFFFFFC0000000


def record(kind: int, body: bytes, time: int, misc: int = 0) -> bytes:
    """Build a record whose sample_id consists of only the time."""
    body += bytes(-len(body) % 8) + struct.pack("<Q", time)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def fork(time: int, tgid: int, ppid: int) -> bytes:
    body = struct.pack("<IIIIQ", tgid, ppid, tgid, ppid, time)
    return record(FORK, body, time)


def comm(time: int, tgid: int, name: bytes, misc: int = 0) -> bytes:
    return record(COMM, struct.pack("<II", tgid, tgid) + name + b"\0", time, misc)


def mmap2(
    time: int,
    path: bytes,
    file: bytes = bytes(24),
    misc: int = 0,
    length: int = 4096,
    pid: int = 5,
    start: int = 0x1000,
    prot: int = 5,
) -> bytes:
    body = struct.pack("<IIQQQ", pid, 6, start, length, 0x2000) + file
    return record(MMAP2, body + struct.pack("<II", prot, 2) + path + b"\0", time, misc)


def ksymbol(
    time: int, name: bytes, length: int = 0x100, kind: int = 1, flags: int = 0
) -> bytes:
    fixed = struct.pack("<QIHH", KERNEL, length, kind, flags)
    return record(KSYMBOL, fixed + name + b"\0", time)


def place(file: Path, device: int = 0, inode: int = 0) -> bytes:
    """Build the part of an mmap2 record that identifies a file.

    `device` and `inode` are added to the file's real numbers.
    """
    info = file.stat()
    major, minor = os.major(info.st_dev) + device, os.minor(info.st_dev)
    return struct.pack("<IIQQ", major, minor, info.st_ino + inode, 0)


def times(chunks: list[list[dict[str, Any]]]) -> list[list[int]]:
    return [[event["time_ns"] for event in chunk] for chunk in chunks]


class Reader:
    """Run event_reader."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def read(
        self, *lines: str, rings: int = 1, size: int = RING
    ) -> tuple[list[list[dict[str, Any]]], list[int]]:
        """Return the events of each chunk, and the lost events after each read."""
        return self._parsed(self._printed(lines, rings, size))

    def answers(
        self, what: str, *lines: str, pid: int = 0, rings: int = 1
    ) -> list[int]:
        """Return the answers to a command that prints a number."""
        printed = self._printed(lines, rings, RING, pid)
        return [int(line.split()[1]) for line in printed if line.startswith(what)]

    def dumps(self, *lines: str) -> list[str]:
        """Return the PIDs, inodes and paths of the jitdump files that are noticed."""
        printed = self._printed(lines, 1, 4 * RING)
        return [line[len("dump ") :] for line in printed if line.startswith("dump ")]

    def _printed(
        self, lines: Sequence[str], rings: int, size: int, pid: int = 0
    ) -> list[str]:
        done = subprocess.run(
            [self._program, str(rings), str(size), str(pid)],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    def start(self) -> subprocess.Popen[str]:
        """Start event_reader with one ring; return the process."""
        return subprocess.Popen(
            [self._program, "1", str(RING)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def answer(
        self, process: subprocess.Popen[str], *lines: str
    ) -> tuple[list[list[dict[str, Any]]], list[int]]:
        """Send lines to a running event_reader, which reads once; return its output."""
        assert process.stdin and process.stdout
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()
        printed = []
        for line in process.stdout:
            printed.append(line.strip())
            if line.startswith("lost"):
                break
        return self._parsed(printed)

    @staticmethod
    def _parsed(printed: list[str]) -> tuple[list[list[dict[str, Any]]], list[int]]:
        lost = [int(line.split()[1]) for line in printed if line.startswith("lost")]
        chunks = [line for line in printed if " " not in line]
        return [events_of(bytes.fromhex(line)) for line in chunks], lost


def put(*records: bytes, ring: int = 0) -> str:
    return f"put {ring} {b''.join(records).hex()}"


@pytest.fixture(name="reader")
def fixture_reader(programs: Path) -> Reader:
    return Reader(programs / "event_reader")


def test_each_kind_of_record_is_described(reader: Reader) -> None:
    build_id = struct.pack("<B3x20s", 4, b"\x01\x02\x03\xff")
    records = [
        fork(1, 5, 4),
        comm(2, 5, b"gzip", IS_EXEC),
        mmap2(3, b"/bin/gzip", build_id, HAS_BUILD_ID),
        mmap2(4, b"//anon"),
        comm(5, 5, b"worker"),
    ]
    (events,), _ = reader.read(put(*records), "last", size=4096)
    assert [(event.pop("what"), event.pop("time_ns")) for event in events] == [
        *(("fork", 1), ("exec", 2), ("map", 3), ("map", 4), ("name", 5)),
    ]
    of_five: dict[str, Any] = {"tgid": 5, "tid": 5}
    assert events[0] == {**of_five, "ppid": 4, "ptid": 4}
    assert events[1] == {**of_five, "comm": b"gzip", "cgroup": b""}
    where: dict[str, Any] = {
        "tgid": 5,
        "tid": 6,
        "start": 0x1000,
        "end": 0x2000,
        "offset": 0x2000,
    }
    where |= {"prot": 5, "state": (0, 0, b"")}
    assert events[2] == {**where, "path": b"/bin/gzip", "build_id": "010203ff"}
    assert events[3] == {**where, "path": b"", "build_id": ""}
    assert events[4] == {**of_five, "comm": b"worker"}


def test_file_without_build_id_is_identified(reader: Reader, tmp_path: Path) -> None:
    file = tmp_path / "no ELF file"
    file.write_bytes(b"12345")
    info = file.stat()
    this = mmap2(1, bytes(file), place(file), pid=os.getpid())
    ((event,),), _ = reader.read(put(this), "last")
    assert event["path"] == bytes(file)
    assert event["state"] == (5, info.st_mtime_ns, b"")


def ended() -> int:
    """Return the PID of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def test_file_of_ended_process_is_identified(reader: Reader, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    this = mmap2(1, bytes(file), place(file), pid=ended())
    ((event,),), _ = reader.read(put(this), "last")
    assert event["state"] == (5, file.stat().st_mtime_ns, b"")


@pytest.mark.parametrize("other", ["device", "inode"])
def test_other_file_at_same_path_is_not_taken(
    reader: Reader, tmp_path: Path, other: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    # In the case "device", the process has ended; in the case "inode", another process
    # has the same PID.
    pid = os.getpid() if other == "inode" else ended()
    wrong = place(file, **{other: 1})
    ((event,),), _ = reader.read(put(mmap2(1, bytes(file), wrong, pid=pid)), "last")
    assert event["state"] == (0, 0, b"")


def copy_of_cat(folder: Path) -> tuple[Path, bytes]:
    """Return a copy of a program, and its build ID."""
    file = folder / "program"
    shutil.copy("/bin/cat", file)
    return file, bytes.fromhex(build_id(file) or "")


def map_known(path: Path, identity: bytes, pid: int, start: int = 0x1000) -> bytes:
    """Build a record of a mapped file with a build ID."""
    part = struct.pack("<B3x20s", len(identity), identity)
    return mmap2(1, bytes(path), part, HAS_BUILD_ID, pid=pid, start=start)


def test_table_is_of_the_mapped_file(reader: Reader, tmp_path: Path) -> None:
    file, known = copy_of_cat(tmp_path)
    inode = file.stat().st_ino

    def tables(identity: bytes, pid: int) -> list[int]:
        this = map_known(file, identity, pid)
        return reader.answers("table", put(this, this), "last")

    # A process that has ended has no root directory, so pfmon looks up the path in
    # pfmon's own root directory.
    for pid in ended(), os.getpid():
        assert tables(known, pid) == [inode]
        assert tables(known[::-1], pid) == []


@contextlib.contextmanager
def running(*command: str | Path) -> Iterator[int]:
    """Run a program that reads its standard input, and yield its PID."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"x")
        process.stdin.flush()
        assert process.stdout.read(1) == b"x"
        yield process.pid
        process.stdin.close()


def test_deleted_program_has_a_table(reader: Reader, tmp_path: Path) -> None:
    file, known = copy_of_cat(tmp_path)
    inode = file.stat().st_ino
    with running(file) as pid:
        file.unlink()
        this = map_known(file, known, pid)
        assert reader.answers("table", put(this), "last") == [inode]
        shutil.copy("/bin/ls", file)
        assert reader.answers("table", put(this), "last") == [inode]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs CAP_CHECKPOINT_RESTORE")
def test_deleted_library_has_a_table(reader: Reader, tmp_path: Path) -> None:
    file, known = copy_of_cat(tmp_path)
    inode = file.stat().st_ino
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ)
    file.unlink()
    lines = Path("/proc/self/maps").read_text("utf-8").splitlines()
    (line,) = [line for line in lines if str(file) in line]
    this = map_known(file, known, os.getpid(), int(line.split("-")[0], 16))
    assert reader.answers("table", put(this), "last") == [inode]
    mapped.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs CAP_SYS_CHROOT")
def test_each_root_has_its_own_file_at_a_path(reader: Reader, tmp_path: Path) -> None:
    script = "import os, sys; os.chroot(sys.argv[1]); os.write(1, os.read(0, 1))"
    script += "; os.read(0, 1)"
    lines, inodes = [], []
    with contextlib.ExitStack() as stack:
        for name in "one", "other":
            root = tmp_path / name
            root.mkdir()
            file, known = copy_of_cat(root)
            inodes.append(file.stat().st_ino)
            pid = stack.enter_context(running(sys.executable, "-c", script, root))
            lines.append(put(map_known(Path("/program"), known, pid)))
        assert reader.answers("table", *lines, "last") == inodes


def test_process_changes_when_it_is_new_or_maps_code(reader: Reader) -> None:
    state = place(Path("/bin/cat"))
    records = [
        *(fork(1, 7, 1), comm(2, 8, b"name"), comm(3, 9, b"program", IS_EXEC)),
        mmap2(4, b"/bin/cat", state, pid=10),
    ]
    assert reader.answers("changed", put(*records), "last") == [7, 9, 10]


def test_unreadable_file_is_tried_again(reader: Reader, tmp_path: Path) -> None:
    file, aside = tmp_path / "file", tmp_path / "aside"
    file.write_bytes(b"12345")
    this = put(mmap2(1, bytes(file), place(file), pid=os.getpid()))
    file.rename(aside)
    with reader.start() as process:
        states = []
        for _ in range(2):
            ((event,),), _ = reader.answer(process, this, "read")
            states.append(event["state"])
            if aside.exists():
                aside.rename(file)
        assert process.stdin
        process.stdin.close()
    assert states == [(0, 0, b""), (5, file.stat().st_mtime_ns, b"")]


def test_code_of_the_kernel_is_described(reader: Reader) -> None:
    records = ksymbol(1, b"bpf_prog_x"), ksymbol(2, b"trampoline", 64, kind=2, flags=3)
    (events,), _ = reader.read(put(*records), "last")
    assert [tuple(event.values()) for event in events] == [
        ("code", 1, 0, 0, KERNEL, KERNEL + 0x100, 1, 0, b"bpf_prog_x"),
        ("code", 2, 0, 0, KERNEL, KERNEL + 64, 2, 1, b"trampoline"),
    ]


def test_code_of_the_kernel_has_no_process(reader: Reader) -> None:
    lines = ["code", put(fork(1, 6, 5)), "read", "code", put(ksymbol(2, b"x")), "read"]
    lines += ["code", "code", "told 0", "last"]
    me = os.getpid()
    assert reader.answers("code", *lines, pid=me) == [0, 0, 1, 0]
    assert reader.answers("told", *lines, pid=me) == [0]
    assert reader.answers("changed", *lines, pid=me) == [6]


def test_mark_of_deleted_file_is_removed(reader: Reader) -> None:
    ((event,),), _ = reader.read(put(mmap2(1, b"/gone (deleted)")), "last")
    assert event["path"] == b"/gone"


def test_other_records_are_omitted(reader: Reader) -> None:
    exit_record = record(EXIT, struct.pack("<IIIIQ", 5, 4, 5, 4, 9), 9)
    others = [record(kind, bytes(16), 9) for kind in (0, 2, SAMPLE, 21, 1 << 31)]
    zero = fork(8, 0, 4)  # a process outside of pfmon's PID namespace
    chunks, lost = reader.read(put(exit_record, zero, *others, fork(10, 5, 4)), "last")
    assert (times(chunks), lost) == ([[10]], [0])


def test_records_that_wrap_around_are_whole(reader: Reader) -> None:
    lines = []
    for time in range(1, 100):
        lines += [put(comm(time, 5, b"x" * (time % 16))), "read"]
    chunks, lost = reader.read(*lines, "last", size=104)
    assert [event["comm"].decode() for events in chunks for event in events] == [
        "x" * (time % 16) for time in range(1, 100)
    ]
    assert set(lost) == {0}


@pytest.mark.parametrize(
    "torn",
    [
        struct.pack("<IHH", FORK, 0, 0),
        struct.pack("<IHH", FORK, 0, 7),
        struct.pack("<IHH", FORK, 0, 48),
        struct.pack("<IHH", FORK, 0, 65535),
        b"\1\2\3\4",
        fork(9, 5, 4)[:-1],
    ],
)
def test_torn_record_ends_reading_and_is_counted(reader: Reader, torn: bytes) -> None:
    lines = [put(fork(1, 5, 4), torn), "read", put(fork(10, 6, 4)), "last"]
    chunks, lost = reader.read(*lines)
    assert (times(chunks), lost) == ([[1], [10]], [1, 1])


@pytest.mark.parametrize("move", [RING + 1, 1 << 40, -8])
def test_impossible_head_is_counted(reader: Reader, move: int) -> None:
    lines = [f"head 0 {move}", "read", put(fork(10, 6, 4)), "last"]
    chunks, lost = reader.read(*lines)
    assert (times(chunks), lost) == ([[10]], [1, 1])


@pytest.mark.parametrize(
    "bad",
    [
        record(FORK, bytes(16), 9),
        record(COMM, bytes(0), 9),
        record(COMM, struct.pack("<II", 5, 5) + b"longname", 9),
        record(MMAP2, bytes(56), 9),
        mmap2(9, b"/x", length=0),
        mmap2(9, b"/x", length=(1 << 64) - 0x1000),
        mmap2(9, b"/x", struct.pack("<B23x", 21), HAS_BUILD_ID),
        record(KSYMBOL, bytes(8), 9),
        record(KSYMBOL, struct.pack("<QIHH", KERNEL, 8, 1, 0) + b"longname", 9),
        ksymbol(9, b"x", length=0),
    ],
)
def test_malformed_record_is_omitted(reader: Reader, bad: bytes) -> None:
    chunks, lost = reader.read(put(bad, fork(10, 6, 4)), "last")
    assert (times(chunks), lost) == ([[10]], [0])


def test_random_bytes_do_no_harm(reader: Reader) -> None:
    source = random.Random(1)
    lines = []
    for _ in range(500):
        kind = source.choice([COMM, FORK, MMAP2, KSYMBOL, 1 << 30])
        size = source.choice([0, 8, 16, 24, 40, 48, 80, 96, 104])
        head = struct.pack("<IHH", kind, source.choice([0, IS_EXEC, 1 << 14]), size)
        lines += [put(head + source.randbytes(max(0, size - 8))), "read"]
    reader.read(*lines, "last")


def test_records_of_all_cpus_are_in_order(reader: Reader) -> None:
    lines = [put(fork(1, 5, 4), fork(5, 6, 4)), put(fork(2, 7, 4), ring=1)]
    (events,), _ = reader.read(*lines, "last", rings=2)
    assert [event["tgid"] for event in events] == [5, 7, 6]


def test_read_events_are_not_returned_again(reader: Reader) -> None:
    lines = [put(fork(1, 5, 4)), "read", "read", put(fork(2, 6, 5)), "read", "last"]
    assert times(reader.read(*lines)[0]) == [[1], [2]]


def test_many_events_are_divided_into_chunks(reader: Reader) -> None:
    size = len(mmap2(1, b"x" * 4000))
    records = [mmap2(time, b"x" * 4000) for time in range(1, 600)]
    chunks, _ = reader.read(put(*records), "last", size=size * 600)
    assert [len(chunk) for chunk in chunks] == [258, 258, 83]
    assert sum(times(chunks), []) == list(range(1, 600))


def test_name_that_is_not_utf8_is_kept(reader: Reader) -> None:
    ((event,),), _ = reader.read(put(comm(1, 5, b"a\xff")), "last")
    assert event["comm"] == b"a\xff"


def test_cpu_that_comes_online_is_observed(reader: Reader) -> None:
    lines = ["online 1", "read", put(fork(1, 5, 4), ring=1), "read", "last"]
    chunks, lost = reader.read(*lines)
    # pfmon cannot know how many events it missed on this CPU.
    assert (times(chunks), lost) == ([[1]], [1, 1, 1])


def test_cpu_that_was_offline_has_a_new_ring(reader: Reader) -> None:
    first, second = (put(fork(time, 5, 4), ring=1) for time in (1, 2))
    lines = [first, "online 1", "read", second, "last"]
    chunks, lost = reader.read(*lines, rings=2)
    assert (times(chunks), lost) == ([[1], [2]], [1, 1])


def test_unnoticed_cpu_is_counted_as_lost(reader: Reader) -> None:
    chunks, lost = reader.read("online -1", put(fork(1, 5, 4)), "read", "last")
    assert (times(chunks), lost) == ([[1]], [1, 1])


def test_generated_code_is_inherited_until_exec(reader: Reader) -> None:
    made, forked = mmap2(1, b"//anon", pid=5), fork(2, 6, 5)
    lines = [put(made, forked), "read", "made 5", "made 6"]
    lines += [put(comm(3, 6, b"sh", IS_EXEC)), "read", "made 5", "made 6"]
    # The kernel reuses PID 5 for a new process.
    lines += [put(fork(4, 5, 6)), "last", "made 5"]
    assert reader.answers("made", *lines) == [1, 1, 1, 0, 0]


def test_mapped_jitdump_is_noticed(reader: Reader, tmp_path: Path) -> None:
    names = "jit-5.dump", "xjit-5.dump", "jit-5.dumps", "jit-5.dump/x", "jit-.dump"
    paths = [f"{tmp_path}/{name}" for name in names]
    file = struct.pack("<IIQQ", 8, 1, 99, 0)

    def mapped(path: str) -> str:
        return put(mmap2(1, path.encode(), pid=7, file=file))

    deleted = f"{paths[0]} (deleted)"
    found = reader.dumps(*(mapped(path) for path in (*paths, deleted)), "read")
    assert found == [f"7 99 {path}" for path in (paths[0], paths[4], deleted)]
    # Only executable mappings announce a file.
    data = put(mmap2(1, paths[0].encode(), prot=1))
    assert reader.dumps(data, "read") == []
    # The file may describe code that is itself in a file.
    lines = [data, "read", "made 7", mapped(paths[0]), "read", "made 7"]
    assert reader.answers("made", *lines) == [0, 1]


def test_new_process_does_not_continue_an_earlier_one(reader: Reader) -> None:
    lines = [put(fork(1, 6, 5)), "read", put(comm(2, 6, b"sh", IS_EXEC)), "last"]
    assert reader.answers("ended", *lines) == [6]


def test_exec_without_mappings_has_removed_the_events(reader: Reader) -> None:
    me = os.getpid()
    lines = ["told 6", f"told {me}", put(fork(1, 6, me)), "read", "told 6"]
    lines += [put(comm(2, 6, b"sh", IS_EXEC)), "read", "told 6", f"told {me}"]
    lines += [put(mmap2(3, b"/bin/sh", pid=6)), "read", "told 6"]
    assert reader.answers("told", *lines, pid=me) == [0, 1, 1, 0, 1, 1]


def test_ended_processes_are_forgotten(reader: Reader) -> None:
    # These PIDs are larger than the kernel's limit.
    me, first, most = os.getpid(), 1 << 23, 3000
    forks = [fork(1, first + i, me) for i in range(most)]
    lines = [put(forks[0]), "read", f"told {first}"]
    lines += [line for f in forks[1:] for line in (put(f), "last")]
    lines += [f"told {first + i}" for i in range(most)] + [f"told {me}"]
    told = reader.answers("told", *lines, pid=me)
    assert told[0] == 1 and told[-1] == 1
    assert 0 < sum(told[1:-1]) <= most / 2


def test_session_for_a_process_needs_no_ring_of_a_new_cpu(reader: Reader) -> None:
    # While a CPU is offline, the events of a thread stay open.
    lines = ["online 0", "read", "online 1", "read"]
    assert reader.answers("lost", *lines, pid=os.getpid()) == [0, 1]


@pytest.mark.parametrize(
    ("cpus", "size"), [(2, 256), (8, 256), (16, 128), (100, 16), (1000, 16)]
)
def test_rings_leave_lockable_memory_to_contexts(
    reader: Reader, cpus: int, size: int
) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    limits = resource.prlimit(0, resource.RLIMIT_MEMLOCK, (8 << 20, hard))
    try:
        of_process = reader.answers("size", "size", pid=os.getpid(), rings=cpus)
        of_all = reader.answers("size", "size", rings=cpus)
    finally:
        resource.prlimit(0, resource.RLIMIT_MEMLOCK, limits)
    assert (of_process, of_all) == ([size << 10], [256 << 10])
