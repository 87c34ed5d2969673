# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report why a context cannot be created."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from namespaces import run_with
from pfmon import ERROR, SAMPLING, without_kernel
from refused import complaint_of_context

DEFAULT = "d139b29e-62e8-40e4-b402-73078792e937"
MINE = "00000000-0000-0000-0000-00000000000a"
PEBS = (*SAMPLING, "--smpl-module=pebs64")
RAW_TIME = (*SAMPLING, "--smpl-raw-time")


@pytest.mark.parametrize(
    ("error", "options", "complaint"),
    [
        (errno.EPERM, SAMPLING, "not allowed to measure: "),
        (errno.ENODEV, SAMPLING, "no PMU description: load one with modprobe pfm_pmu"),
        (errno.EINVAL, SAMPLING, "format default is not registered: load its module"),
        (errno.E2BIG, SAMPLING, "default, 64 bytes, is larger than /sys/kernel/perfm"),
        (errno.EOPNOTSUPP, SAMPLING, "default does not work on this architecture; see"),
        (errno.EOPNOTSUPP, RAW_TIME, "for raw time stamps: omit --smpl-raw-time"),
        (errno.EOPNOTSUPP, PEBS, "pebs64 needs precise events that record registers"),
        (errno.ENOMEM, SAMPLING, "sampling buffer: lower --smpl-entries, or raise the"),
        (errno.ENOMEM, ("-e", "cs"), "cannot create a context: Cannot allocate memory"),
    ],
)
def test_refused_context_is_explained(
    programs: Path, error: int, options: tuple[str, ...], complaint: str
) -> None:
    without_kernel()
    assert complaint in complaint_of_context(programs, *options, create=error)


@pytest.mark.parametrize(
    ("size", "options", "complaint"),
    [
        (64, ("--smpl-module=default",), ": check --smpl-entries and the PMDs to"),
        (0, (f"--smpl-module={MINE}",), ", which is empty; if the format itself is"),
        (
            *(1, (f"--smpl-module={MINE}", "--smpl-arg=00")),
            ", the bytes of --smpl-arg; if the format itself is faulty, the kernel log",
        ),
    ],
)
def test_rejected_argument_is_described(
    programs: Path, tmp_path: Path, size: int, options: tuple[str, ...], complaint: str
) -> None:
    for uuid in (DEFAULT, MINE):
        (tmp_path / f"perfmon/formats/{uuid}").mkdir(parents=True)
        (tmp_path / f"perfmon/formats/{uuid}/arg_size").write_text(f"{size}\n")
    words = (str(errno.EINVAL), "0", "0", "-1", "0", *SAMPLING, *options, "true")
    run = run_with({"/sys/kernel": tmp_path}, programs / "context_refuser", *words)
    assert run.returncode == ERROR
    assert f"rejects its argument{complaint}" in run.stderr


def test_missing_data_source_is_explained(programs: Path) -> None:
    without_kernel()
    options = (*SAMPLING, "--smpl-pmds=addr,latency,source")
    said = complaint_of_context(programs, *options, load=errno.ENODATA)
    assert "cannot record data sources on this CPU: use --smpl-pmds=addr,lat" in said


def test_removed_control_group_is_explained(programs: Path, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"none {tmp_path} cgroup2 rw 0 0\n")
    words = ("0", "0", "-1", "0", "--system-wide", "-e", "cs", "--cgroup=/,/")
    files = {"/proc/$$/mounts": mounts}
    run = run_with(files, programs / "context_refuser", str(errno.EBADF), *words)
    assert run.returncode == ERROR
    assert "--cgroup=/,/: one of these is not a control group, or has" in run.stderr
