# SPDX-License-Identifier: MIT OR GPL-2.0
"""The mappings in a capture against /proc, and build-ids against the files' notes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


class Printer:
    """Asks maps_printer, again and again, what is new of one process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def news(self) -> Any:
        """Return the decoded chunk, None if nothing is new."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "maps_printer died"
        return json.loads(line) if line.strip() else None


@contextmanager
def printer(programs: Path, pid: int) -> Iterator[Printer]:
    with subprocess.Popen(
        [programs / "maps_printer", str(pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        yield Printer(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait() == 0


@contextmanager
def running(program: bytes) -> Iterator[int]:
    """Run a copy of cat that waits for input, and give its pid."""
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b"x")
        process.stdin.flush()
        process.stdout.read(1)
        try:
            yield process.pid
        finally:
            process.kill()


def executable_lines(pid: int) -> list[tuple[int, int, int]]:
    found = []
    for line in Path(f"/proc/{pid}/maps").read_bytes().splitlines():
        addresses, flags, offset = line.split()[:3]
        if flags[2:3] == b"x":
            start, end = addresses.split(b"-")
            found.append((int(start, 16), int(end, 16), int(offset, 16)))
    return found


def build_id(path: Path) -> str | None:
    notes = subprocess.run(
        ["readelf", "--notes", path], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    return found.group(1) if found else None


@pytest.fixture(name="cat")
def fixture_cat(tmp_path: Path) -> Path:
    """Return a program of our own that can be renamed and deleted."""
    return Path(shutil.copy("/bin/cat", tmp_path / "cat"))


def entry_of(chunk: Any, path: str) -> Any:
    (entry,) = [entry for entry in chunk["maps"] if entry["path"] == path]
    return entry


def test_executable_mappings_are_those_of_proc(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        chunk = maps.news()
        found = [(m["start"], m["end"], m["offset"]) for m in chunk["maps"]]
        assert found == executable_lines(pid)
        assert chunk["tgid"] == pid
        assert chunk["comm"] == "cat"


def test_build_ids_are_those_of_the_files(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        chunk = maps.news()
        files = [m for m in chunk["maps"] if m["path"].startswith("/")]
        assert len(files) >= 3
        for mapping in files:
            assert mapping["build_id"] == build_id(Path(mapping["path"]))
        assert entry_of(chunk, "[vdso]")["build_id"] is None


RENAMES_ITSELF = """
import mmap, sys
print(flush=True)
sys.stdin.readline()
open("/proc/self/comm", "w").write("renamed")
print(flush=True)
sys.stdin.readline()
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)
print(flush=True)
sys.stdin.readline()
"""


def test_nothing_is_told_twice(programs: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RENAMES_ITSELF],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child, printer(programs, child.pid) as maps:
        assert child.stdin and child.stdout
        child.stdout.readline()
        before = maps.news()
        assert maps.news() is None
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        assert maps.news() == {**before, "comm": "renamed"}
        assert maps.news() is None
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        assert len(maps.news()["maps"]) == len(before["maps"]) + 1
        assert maps.news() is None
        child.stdin.write(b"\n")
        child.stdin.flush()


def test_process_that_is_gone_is_no_news(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid:
        pass
    with printer(programs, pid) as maps:
        assert maps.news() is None


def test_deleted_file_keeps_its_name(programs: Path, cat: Path) -> None:
    expected = build_id(cat)
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        cat.unlink()
        entry = entry_of(maps.news(), str(cat))
        assert entry["build_id"] in (expected, None)


def test_file_without_build_id(programs: Path, cat: Path) -> None:
    subprocess.run(["objcopy", "-R", ".note.gnu.build-id", cat], check=True)
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        assert entry_of(maps.news(), str(cat))["build_id"] is None


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"new\nline", "new\nline"),
        (b"two  words", "two  words"),
        ("grün".encode(), "grün"),
        (b"latin-\xfc", "latin-?"),
        (b"cut-\xe2\x82", "cut-??"),
        (b"surrogate-\xed\xa0\x80", "surrogate-???"),
        (b'quote"', 'quote"'),
    ],
)
def test_odd_names_give_valid_text(
    programs: Path, tmp_path: Path, cat: Path, name: bytes, shown: str
) -> None:
    odd = bytes(tmp_path) + b"/" + name
    os.rename(cat, odd)
    with running(odd) as pid, printer(programs, pid) as maps:
        assert entry_of(maps.news(), f"{tmp_path}/{shown}")["build_id"]
