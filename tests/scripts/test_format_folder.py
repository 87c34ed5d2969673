# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the sources in the folder of an out-of-tree format."""

from __future__ import annotations

from pathlib import Path

import format_folder
import pytest


def test_format_sources_exclude_build_results(tmp_path: Path) -> None:
    for name in (
        *("mine.c", "part/body.h", "mine_kunit.c", "Makefile"),
        *("mine.mod.c", "mine.o", "mine.ko", ".git/x.c", "README.md"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "Makefile").write_text("obj-m := mine.o\n")
    found = format_folder.sources(tmp_path)
    assert set(map(str, found)) == {"mine.c", "part/body.h", "mine_kunit.c", "Kbuild"}
    assert format_folder.suites(found) == ["mine_kunit.o"]


@pytest.mark.parametrize(
    "line", ["include /usr/share/perfmon/format.mk", "include $(PERFMON_SDK)/format.mk"]
)
def test_format_makefile_drops_sdk_include(tmp_path: Path, line: str) -> None:
    (tmp_path / "Makefile").write_text(f"obj-m := mine.o\n{line}\nccflags-y += -O1\n")
    kbuild = format_folder.sources(tmp_path)[Path("Kbuild")]
    assert kbuild == b"obj-m := mine.o\n\nccflags-y += -O1\n"


def test_kbuild_is_preferred(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n")
    (tmp_path / "Kbuild").write_text("obj-m += mine.o\n")
    assert format_folder.sources(tmp_path)[Path("Kbuild")] == b"obj-m += mine.o\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "neither a Makefile nor a Kbuild"), ("all:\n", "names no module")],
)
def test_folder_without_format_is_refused(
    tmp_path: Path, text: str | None, said: str
) -> None:
    if text:
        (tmp_path / "Makefile").write_text(text)
    with pytest.raises(format_folder.FolderError, match=said):
        format_folder.sources(tmp_path)
