# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that each file of the core and each format has tests of the same name.

core/NAME.c and unwind/NAME.c have tests/kunit/NAME_kunit.c. If the test needs a real
kernel, they have tests/guest/interface/NAME.c instead. A format has both
tests/kunit/NAME_kunit.c and tests/guest/formats/NAME.c. Variants of a format, NAME32
and NAME64, may share the program in tests/guest.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import expect_none

ROOT = Path(__file__).resolve().parents[2]


def _formats(root: Path) -> Iterator[str]:
    """Yield the names of the formats, one for each directory with a module."""
    for kbuild in sorted(root.glob("formats/*/Kbuild")):
        yield kbuild.parent.name.removesuffix("_bridge")


def without_tests(root: Path) -> list[str]:
    """Return the files and formats without tests, and the missing paths."""
    missing = []
    for source in sorted([*root.glob("core/*.c"), *root.glob("unwind/*.c")]):
        suite = f"tests/kunit/{source.stem}_kunit.c"
        program = f"tests/guest/interface/{source.stem}.c"
        if not (root / suite).is_file() and not (root / program).is_file():
            missing.append(f"{source.relative_to(root)}: neither {suite} nor {program}")
    for name in _formats(root):
        suite = f"tests/kunit/{name}_kunit.c"
        programs = [
            f"tests/guest/formats/{stem}.c"
            for stem in dict.fromkeys((name, name.rstrip("0123456789")))
        ]
        if not (root / suite).is_file():
            missing.append(f"format {name}: no {suite}")
        if not any((root / program).is_file() for program in programs):
            missing.append(f"format {name}: no {' or '.join(programs)}")
    return missing


def test_everything_has_tests_of_its_name() -> None:
    expect_none(without_tests(ROOT))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree in which no test is missing."""
    for name in (
        *("core/one.c", "core/two.c", "unwind/three.c", "formats/plain/Kbuild"),
        *("formats/wide64/Kbuild", "formats/shared/body.h"),
        *("core/two.h", "tests/kunit/three_kunit.c"),
        *("tests/kunit/one_kunit.c", "tests/guest/interface/two.c"),
        *("tests/kunit/plain_kunit.c", "tests/guest/formats/plain.c"),
        *("tests/kunit/wide64_kunit.c", "tests/guest/formats/wide.c"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_whole_tree_is_mirrored(tree: Path) -> None:
    assert without_tests(tree) == []


@pytest.mark.parametrize(
    "gone, said",
    [
        (
            "tests/kunit/one_kunit.c",
            "core/one.c: neither tests/kunit/one_kunit.c "
            "nor tests/guest/interface/one.c",
        ),
        (
            "tests/kunit/three_kunit.c",
            "unwind/three.c: neither tests/kunit/three_kunit.c "
            "nor tests/guest/interface/three.c",
        ),
        (
            "tests/guest/interface/two.c",
            "core/two.c: neither tests/kunit/two_kunit.c "
            "nor tests/guest/interface/two.c",
        ),
        ("tests/kunit/plain_kunit.c", "format plain: no tests/kunit/plain_kunit.c"),
        (
            "tests/guest/formats/wide.c",
            "format wide64: no tests/guest/formats/wide64.c "
            "or tests/guest/formats/wide.c",
        ),
    ],
)
def test_missing_mirror_test_is_found(tree: Path, gone: str, said: str) -> None:
    (tree / gone).unlink()
    assert without_tests(tree) == [said]
