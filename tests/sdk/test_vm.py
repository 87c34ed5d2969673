# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test pfm-vm with an out-of-tree format and a program in the guest."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import build_parts
import host
import pytest
import verdict
from installed_sdk import Sdk

PROGRAM = """
#include <stdio.h>
int main(void)
{
    puts("a program of mine");
    return 0;
}
"""
IN_GUEST = """
grep -o '^pfm_fmt_[pa][a-z]*' /proc/modules
mine
pfmon -e page-faults --long-smpl-periods=1 --smpl-module=plain -o $OUT/mine.cap true
exit 7
"""


def test_format_and_program_run_in_guest(
    sdk: Sdk, folder: Path, tmp_path: Path
) -> None:
    reason = build_parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)
    before = sorted(folder.iterdir())
    (tmp_path / "mine.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-o", "mine", "mine.c"], cwd=tmp_path, check=True)
    words: list[str | Path] = [
        "--kernel",
        host.kernel(),
        "--format",
        folder,
        "--out",
        tmp_path / "out",
    ]
    words += ["--program", tmp_path / "mine", "--", "sh", "-c", IN_GUEST]
    done = sdk.vm(*words, cwd=tmp_path)
    assert done.returncode == 7, done.stdout + done.stderr
    assert "pfm_fmt_plain\n" in done.stdout and "pfm_fmt_area\n" in done.stdout
    assert "a program of mine\n" in done.stdout
    assert (tmp_path / "out/mine.cap").stat().st_size > 0
    assert sorted(folder.iterdir()) == before


FILTER = """
for min in "$@"; do
    pfmon -e page-faults,cpu-clock --long-smpl-periods=1 --smpl-module=threshold \
        --smpl-arg=min=$min -o $OUT/$min.cap sh -c 'ls /lib >/dev/null' || exit
done
"""
SUMMARY = re.compile(
    r"(\d+) samples, 0 lost(?:, (\d+) skipped)?, .*/(\d+)\.cap", re.MULTILINE
)


def test_filter_skips_samples_below_threshold(sdk: Sdk, tmp_path: Path) -> None:
    reason = build_parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)
    least, most = "0", str(10**15)
    words: list[str | Path] = ["--kernel", host.kernel(), "--out", tmp_path]
    words += ["--format", sdk.share / "examples/format_threshold"]
    done = sdk.vm(*words, "--", "sh", "-c", FILTER, "filter", least, most)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    summaries = {found[2]: found[:2] for found in SUMMARY.findall(said)}
    recorded, skipped = summaries[least]
    assert int(recorded) > 0 and not skipped
    recorded, skipped = summaries[most]
    assert int(recorded) == 0 and int(skipped) > 0
    info = sdk.run(
        [sdk.prefix / "bin/pfmparse", "info", tmp_path / f"{most}.cap"],
        tmp_path,
        sdk.python,
    )
    assert f"skipped samples: {skipped}\n" in info.stdout, info.stdout + info.stderr


def refused(sdk: Sdk, *words: str | Path) -> str:
    """Run pfm-vm with invalid arguments; return its error message."""
    done = sdk.vm(*words, "--", "true")
    assert (done.returncode, done.stdout) == (verdict.SETUP, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def test_missing_input_is_named(sdk: Sdk, tmp_path: Path) -> None:
    for option in ("--format", "--program", "--modules-dir", "--add"):
        assert "/nonexistent" in refused(sdk, option, "/nonexistent")
    (tmp_path / "text").write_text("no program\n")
    assert "text' is not an executable" in refused(sdk, "--program", tmp_path / "text")


def test_unknown_kernel_lists_known_ones(sdk: Sdk) -> None:
    said = refused(sdk, "--kernel", "2.6.30")
    assert "no kernel '2.6.30' for x86_64; choose one of: 6.1, 6.12" in said


def test_formats_need_perfmon_s_modules(sdk: Sdk, folder: Path) -> None:
    said = refused(sdk, "--format", folder, "--no-modules")
    assert "--format needs perfmon's modules" in said


def test_a_command_is_needed(sdk: Sdk) -> None:
    done = sdk.vm("--kernel", "6.1")
    assert done.returncode == verdict.SETUP
    assert done.stderr.startswith("usage: pfm-vm [OPTION]... -- COMMAND")
