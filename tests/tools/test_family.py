# SPDX-License-Identifier: MIT OR GPL-2.0
"""Messages of pfmon when the kernel refuses a family of contexts."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest
from pfmon import ERROR, INHERITED

ALONE = " cannot count what the command creates: only its first thread is counted;"
REASONS = [
    (errno.EOPNOTSUPP, "this kernel (PREEMPT_RT)"),
    (errno.EINVAL, "the loaded module perfmon, an older one,"),
]
FORKS = "this kernel cannot watch forks, so try --no-inherit"


def refused(
    programs: Path, create: int, load: int, *options: str
) -> subprocess.CompletedProcess[str]:
    """Count the command true, with these errors of the kernel."""
    command = ["family_refuser", str(create), str(load), "-e", "page-faults"]
    return subprocess.run(
        [programs / command[0], *command[1:], *options, "true"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(("error", "reason"), REASONS)
def test_counting_first_thread_is_told_once(
    programs: Path, error: int, reason: str
) -> None:
    run = refused(programs, error, 0)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count(f"pfmon: {reason}{ALONE}") == 1
    assert run.stderr.count(ALONE) == 1
    assert "0 page-faults" in run.stderr


@pytest.mark.parametrize(("error", "reason"), REASONS)
def test_dry_run_knows_the_kernels_answer(
    programs: Path, error: int, reason: str
) -> None:
    run = refused(programs, error, 0, "--dry-run")
    assert run.returncode == 0, run.stderr
    assert INHERITED not in run.stdout
    assert run.stderr.count(f"pfmon: {reason}{ALONE}") == 1


def test_families_that_work_are_not_reported(programs: Path) -> None:
    assert ALONE not in refused(programs, 0, 0).stderr
    run = refused(programs, 0, 0, "--dry-run")
    assert ALONE not in run.stderr
    assert INHERITED in run.stdout


def test_other_errors_are_not_families(programs: Path) -> None:
    run = refused(programs, errno.ENOMEM, 0)
    assert run.returncode == ERROR
    assert ALONE not in run.stderr


def test_measured_command_is_told_of_no_inherit(programs: Path) -> None:
    run = refused(programs, 0, errno.EBUSY)
    assert run.returncode == ERROR
    assert "is being measured already" in run.stderr
    assert "another pfmon counts this command, give that one --no-inherit" in run.stderr


@pytest.mark.parametrize(
    ("create", "options", "told"),
    [
        (0, (), True),
        (0, ("--no-inherit",), False),
        (errno.EOPNOTSUPP, (), False),
    ],
)
def test_forks_that_cannot_be_watched_are_told(
    programs: Path, create: int, options: tuple[str, ...], told: bool
) -> None:
    run = refused(programs, create, errno.EOPNOTSUPP, *options)
    assert run.returncode == ERROR
    assert (FORKS in run.stderr) == told
    assert "PMU does not support one of the events" in run.stderr
