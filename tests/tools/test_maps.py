# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the mappings in a capture with /proc."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mappings import printer, running


def executable_lines(pid: int) -> list[tuple[int, int, int]]:
    found = []
    for line in Path(f"/proc/{pid}/maps").read_bytes().splitlines():
        addresses, flags, offset = line.split()[:3]
        if flags[2:3] == b"x":
            start, end = addresses.split(b"-")
            found.append((int(start, 16), int(end, 16), int(offset, 16)))
    return found


def test_executable_mappings_match_proc_maps(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        chunk = maps.news()
        found = [(m["start"], m["end"], m["offset"]) for m in chunk["maps"]]
        assert {m["prot"][2:] for m in chunk["maps"]} == {"xp"}
        assert found == executable_lines(pid)
        assert chunk["tgid"] == pid
        assert chunk["comm"] == "cat"


def test_data_mappings_are_reported_on_request(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid, printer(programs, pid, "data") as maps:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
        told = maps.news()["maps"]
        assert [
            f"{m['start']:x}-{m['end']:x} {m['prot']} {m['offset']:08x}" for m in told
        ] == [" ".join(line.split()[:3]) for line in lines]
        assert {"[heap]", "[stack]", ""} <= {m["path"] for m in told}
        # All mappings of a file have the same build ID.
        ids = {m["build_id"] for m in told if m["path"] == str(cat)}
        assert len(ids) == 1 and None not in ids


def test_new_data_mapping_is_reported(programs: Path) -> None:
    grows = "import mmap, sys; print(flush=True); sys.stdin.readline();"
    grows += "m = mmap.mmap(-1, 1 << 24); print(flush=True); sys.stdin.readline()"
    with subprocess.Popen(
        [sys.executable, "-c", grows], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child, printer(programs, child.pid) as code, printer(
        programs, child.pid, "data"
    ) as data:
        assert child.stdin and child.stdout
        child.stdout.readline()
        assert code.news() and data.news()
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        assert code.news() is None
        assert data.news()
        child.stdin.write(b"\n")
        child.stdin.flush()


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


def test_mappings_are_reported_once(programs: Path) -> None:
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


def test_ended_process_has_no_mappings(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid:
        pass
    with printer(programs, pid) as maps:
        assert maps.news() is None


@pytest.mark.parametrize(
    "name",
    [b"caf\xe9", b"a\\012b", b"a\nb", b"a\n\\012b", b"x (deleted)", b"\\134 \\"],
)
@pytest.mark.parametrize("deleted", [False, True])
def test_path_is_recorded_as_it_is(
    name: bytes, deleted: bool, programs: Path, cat: Path
) -> None:
    path = bytes(cat.parent) + b"/" + name
    cat.rename(os.fsdecode(path))
    with running(path) as pid, printer(programs, pid) as maps:
        if deleted:
            os.unlink(path)
        chunk = maps.news()
    paths = [exact(m, "path") for m in chunk["maps"]]
    assert path in paths
    # Only a path that is not valid UTF-8 has the member "path_bytes".
    (entry,) = [m for m in chunk["maps"] if exact(m, "path") == path]
    assert ("path_bytes" in entry) is (name == b"caf\xe9")
    assert entry["build_id"]


# Map a file as code and another one as data, and delete both files.
MAPS_DELETED = """
import mmap, os, sys
kept = []
for path, prot in (sys.argv[1], mmap.PROT_EXEC), (sys.argv[2], 0):
    with open(path, "rb") as file:
        prot |= mmap.PROT_READ
        kept.append(mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, prot))
    os.unlink(path)
print(flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize(("option", "told"), [("tables", 1), ("data", 0)])
def test_deleted_library_without_table_is_reported_once(
    programs: Path, cat: Path, tmp_path: Path, option: str, told: int
) -> None:
    # Root must not be able to open deleted files through /proc/PID/map_files, so drop
    # the capabilities for this.
    capability = "--bounding-set=-checkpoint_restore,-sys_admin"
    prefix = ("setpriv", capability) if os.geteuid() == 0 else ()
    other = tmp_path / "other"
    shutil.copy(cat, other)
    with (tmp_path / "said").open("w+") as said, subprocess.Popen(
        [sys.executable, "-c", MAPS_DELETED, cat, other],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdin and child.stdout
        child.stdout.readline()
        pid = child.pid
        with printer(programs, pid, option, prefix=prefix, stderr=said) as maps:
            assert maps.news()
        said.seek(0)
        text = f"call chains through {cat} are incomplete: process {pid} uses this file"
        assert said.read().count(text) == told
        child.stdin.close()


def exact(entry: Any, member: str) -> bytes:
    """Return the exact bytes of a text in JSON."""
    found = entry.get(f"{member}_bytes")
    text: str = entry[member]
    return text.encode() if found is None else bytes.fromhex(found)


@pytest.mark.parametrize("name", [b"a\nb", b"a\n", b"\xff\x1b[2J"])
def test_name_is_recorded_as_it_is(name: bytes, programs: Path) -> None:
    code = f"open('/proc/self/comm', 'wb').write({name!r}); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child, printer(programs, child.pid) as maps:
        assert child.stdin and child.stdout
        child.stdout.readline()
        assert exact(maps.news(), "comm") == name
        child.stdin.write(b"\n")
        child.stdin.flush()
