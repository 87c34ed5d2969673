# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find mapped files, and limit the number of files that stay open."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from helpers.programs import Program, compiled, run
from pfmparse.symbols import files
from pfmparse.symbols.files import Files
from pfmparse.symbols.location import SymbolOptions


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compiled(tmp_path_factory.mktemp("bin") / "hotspots")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def found(said: list[str]) -> Files:
    return Files(SymbolOptions(), said.append)


def descriptors() -> int:
    """Return the number of open files, after collecting unreachable objects."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def test_file_in_perfs_cache_is_found_by_build_id(
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    found: Files,
    said: list[str],
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    text = program.build_id
    kept = tmp_path / ".debug/.build-id" / text[:2] / text[2:] / "elf"
    kept.parent.mkdir(parents=True)
    shutil.copy(program.path, kept)
    file = found.open(bytes.fromhex(text), ["/gone/hotspots (deleted)"])
    assert file is not None and file.build_id() == bytes.fromhex(text)
    # The file in the cache has another build ID, so it is not used.
    other = kept.parents[2] / "01" / ("01" * 19) / "elf"
    other.parent.mkdir(parents=True)
    shutil.copy(program.path, other)
    assert found.open(b"\x01" * 20, ["/gone/hotspots"]) is None
    assert len(said) == 1 and "/gone/hotspots" in said[0]


def test_file_is_shared_by_all_its_names(program: Program, found: Files) -> None:
    build_id = bytes.fromhex(program.build_id)
    first = found.open(build_id, [str(program.path)])
    assert first is not None
    assert found.open(build_id, ["/other/name"]) is first
    assert found.open(None, [str(program.path)]) is not first


def test_debug_information_is_found_below_symfs(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = program.build_id
    run("strip", "-o", tmp_path / "hotspots", program.path)
    debug = tmp_path / "usr/lib/debug/.build-id" / text[:2] / f"{text[2:]}.debug"
    debug.parent.mkdir(parents=True)
    run("objcopy", "--only-keep-debug", program.path, debug)
    at = np.array([program.address("hot")], np.uint64)
    monkeypatch.chdir(tmp_path)
    for symfs in (str(tmp_path), "."):
        found = Files(SymbolOptions(symfs=[symfs]), print)
        file = found.open(bytes.fromhex(text), ["/gone/hotspots"])
        assert file is not None
        assert [f and f.name for f in file.functions(at)] == ["hot"]


def test_renamed_file_is_found_below_symfs_by_build_id(
    program: Program, tmp_path: Path
) -> None:
    shutil.copy(program.path, tmp_path / "renamed")
    symfs = ["/nonexistent", str(tmp_path)]
    found = Files(SymbolOptions(symfs=symfs), print)
    build_id = bytes.fromhex(program.build_id)
    file = found.open(build_id, ["/gone/hotspots"])
    assert file is not None and file.build_id() == build_id


# pytest's warning about an exception that ctypes has dropped is an error.
@pytest.mark.filterwarnings("error")
def test_deleted_debug_file_leaves_the_symbols(
    program: Program, tmp_path: Path, found: Files
) -> None:
    stripped = tmp_path / "hotspots"
    run("strip", "--strip-debug", "-o", stripped, program.path)
    file = found.open(bytes.fromhex(program.build_id), [str(stripped)])
    assert file is not None
    file.debug_file = str(tmp_path / "gone")
    at = np.array([program.address("hot")], np.uint64)
    assert file.lines(at) == [None]
    assert [f and f.name for f in file.functions(at)] == ["hot"]


def test_least_recently_used_files_are_closed(
    program: Program, found: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "OPEN", 3)
    paths = [str(tmp_path / str(number)) for number in range(6)]
    for path in paths:
        shutil.copy(program.path, path)
    first = found.open(None, paths[:1])
    for path in paths[1:3]:
        found.open(None, [path])
    before = descriptors()
    for path in paths[3:]:
        assert found.open(None, paths[:1]) is first
        found.open(None, [path])
        assert descriptors() == before


def test_file_in_use_is_not_closed(
    program: Program, found: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "OPEN", 1)
    shutil.copy(program.path, tmp_path / "other")
    first = found.open(None, [str(program.path)])
    assert first is not None
    assert found.open(None, [str(tmp_path / "other")]) is not None
    at = np.array([program.address("hot")], np.uint64)
    assert first.functions(at)[0] and first.lines(at)[0]
    assert found.open(None, [str(program.path)]) is not first


def test_missing_file_is_reported_and_searched_once(
    found: Files, said: list[str], program: Program
) -> None:
    build_id = bytes.fromhex(program.build_id)
    for _ in range(2):
        assert found.open(build_id, ["/gone"]) is None
    # The file may exist under another name, which is tried later.
    assert found.open(build_id, ["/gone", str(program.path)]) is not None
    (complaint,) = said
    assert complaint.startswith("/gone cannot be read, so its symbols are missing: ")
    assert "--symfs" in complaint


def test_missing_file_with_two_names_is_reported_once(
    found: Files, said: list[str]
) -> None:
    for paths in (["/gone"], ["/gone", "/lost"], ["/gone", "/lost"]):
        assert found.open(b"\x01", paths) is None
    assert len(said) == 1 and said[0].startswith("/gone cannot be read")


def test_file_is_found_without_a_home(
    program: Program, found: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", fail)
    path = str(program.path)
    assert found.open(bytes.fromhex(program.build_id), [path]) is not None
    assert found.open(b"\x01" * 20, [path]) is None


@pytest.mark.parametrize("path", ["", "[vdso]", "[heap]"])
def test_mapping_without_path_has_no_file(
    path: str, found: Files, said: list[str]
) -> None:
    assert found.open(None, [path]) is None
    assert said == []
