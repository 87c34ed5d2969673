# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that helpers/damaged.py finds each fault that it looks for."""

from __future__ import annotations

import signal
import tempfile
import warnings
from pathlib import Path

import pytest
from helpers import damaged
from helpers.damaged import OUTPUT, Counted


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try only two captures."""
    monkeypatch.setattr(damaged, "CASES", 2)


def refusal(file: Path) -> Counted:
    """Refuse the capture."""
    return Counted(None, "refused")


def leaves(file: Path) -> Counted:
    """Leave a file behind that is not the output."""
    file.with_name(f".{OUTPUT}.x").touch()
    return Counted(None, "refused", wrote=True)


def leaves_temporary(file: Path) -> Counted:
    """Leave a temporary file behind."""
    tempfile.mkstemp()
    return Counted(None, "refused")


def leaves_output(file: Path) -> Counted:
    """Leave the output behind after a failure."""
    file.with_name(OUTPUT).touch()
    return Counted(None, "refused")


def silent(file: Path) -> Counted:
    """Refuse the capture without a reason."""
    return Counted(None, "")


def miscounts(file: Path) -> Counted:
    """Count the wrong number of samples."""
    return Counted(-1, "")


def warns(file: Path) -> Counted:
    """Emit a warning as numpy does."""
    warnings.warn("overflow", RuntimeWarning)
    return refusal(file)


def fails(file: Path) -> Counted:
    """Fail with an exception."""
    raise ZeroDivisionError


def writes(file: Path) -> Counted:
    """Write the output."""
    file.with_name(OUTPUT).mkdir()
    return Counted(None, "written", wrote=True)


@pytest.mark.parametrize(
    "run",
    [leaves, leaves_temporary, leaves_output, silent, miscounts, warns, fails],
)
def test_fault_on_damaged_capture_names_the_case(run: damaged.Run) -> None:
    with pytest.raises(AssertionError, match="case 1 with FUZZ_SEED="):
        damaged.check(refusal, run)


def test_hang_on_damaged_capture_fails() -> None:
    def hangs(file: Path) -> Counted:
        signal.raise_signal(signal.SIGALRM)
        return refusal(file)

    with pytest.raises(pytest.fail.Exception, match="still running after"):
        damaged.check(hangs)


def test_output_of_a_success_is_allowed() -> None:
    damaged.check(writes)
