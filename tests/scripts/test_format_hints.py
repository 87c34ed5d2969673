# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the hints about sources that were written for an older version of the SDK."""

from __future__ import annotations

import subprocess
from pathlib import Path

import format_folder
import format_hints
import pytest

ROOT = Path(__file__).resolve().parents[2]
OLD = b"""\
#include <perfmon/perfmon_fmt_hist.h>
static int old_init(u32 ctx_flags, void *data, void *buf)
{
}
static int notrace old_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
\t\t\t       void *data)
{
\trecord->cpu = data->cpu;
\tpfm_copy_pmds((u64 *)record, arg);
}
static const pfm_buffer_fmt_t fmt = {
\t.fmt_owner\t= THIS_MODULE,
};
"""
SAID = [
    "pfm_fmt_old.c:12: the SDK has changed: leave out .fmt_owner",
    "pfm_fmt_old.c:5: the SDK has changed: the last parameter of fmt_handler is",
    "pfm_fmt_old.c:8: the SDK has changed: the CPU is arg->ovfl_cpu",
    "pfm_fmt_old.c:9: the SDK has changed: pfm_copy_pmds() has a third argument",
    "pfm_fmt_old.c:1: the SDK has changed: this header is gone",
]


def test_each_change_of_the_sdk_is_named() -> None:
    *found, page = format_hints.hints({Path("pfm_fmt_old.c"): OLD})
    assert page == format_hints.PAGE
    assert len(found) == len(SAID) == len(format_hints.HINTS)
    assert all(line.startswith(said) for line, said in zip(found, SAID))


@pytest.mark.parametrize("folder", sorted((ROOT / "examples").glob("format_*")))
def test_examples_use_nothing_old(folder: Path) -> None:
    assert not list(format_hints.hints(format_folder.sources(folder)))


def test_program_prints_hints_of_folder(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("obj-m := pfm_fmt_old.o\n")
    (tmp_path / "pfm_fmt_old.c").write_bytes(OLD)
    done = subprocess.run(
        [ROOT / "scripts/format_hints.py", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stderr.splitlines()[0].startswith(SAID[0])
