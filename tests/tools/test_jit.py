# SPDX-License-Identifier: MIT OR GPL-2.0
"""What processes tell of the functions that they have made, and who is believed."""

from __future__ import annotations

import os
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from chunks import chunks_of

TEXT = b"7f0000001000 20 made()\n"
LARGEST = 48 << 20


class Told(NamedTuple):
    """The chunks, as (tgid, flags, text), and what was said."""

    chunks: list[tuple[int, int, bytes]]
    said: str


class Looker:
    """Runs jit_writer."""

    def __init__(self, program: Path, capture: Path) -> None:
        self.program = program
        self.capture = capture
        self.process: subprocess.Popen[str] | None = None

    def look(self, *pids: int) -> None:
        """Let it look at the processes."""
        self.process = subprocess.Popen(
            [self.program, self.capture, *map(str, pids)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        assert self.process.stdout.readline() == "looked\n"

    def end(self) -> Told:
        """Let it write the capture."""
        assert self.process
        _, said = self.process.communicate()
        assert self.process.returncode == 0
        chunks = []
        for chunk in chunks_of(self.capture.read_bytes()):
            assert (chunk.kind, chunk.flags) == (b"JITM", 1)
            payload = zlib.decompress(chunk.payload)
            tgid, flags = struct.unpack_from("<II", payload)
            chunks.append((tgid, flags, payload[8:]))
        return Told(chunks, said)


@pytest.fixture(name="looker")
def fixture_looker(programs: Path, tmp_path: Path) -> Looker:
    return Looker(programs / "jit_writer", tmp_path / "capture")


@pytest.fixture(name="process")
def fixture_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.fixture(name="path")
def fixture_path(process: subprocess.Popen[bytes]) -> Iterator[Path]:
    """The place of the process's file."""
    path = Path(f"/tmp/perf-{process.pid}.map")
    yield path
    path.unlink(missing_ok=True)


def test_file_is_written_though_process_and_file_are_gone(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    path.write_bytes(TEXT)
    looker.look(process.pid, process.pid)
    with path.open("ab") as more:
        more.write(TEXT)
    process.kill()
    process.wait()
    path.unlink()
    assert looker.end() == Told([(process.pid, 0, 2 * TEXT)], "")


def test_process_without_a_file_is_none(
    looker: Looker, process: subprocess.Popen[bytes]
) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    looker.look(process.pid, gone.pid)
    assert looker.end() == Told([], "")


def test_long_file_is_cut(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    path.write_bytes(TEXT)
    os.truncate(path, LARGEST + 1)
    looker.look(process.pid)
    ((tgid, flags, text),) = looker.end().chunks
    assert (tgid, flags, len(text)) == (process.pid, 1, LARGEST)
    assert text.startswith(TEXT)


def refused(looker: Looker, process: subprocess.Popen[bytes]) -> str:
    """Nothing must be written, and it is said once; return that."""
    looker.look(process.pid, process.pid)
    told = looker.end()
    assert told.chunks == [] and told.said.count("\n") == 1
    assert f"process {process.pid} has made" in told.said
    return told.said


def test_link_is_not_followed(
    looker: Looker, process: subprocess.Popen[bytes], path: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_bytes(TEXT)
    path.symlink_to(tmp_path / "secret")
    assert "symbolic links" in refused(looker, process)


def test_pipe_is_not_waited_for(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    os.mkfifo(path)
    assert "not permitted" in refused(looker, process)


def test_file_of_somebody_else_is_not_believed(
    looker: Looker, process: subprocess.Popen[bytes], path: Path
) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    path.write_bytes(TEXT)
    os.chown(path, 12345, 12345)
    assert "not permitted" in refused(looker, process)


def test_file_is_that_of_the_process_namespaces(looker: Looker) -> None:
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
            pytest.skip(f"no namespaces here: {outer.stderr.read().strip()}")
        outer.stdout.readline()
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children")
        pid = int(children.read_text())
        assert int(inner) == 1 != pid
        looker.look(pid)
        outer.stdin.write("\n")
    assert looker.end() == Told([(pid, 0, TEXT)], "")
