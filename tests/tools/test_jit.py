# SPDX-License-Identifier: MIT OR GPL-2.0
"""Record functions that are generated at run time; refuse untrusted map files."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from chunks import chunks_of

TEXT = b"7f0000001000 20 made()\n"
LARGEST = 48 << 20
LATE = (1 << 31) - 1  # a time after the start of all processes of the tests
UNUSED = 1_000_000_000  # larger than all PIDs
USER = 12345
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


class Told(NamedTuple):
    """The chunks as (tgid, flags, text), and the messages."""

    chunks: list[tuple[int, int, bytes]]
    said: str
    dumps: list[tuple[int, int, list[str]]]  # JITD chunks, with lines


class Looker:
    """Run jit_writer."""

    def __init__(self, program: Path, capture: Path) -> None:
        self.program = program
        self.capture = capture
        self.process: subprocess.Popen[str] | None = None

    def look(self, *what: object) -> None:
        """Start jit_writer; wait until it has opened the processes' files."""
        self.process = subprocess.Popen(
            [self.program, self.capture, *map(str, what)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        assert self.process.stdout.readline() == "looked\n"

    def end(self) -> Told:
        """Let jit_writer write the capture; return its chunks and its messages."""
        assert self.process
        _, said = self.process.communicate()
        assert self.process.returncode == 0
        told = Told([], said, [])
        for chunk in chunks_of(self.capture.read_bytes()):
            payload = zlib.decompress(chunk.payload)
            tgid, flags = struct.unpack_from("<II", payload)
            if chunk.kind == b"JITM":
                told.chunks.append((tgid, flags, payload[8:]))
            else:
                lines = payload[8:].decode().splitlines()
                told.dumps.append((tgid, flags, lines))
        return told

    def dump(self, pid: int, content: bytes) -> Told:
        """Let jit_writer read a process's jitdump file with this content."""
        path = self.capture.with_name("jit-1.dump")
        path.write_bytes(content)
        self.look(f"{pid}:{path}", f"={pid}")
        return self.end()


@pytest.fixture(name="looker")
def fixture_looker(programs: Path, tmp_path: Path) -> Looker:
    return Looker(programs / "jit_writer", tmp_path / "capture")


@pytest.fixture(name="process")
def fixture_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@contextmanager
def perf_map_of(pid: int) -> Iterator[Path]:
    """Yield the path of a process's perf-PID.map file; remove the file afterwards."""
    path = Path(f"/tmp/perf-{pid}.map")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


@pytest.fixture(name="path")
def fixture_path(process: subprocess.Popen[bytes]) -> Iterator[Path]:
    with perf_map_of(process.pid) as path:
        yield path


def test_perf_map_is_saved_after_process_exit(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    path.write_bytes(TEXT)
    looker.look(process.pid, process.pid)
    with path.open("ab") as more:
        more.write(TEXT)
    process.kill()
    process.wait()
    path.unlink()
    assert looker.end() == Told([(process.pid, 0, 2 * TEXT)], "", [])


def test_process_without_perf_map_saves_nothing(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    looker.look(process.pid, gone.pid)
    assert looker.end() == Told([], "", [])


def test_process_without_generated_code_saves_no_perf_map(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    path.write_bytes(TEXT)
    looker.look(f"={process.pid}")
    assert looker.end() == Told([], "", [])


def test_long_perf_map_is_truncated(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    path.write_bytes(TEXT)
    os.truncate(path, LARGEST + 1)
    looker.look(process.pid)
    ((tgid, flags, text),) = looker.end().chunks
    assert (tgid, flags, len(text)) == (process.pid, 1, LARGEST)
    assert text.startswith(TEXT)


def test_files_of_ended_process_are_found(looker: Looker, tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    dump = tmp_path / "jit-1.dump"
    dump.write_bytes(head() + DUMP[0])
    with perf_map_of(gone.pid) as path:
        path.write_bytes(TEXT)
        os.utime(path, (LATE, LATE))
        looker.look(f"{gone.pid}:{dump}", gone.pid)
    assert looker.end() == Told([(gone.pid, 0, TEXT)], "", [(gone.pid, 0, LINES[:1])])


@AS_ROOT
def test_files_of_zombie_must_belong_to_pfmon(looker: Looker) -> None:
    with subprocess.Popen(["true"], user=USER) as zombie:
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        with perf_map_of(zombie.pid) as path:
            path.write_bytes(TEXT)
            os.chown(path, USER, USER)
            assert refused(looker, zombie.pid) == "Operation not permitted"


def test_older_map_of_an_ended_process_is_ignored(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    """The clock may have been stepped since a live process wrote its map."""
    with subprocess.Popen(["true"]) as gone:
        pass
    with perf_map_of(gone.pid) as old:
        for written in (old, path):
            written.write_bytes(TEXT)
            os.utime(written, (0, 0))
        looker.look(gone.pid, process.pid)
    assert looker.end() == Told([(process.pid, 0, TEXT)], "", [])


def test_reused_pid_has_the_files_of_both_processes(
    looker: Looker, process: subprocess.Popen[bytes], path: Path, tmp_path: Path
) -> None:
    path.write_bytes(TEXT)
    dump = tmp_path / "jit-1.dump"
    dump.write_bytes(head() + DUMP[0])
    pid = process.pid
    looker.look(pid, f"-{pid}", pid, pid)
    assert looker.end().chunks == 2 * [(pid, 0, TEXT)]
    looker.look(f"{pid}:{dump}", f"-{pid}", f"{pid}:{dump}", f"{pid}:{dump}", pid)
    assert looker.end().dumps == 2 * [(pid, 0, LINES[:1])]
    # Nothing is known about files that the second process lacks.
    looker.look(f"{pid}:{dump}:1", f"-{pid}", pid)
    assert looker.end().said == ""


def refused(looker: Looker, pid: int, *what: str) -> str:
    """Check that jit_writer refuses a process's file; return the reason."""
    looker.look(*what, pid, pid)
    told = looker.end()
    assert (told.chunks, told.dumps) == ([], [])
    (why,) = re.findall(r"by process (\d+) have no names: its .*: (.*)\n", told.said)
    assert why[0] == str(pid)
    return str(why[1])


# Proves H33
@AS_ROOT
def test_mounted_private_file_of_root_is_not_read(looker: Looker) -> None:
    """A user can mount a file that only root can read over the process's map."""
    script = (
        "touch /tmp/perf-$$.map && mount --bind {} /tmp/perf-$$.map && echo && read x"
    )
    with tempfile.NamedTemporaryFile(dir="/tmp") as secret:
        secret.write(TEXT)
        secret.flush()
        for mode, chunks in (0o600, 0), (0o604, 1):
            os.chmod(secret.name, mode)
            with subprocess.Popen(
                ["unshare", "-rm", "sh", "-c", script.format(secret.name)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                user=USER,
            ) as stranger, perf_map_of(stranger.pid):
                assert stranger.stdin and stranger.stdout
                if not stranger.stdout.readline():
                    pytest.skip("users cannot create namespaces")
                looker.look(stranger.pid)
                stranger.stdin.write(b"\n")
            told = looker.end()
            assert told.chunks == chunks * [(stranger.pid, 0, TEXT)]
            assert ("Operation not permitted" in told.said) == (not chunks)


def test_perf_map_symlink_is_not_followed(
    looker: Looker, process: subprocess.Popen[bytes], path: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_bytes(TEXT)
    path.symlink_to(tmp_path / "secret")
    assert "symbolic links" in refused(looker, process.pid)


def test_perf_map_fifo_does_not_block(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    os.mkfifo(path)
    assert refused(looker, process.pid) == "Operation not permitted"


@AS_ROOT
def test_perf_map_of_other_user_is_ignored(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    path.write_bytes(TEXT)
    os.chown(path, USER, USER)
    assert refused(looker, process.pid) == "Operation not permitted"


def test_perf_map_is_read_in_process_namespaces(looker: Looker) -> None:
    script = (
        "mount -t tmpfs none /tmp && echo $$ && "
        f"printf '{TEXT.decode().strip()}\\n' >/tmp/perf-$$.map && echo && read line"
    )
    with subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as outer:
        assert outer.stdout and outer.stdin and outer.stderr
        inner = outer.stdout.readline()
        if not inner:
            pytest.skip(f"cannot create namespaces: {outer.stderr.read().strip()}")
        outer.stdout.readline()
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        pid = int(children.read_text())
        assert int(inner) == 1 != pid
        looker.look(pid)
        outer.stdin.write("\n")
    assert looker.end() == Told([(pid, 0, TEXT)], "", [])


MAGIC = 0x4A695444
LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING = range(5)
CODE = b"machine\ncode"


def head(magic: int = MAGIC, version: int = 1, size: int = 40, flags: int = 0) -> bytes:
    """Build the header of a jitdump file."""
    packed = struct.pack("<IIIIIIQQ", magic, version, size, 62, 0, 1, 3, flags)
    return packed + bytes(max(0, size - 40))


def record(kind: int, time: int, body: bytes) -> bytes:
    return struct.pack("<IIQ", kind, 16 + len(body), time) + body


def load(time: int, address: int, index: int, name: bytes) -> bytes:
    body = struct.pack("<IIQQQQ", 1, 1, 0x99, address, 0x20, index)
    return record(LOAD, time, body + name + b"\0" + CODE)


def move(time: int, address: int, index: int) -> bytes:
    body = struct.pack("<IIQQQQQ", 1, 1, 0x99, 0x98, address, 0x20, index)
    return record(MOVE, time, body)


DUMP = (
    load(10, 0x1000, 1, b"one()"),
    record(DEBUG_INFO, 11, bytes(100)),
    load(12, 0x1000, 2, b"t\nwo"),
    record(UNWINDING, 12, bytes(24)),
    move(255, 0x2000, 2),
    load(13, 0x3000, 3, b""),
    record(CLOSE, 14, b""),
    record(77, 15, b"of the future"),
    load(16, 0x3000, 4, b"last"),
)
LINES = ["a 1000 20 1 one()", "c 1000 20 2 t wo", "ff 2000 20 2", "10 3000 20 4 last"]


@pytest.mark.parametrize("size", [40, 48])
def test_jitdump_functions_are_saved_with_times(
    looker: Looker, process: subprocess.Popen[bytes], size: int
) -> None:
    told = looker.dump(process.pid, head(size=size) + b"".join(DUMP))
    assert told == Told([], "", [(process.pid, 0, LINES)])


def test_jitdump_times_of_unknown_clock_are_dropped(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    ((_, _, lines),) = looker.dump(process.pid, head(flags=1) + b"".join(DUMP)).dumps
    assert lines == [f"0 {line.split(maxsplit=1)[1]}" for line in LINES]


@pytest.mark.parametrize("cut", [1, 15, 16, 60, len(DUMP[-1]) - 1])
def test_truncated_jitdump_lacks_last_function(
    looker: Looker, process: subprocess.Popen[bytes], cut: int
) -> None:
    told = looker.dump(process.pid, (head() + b"".join(DUMP))[:-cut])
    assert told == Told([], "", [(process.pid, 1, LINES[:-1])])


def test_jitdump_whose_header_is_too_long_is_damaged(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    told = looker.dump(process.pid, head(size=4096)[:48] + DUMP[0])
    assert told == Told([], "", [(process.pid, 1, [])])


def test_jitdump_without_functions_is_not_saved(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    assert looker.dump(process.pid, head() + DUMP[1]) == Told([], "", [])


@pytest.mark.parametrize("size", [0, 15, (1 << 32) - 1])
def test_damaged_jitdump_keeps_earlier_functions(
    looker: Looker, process: subprocess.Popen[bytes], size: int
) -> None:
    damaged = struct.pack("<IIQ", LOAD, size, 1) + bytes(100)
    told = looker.dump(process.pid, head() + DUMP[0] + damaged + DUMP[0])
    assert told == Told([], "", [(process.pid, 1, LINES[:1])])


def test_jitdump_name_ends_with_its_record(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    long, unterminated = b"n" * 9000, DUMP[0][: -len(CODE) - 1]
    unterminated = unterminated[:4] + struct.pack("<I", 61) + unterminated[8:]
    content = head() + load(1, 2, 3, long) + unterminated + DUMP[1] + DUMP[0]
    ((_, _, lines),) = looker.dump(process.pid, content).dumps
    assert lines == [f"1 2 20 3 {'n' * (4096 - 56)}", *2 * LINES[:1]]


def test_amount_of_jitdump_records_is_limited(looker: Looker, tmp_path: Path) -> None:
    dump, nothing = tmp_path / "jit-1.dump", record(CLOSE, 1, b"")
    most = ((1 << 20) - 1) * nothing
    dump.write_bytes(head() + DUMP[0] + most)
    # All files together may have four times as many records.
    pids = range(UNUSED, UNUSED + 5)
    looker.look(*(f"{pid}:{dump}" for pid in pids), *(f"={pid}" for pid in pids))
    full = [(UNUSED + n, 0, LINES[:1]) for n in range(4)]
    assert looker.end().dumps == [*full, (UNUSED + 4, 1, [])]


def test_length_of_jitdump_lines_is_limited(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    names = 13_000 * load(1, 2, 3, 4000 * b"n")
    ((_, flags, lines),) = looker.dump(process.pid, head() + names).dumps
    assert flags == 1 and 0 <= sum(len(one) + 1 for one in lines) - LARGEST < 5000


def test_total_amount_of_functions_is_limited(looker: Looker, tmp_path: Path) -> None:
    dump = tmp_path / "jit-1.dump"
    dump.write_bytes(head() + DUMP[0])
    with ExitStack() as maps:
        for pid in range(UNUSED, UNUSED + 6):
            path = maps.enter_context(perf_map_of(pid))
            path.touch()
            os.truncate(path, LARGEST)
            os.utime(path, (LATE, LATE))
        looker.look(*range(UNUSED, UNUSED + 6), f"{UNUSED}:{dump}", f"={UNUSED}")
    told = looker.end()
    assert [flags for _, flags, _ in told.chunks] == [0, 0, 0, 0, 1, 1]
    most = 5 * LARGEST
    sizes = [8 + len(text) for _, _, text in told.chunks]
    assert most <= sum(sizes) < most + 100
    assert told.dumps == [(UNUSED, 1, [])]


@pytest.mark.parametrize(
    "content,why",
    [
        (b"", "no complete header"),
        (head()[:39], "no complete header"),
        (head(magic=MAGIC + 1), "not a jitdump file"),
        (head(size=39), "not a jitdump file"),
        (head(magic=0x4454694A), "byte order of another machine"),
        (head(version=2), "unknown version"),
    ],
    ids=["empty", "cut", "magic", "size", "swapped", "version"],
)
def test_foreign_jitdump_is_refused(
    looker: Looker, process: subprocess.Popen[bytes], content: bytes, why: str
) -> None:
    told = looker.dump(process.pid, content + b"".join(DUMP) * (len(content) > 39))
    said = f"by process {process.pid} have no names: its jitdump file: {why}\n"
    assert told == Told([], f"pfmon: functions generated {said}", [])


# Proves H33
@AS_ROOT
def test_jitdump_must_be_public_or_of_its_user(looker: Looker, tmp_path: Path) -> None:
    path = tmp_path / "jit-1.dump"
    path.write_bytes(head() + DUMP[0])
    os.chmod(tmp_path, 0o755)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, user=USER) as user:
        for owner, mode, ok in (
            *((USER, 0o600, True), (USER + 1, 0o666, False)),
            *((0, 0o660, False), (0, 0o604, True)),
        ):
            os.chown(path, owner, owner)
            os.chmod(path, mode)
            dump = f"{user.pid}:{path}"
            if ok:
                looker.look(dump, f"={user.pid}")
                assert looker.end() == Told([], "", [(user.pid, 0, LINES[:1])])
            else:
                assert refused(looker, user.pid, dump) == "Operation not permitted"


def test_file_other_than_the_mapped_one_is_not_read(
    looker: Looker, process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    path, fifo = tmp_path / "jit-1.dump", tmp_path / "jit-2.dump"
    path.write_bytes(head() + DUMP[0])
    os.mkfifo(fifo)
    info = path.stat()
    for dump in (
        f"{process.pid}:{tmp_path}/jit-3.dump",
        f"{process.pid}:{fifo}",
        f"{process.pid}:{path}:{info.st_ino + 1}",
        # The file is below pfmon's own root directory, on another device.
        f"{UNUSED}:{path}:{info.st_ino}:ff:ff",
    ):
        pid = int(dump.split(":")[0])
        assert refused(looker, pid, dump) == "No such file or directory"
        # Without samples, there is no reason for a message.
        looker.look(dump)
        assert looker.end() == Told([], "", [])


def test_deleted_jitdump_is_read(looker: Looker, tmp_path: Path) -> None:
    path = tmp_path / "jit-1.dump"
    path.write_bytes(head() + DUMP[0])
    script = (
        "import mmap, os, sys; file = open(sys.argv[1]); os.unlink(sys.argv[1]); "
        "at = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_EXEC); "
        "file.close(); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as mapper:
        assert mapper.stdin and mapper.stdout and mapper.stdout.readline()
        links = Path(f"/proc/{mapper.pid}/map_files")
        if not any(os.access(link, os.R_OK) for link in links.iterdir()):
            pytest.skip("needs CAP_CHECKPOINT_RESTORE")
        looker.look(f"@{mapper.pid}", f"={mapper.pid}")
        mapper.stdin.write(b"\n")
    assert looker.end() == Told([], "", [(mapper.pid, 0, LINES[:1])])


def test_only_jitdumps_of_sampled_processes_are_saved(
    looker: Looker, process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    for name in ("jit-1.dump", "jit-2.dump"):
        (tmp_path / name).write_bytes(head() + DUMP[0])
    dumps = [f"{process.pid}:{tmp_path}/jit-{number}.dump" for number in (1, 2, 1)]
    looker.look(*dumps, f"{os.getpid()}:{tmp_path}/jit-1.dump")
    assert looker.end().dumps == []
    for sampled in f"{process.pid}", f"={process.pid}":
        looker.look(*dumps, sampled)
        assert looker.end().dumps == 2 * [(process.pid, 0, LINES[:1])]


def test_inodes_are_those_of_a_device(
    looker: Looker, process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    dump = tmp_path / "jit-1.dump"
    dump.write_bytes(head() + DUMP[0])
    mapped = f"{process.pid}:{dump}:{dump.stat().st_ino}"
    mappings = [f"{mapped}:08:0{device}" for device in (1, 2, 1)]
    looker.look(*mappings, f"={process.pid}")
    assert looker.end().dumps == 2 * [(process.pid, 0, LINES[:1])]


@AS_ROOT
def test_jitdump_in_changed_root_directory_is_found(
    looker: Looker, tmp_path: Path
) -> None:
    dump = tmp_path / "jit-1.dump"
    dump.write_bytes(head() + DUMP[0])
    script = "import os, sys; os.chroot(sys.argv[1]); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as inside:
        assert inside.stdout and inside.stdout.readline()
        looker.look(f"{inside.pid}:{dump}", f"={inside.pid}")
        inside.kill()
    assert looker.end() == Told([], "", [(inside.pid, 0, LINES[:1])])


@pytest.fixture(name="many")
def fixture_many(tmp_path: Path) -> list[str]:
    """Return 256 jitdump files, of ended processes that mapped eight each."""
    for number in range(256):
        (tmp_path / f"jit-{number}.dump").write_bytes(head() + DUMP[0])
    return [f"{UNUSED + n // 8}:{tmp_path}/jit-{n}.dump" for n in range(256)]


def test_jitdumps_without_samples_leave_room_for_others(
    looker: Looker, process: subprocess.Popen[bytes], path: Path, many: list[str]
) -> None:
    path.write_bytes(TEXT)
    late = f"{UNUSED + 32}:{many[0].split(':')[1]}"
    looker.look(*many, f"={UNUSED}", f"{late}", f"={UNUSED + 32}", process.pid)
    told = looker.end()
    # The oldest files without samples made room for the last ones.
    ids = [*8 * [UNUSED], UNUSED + 32]
    assert told.dumps == [(pid, 0, LINES[:1]) for pid in ids]
    assert (told.chunks, told.said) == ([(process.pid, 0, TEXT)], "")
    sampled = [f"={UNUSED + n}" for n in range(32)]
    for kind, *what in ("perf map", process.pid), ("jitdump file", late, UNUSED + 32):
        looker.look(*many, *sampled, *what)
        told = looker.end()
        assert len(told.dumps) == 256 and told.chunks == []
        assert f"its {kind}: Too many open files" in told.said


def test_process_whose_jitdump_made_room_has_no_names(
    looker: Looker, many: list[str]
) -> None:
    looker.look(f"{UNUSED + 32}:{many[0].split(':')[1]}", *many, f"={UNUSED + 32}")
    told = looker.end()
    assert told.dumps == []
    assert f"by process {UNUSED + 32} have no names: its jitdump file: Too" in told.said


@AS_ROOT
def test_jitdumps_of_a_user_leave_room_for_those_of_others(
    looker: Looker, many: list[str]
) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, user=USER) as user:
        dump = f"{user.pid}:{many[0].split(':')[1]}"
        looker.look(dump, *many, f"={user.pid}")
    assert looker.end() == Told([], "", [(user.pid, 0, LINES[:1])])


def test_replaced_code_has_names_and_times(
    looker: Looker, programs: Path, process: subprocess.Popen[bytes]
) -> None:
    before = time.monotonic_ns()
    with subprocess.Popen([programs / "tests/made_code", "3"]) as made:
        pass
    Path(f"/tmp/perf-{made.pid}.map").unlink()
    path = Path(f"/tmp/jit-{made.pid}.dump")
    looker.look(f"{process.pid}:{path}", f"={process.pid}")
    path.unlink()
    ((_, flags, lines),) = looker.end().dumps
    times, starts, sizes, indices, names = zip(*(line.split() for line in lines))
    assert (made.returncode, flags, set(sizes)) == (0, 0, {"40"})
    assert names == 3 * ("replaced()", "replacing") and indices == tuple("012345")
    assert len(set(starts)) == 1
    moments = [before, *(int(at, 16) for at in times), time.monotonic_ns()]
    assert moments == sorted(moments)
