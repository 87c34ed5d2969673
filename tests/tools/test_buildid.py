# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build-ids compared with the notes of the files."""

from __future__ import annotations

import subprocess
from pathlib import Path

from mappings import build_id, entry_of, printer, running


def test_build_ids_match_readelf(programs: Path, cat: Path) -> None:
    with running(bytes(cat)) as pid, printer(programs, pid) as maps:
        chunk = maps.news()
        files = [m for m in chunk["maps"] if m["path"].startswith("/")]
        assert len(files) >= 3
        for mapping in files:
            assert mapping["build_id"] == build_id(Path(mapping["path"]))
        assert entry_of(chunk, "[vdso]")["build_id"] is None


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
