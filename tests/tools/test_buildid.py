# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the build IDs that pfmon finds with the notes in the files."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from mappings import build_id, entry_of, printer, running


def test_build_ids_match_readelf(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        chunk = maps.news()
        files = [m for m in chunk["maps"] if m["path"].startswith("/")]
        assert len(files) >= 3
        for mapping in files:
            assert mapping["build_id"] == build_id(Path(mapping["path"]))
        assert re.fullmatch("[0-9a-f]{40}", entry_of(chunk, "[vdso]")["build_id"])


def test_deleted_file_keeps_its_name(programs: Path, cat: Path) -> None:
    expected = build_id(cat)
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        cat.unlink()
        entry = entry_of(maps.news(), str(cat))
        assert entry["build_id"] in (expected, None)


def test_file_without_build_id(programs: Path, cat: Path) -> None:
    subprocess.run(["objcopy", "-R", ".note.gnu.build-id", cat], check=True)
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        entry = entry_of(maps.news(), str(cat))
    assert entry["build_id"] is None and "go_build_id" not in entry
    state = cat.stat()
    assert (entry["size"], entry["mtime_ns"]) == (state.st_size, state.st_mtime_ns)


def test_go_build_id_is_recorded(programs: Path, cat: Path, tmp_path: Path) -> None:
    data = cat.read_bytes()
    at = data.index(b"GNU\0" + bytes.fromhex(build_id(cat) or ""))
    note = struct.pack("<III", 4, 20, 4) + b"Go\0\0" + b"abcd/efgh/ijkl/mnop!"
    cat.write_bytes(data[: at - 12] + note + data[at - 12 + len(note) :])
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        entry = entry_of(maps.news(), str(cat))
    assert (entry["build_id"], entry["go_build_id"]) == (None, "abcd/efgh/ijkl/mnop!")


def test_file_below_dev_has_its_build_id(programs: Path, cat: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        moved = Path(shutil.copy(cat, place))
        with running(bytes(moved)) as pid, printer(programs, pid) as maps:
            assert entry_of(maps.news(), str(moved))["build_id"] == build_id(cat)


def test_program_in_a_memfd_has_its_build_id(programs: Path, cat: Path) -> None:
    memory = os.memfd_create("prog")
    os.write(memory, cat.read_bytes())
    with subprocess.Popen(
        ["cat"], executable=f"/proc/self/fd/{memory}", pass_fds=[memory], stdin=-1
    ) as child, printer(programs, child.pid) as maps:
        assert child.stdin
        entry = entry_of(maps.news(), "/memfd:prog")
        child.stdin.close()
    os.close(memory)
    assert entry["build_id"] == build_id(cat)
