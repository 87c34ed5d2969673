# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/kunit.py without building a kernel.

The tests check its exit status, how it updates source files, and its messages about
missing programs.
"""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import kernel_source
import kunit
import packages
import pytest

DONE = "[09:00:00] Testing complete. Ran {} tests: {}\n"
CLEAN = "TAP version 14\n"
SPLAT = "BUG: KASAN: slab-out-of-bounds in pfm_x\n"


@pytest.mark.parametrize(
    ("report", "log", "status", "said"),
    [
        (DONE.format(3, "passed: 3"), CLEAN, 0, "3 passed, 0 failed, 0 skipped\n"),
        (DONE.format(3, "passed: 2, skipped: 1"), CLEAN, 0, "2 passed, 0 failed, 1 s"),
        (DONE.format(3, "passed: 2, failed: 1"), CLEAN, 1, "2 passed, 1 failed"),
        (DONE.format(3, "passed: 2, crashed: 1"), CLEAN, 1, "2 passed, 1 failed"),
        (DONE.format(3, "passed: 3, errors: 1"), CLEAN, 1, "3 passed, 1 failed"),
        (DONE.format(3, "passed: 3"), SPLAT, 1, "reported an error: BUG: KASAN"),
        (DONE.format(3, "skipped: 3"), CLEAN, 1, "no test ran\n0 passed"),
        (DONE.format(0, ""), CLEAN, 1, "no test ran\n"),
        ("make: *** [vmlinux] Error 1\n", CLEAN, 1, "no test ran\n"),
        ("", "", 1, "no test ran\n"),
        # Only the last summary in the output counts.
        (
            DONE.format(1, "passed: 1") + DONE.format(2, "failed: 2"),
            CLEAN,
            1,
            "0 passed, 2 failed",
        ),
    ],
)
def test_kunit_status_needs_tests_that_pass(
    report: str, log: str, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kunit._conclude(report, log, Path("log")) == status
    assert said in capsys.readouterr().out


def test_kunit_rewrites_changed_files_only(tmp_path: Path) -> None:
    old, gone = tmp_path / "core/a.c", tmp_path / "gone/b.c"
    for path in (old, gone):
        path.parent.mkdir()
        path.write_text("a")
    other = tmp_path / "other link"
    other.hardlink_to(old)
    before = old.stat().st_ino
    kunit.update(tmp_path, {Path("core/a.c"): b"a", other.relative_to(tmp_path): b"a"})
    assert old.stat().st_ino == before and not gone.parent.exists()
    kunit.update(tmp_path, {Path("core/a.c"): b"b", other.relative_to(tmp_path): b"a"})
    assert (old.read_text(), other.read_text()) == ("b", "a")


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        ("machine", "runs on x86_64 only, not on riscv64"),
        ("program", "run 'apt-get install [a-z -]+'$"),
        ("source", "run 'apt-get install linux-source-6.12'$"),
        ("", ""),
    ],
)
def test_kunit_names_what_is_missing(
    lacks: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = "riscv64" if lacks == "machine" else "x86_64"
    program = None if lacks == "program" else "/bin/x"
    version = None if lacks == "source" else "6.12"
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(shutil, "which", lambda name: program)
    monkeypatch.setattr(packages, "installed_version", lambda name: version)
    if not lacks:
        kunit._need_programs()
        return
    with pytest.raises(kernel_source.SourceError, match=said):
        kunit._need_programs()
