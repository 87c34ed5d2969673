# SPDX-License-Identifier: MIT OR GPL-2.0
"""Fill the kernel's set of unwind tables from files and from the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from errno import EINVAL, ENOENT, ENOMEM
from pathlib import Path

import pytest

BUILD_ID = "0123abcd"
COMPILED = "compiled"


class Adder:
    """Run table_adder with a file, and return what is printed.

    A call of the object runs it twice, so that the second run can use the cache.
    """

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.file = folder / "file"
        self.file.write_bytes(program.read_bytes())
        self.base = folder / "cache"
        self.cache = self.base / "perfmon/unwind"
        self.said = ""

    def __call__(
        self, *, error: int = 0, build_id: str = BUILD_ID, **environment: str
    ) -> list[str]:
        first = self.load(self.file, error=error, build_id=build_id, **environment)
        return first + self.load(
            self.file, error=error, build_id=build_id, **environment
        )

    def load(
        self, *files: Path, error: int = 0, build_id: str = BUILD_ID, **environment: str
    ) -> list[str]:
        """Load the tables of files into one set; return what is printed."""
        environment = {"XDG_CACHE_HOME": str(self.base), **environment}
        done = subprocess.run(
            [self.program, str(error), build_id, *files],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.said = done.stderr
        return done.stdout.splitlines()

    def copies(self, count: int) -> list[Path]:
        """Return copies of the program."""
        files = [self.file.with_name(f"copy{number}") for number in range(count)]
        for file in files:
            shutil.copy(self.file, file)
        return files

    def cached(self) -> Path:
        """Return the only file in the cache."""
        (path,) = self.cache.iterdir()
        return path


@pytest.fixture(name="add")
def fixture_add(programs: Path, tmp_path: Path) -> Adder:
    return Adder(programs / "table_adder", tmp_path)


def test_table_is_compiled_once(add: Adder) -> None:
    first = add()
    size = f"{add.cached().stat().st_size} bytes"
    assert first == [COMPILED, size, size]
    assert add() == [size, size]
    assert add.cache.stat().st_mode & 0o777 == 0o700
    assert add.said == ""


@pytest.mark.parametrize("size", [0, 8, 1000])
def test_cut_table_is_compiled_again(add: Adder, size: int) -> None:
    first = add()
    os.truncate(add.cached(), size)
    assert add() == first


def test_table_that_kernel_refuses_is_compiled_again(add: Adder) -> None:
    first = add()
    whole = add.cached().read_bytes()
    add.cached().write_bytes(bytes(4) + whole[4:])
    assert add() == [first[1], *first]
    assert add.cached().read_bytes() == whole


def test_table_of_another_compiler_is_compiled_again(add: Adder) -> None:
    first = add()
    build_id, compiler = add.cached().name.split("-")
    assert build_id == BUILD_ID
    add.cached().rename(add.cache / f"{BUILD_ID}-{'0' * len(compiler)}")
    assert add() == first


def test_table_is_loaded_once_into_a_set(add: Adder) -> None:
    linked = add.file.with_name("linked")
    linked.hardlink_to(add.file)
    loaded = add.load(add.file, linked, add.file, build_id="")
    assert loaded.count(COMPILED) == 1


def test_tables_of_any_number_are_loaded(add: Adder) -> None:
    assert add.load(*add.copies(150), build_id="").count(COMPILED) == 150


@pytest.mark.parametrize(("files", "told"), [(1, 0), (2, 1), (4, 1)])
def test_long_compilation_is_reported_once(add: Adder, files: int, told: int) -> None:
    add.load(*add.copies(files), build_id="")
    assert add.said.count("compiling unwind tables; the next run") == told


@pytest.mark.parametrize("build_id", ["", "012345"])
def test_table_without_unique_build_id_is_not_cached(build_id: str, add: Adder) -> None:
    assert add(build_id=build_id).count(COMPILED) == 2
    assert not any(add.cache.iterdir())


def test_mappings_are_read_after_tables_are_loaded(add: Adder) -> None:
    first = add.load(add.file)
    changed = add.load(add.file, CHANGED="1")
    assert changed == [*first[1:], "process 1", "process 1"]


DAY = 24 * 3600


def age(path: Path, days: int) -> None:
    """Set a file's times to ``days`` days ago."""
    then = time.time() - days * DAY
    os.utime(path, (then, then))


def test_table_not_used_for_a_week_is_deleted(add: Adder) -> None:
    add()
    table = add.cached()
    age(table, 8)
    for name, days in {"used": 6, "unused": 8, "temporary.17": 8}.items():
        (add.cache / name).touch()
        age(add.cache / name, days)
    assert add().count(COMPILED) == 0
    assert set(add.cache.iterdir()) == {table, add.cache / "used"}


def test_file_of_killed_pfmon_is_replaced(add: Adder) -> None:
    add()
    path = add.cached()
    path.unlink()
    script = 'touch "$1.$$"; exec "$2" 0 "$3" "$4"'
    subprocess.run(
        ["/bin/sh", "-c", script, "sh", path, add.program, BUILD_ID, add.file],
        env={"XDG_CACHE_HOME": str(add.base)},
        check=True,
    )
    assert add.cached() == path


def test_cache_is_in_home_by_default(add: Adder) -> None:
    add(XDG_CACHE_HOME="relative", HOME=str(add.base.parent))
    assert any((add.base.parent / ".cache/perfmon/unwind").iterdir())


def test_table_needs_no_cache(add: Adder) -> None:
    assert add(XDG_CACHE_HOME="/proc").count(COMPILED) == 2
    assert add.said == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("folder", [".", "perfmon", "perfmon/unwind"])
def test_cache_of_another_user_is_not_used(add: Adder, folder: str) -> None:
    add()
    os.chown(add.base / folder, 1, 1)
    assert add().count(COMPILED) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("exists", [False, True])
def test_nothing_is_made_for_another_user(add: Adder, exists: bool) -> None:
    home = add.base.parent / "home"
    folder = home / ".cache" if exists else home
    folder.mkdir(parents=True)
    os.chown(folder, 1, 1)
    assert add(XDG_CACHE_HOME="", HOME=str(home)).count(COMPILED) == 2
    assert not any(folder.iterdir())


@pytest.mark.parametrize("folder", [".", "perfmon", "perfmon/unwind"])
def test_cache_that_others_can_write_is_not_used(add: Adder, folder: str) -> None:
    add()
    (add.base / folder).chmod(0o720)
    assert add().count(COMPILED) == 2


@pytest.mark.parametrize("folder", ["perfmon", "perfmon/unwind"])
def test_links_in_cache_are_not_followed(add: Adder, folder: str) -> None:
    add()
    (add.base / folder).rename(add.base / "elsewhere")
    (add.base / folder).symlink_to(add.base / "elsewhere")
    assert add().count(COMPILED) == 2


def test_cache_base_can_be_a_link(add: Adder) -> None:
    (add.base.parent / "elsewhere").mkdir(mode=0o700)
    add.base.symlink_to("elsewhere")
    add()
    assert add.cached().is_file()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_file_of_another_user_is_not_cached(add: Adder) -> None:
    os.chown(add.file, 1, 1)
    assert add().count(COMPILED) == 2
    assert not any(add.cache.iterdir())


def test_lack_of_memory_ends_compilation(add: Adder) -> None:
    assert add.load(*add.copies(3), error=ENOMEM).count(COMPILED) == 1
    assert add.said.count("raise the locked-memory limit (ulimit -l)") == 1


def test_refusal_of_one_table_is_not_reported(add: Adder) -> None:
    assert add(error=EINVAL).count(COMPILED) == 2
    assert add.said == ""


def test_module_of_other_version_is_explained(add: Adder) -> None:
    assert add.load(add.file, OLD="1") == []
    assert add.said.count("the module pfm_unwind is older or newer than pfmon") == 1


def test_missing_device_is_explained(add: Adder) -> None:
    assert add(error=ENOENT) == []
    assert "so call chains follow frame pointers" in add.said
    assert "modprobe pfm_unwind" in add.said
