# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test that the check of `make run` rejects wrong profiles."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "examples/profile.py"


@pytest.fixture(name="profile", scope="module")
def fixture_profile() -> ModuleType:
    """Import examples/profile.py. `import profile` would import Python's own module."""
    spec = importlib.util.spec_from_file_location("hot_profile", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(samples: int, *shares: float) -> str:
    """Return a report in which the three functions have these percentages."""
    names = ("hot_sixty", "hot_thirty", "hot_ten")
    rows = [{"symbol": n, "percent": share} for n, share in zip(names, shares)]
    return json.dumps({"total": samples, "rows": rows})


def test_shares_may_differ_by_three_points(profile: ModuleType) -> None:
    assert profile.faults(report(20_000, 62.9, 27.1, 10)) == []
    assert profile.faults(report(20_000, 63.1, 26.9, 10)) == [
        "hot_sixty has 63.10 %, not 60 +- 3 %",
        "hot_thirty has 26.90 %, not 30 +- 3 %",
    ]


def test_few_samples_widen_tolerance(profile: ModuleType) -> None:
    assert profile.faults(report(1489, 63.13, 24.85, 11.89)) == []
    (fault,) = profile.faults(report(1489, 67.5, 24, 8.5))
    assert fault.startswith("hot_sixty")


def test_too_few_samples_fail(profile: ModuleType) -> None:
    (fault,) = profile.faults(report(499, 60, 30, 10))
    assert "only 499 samples" in fault


def test_missing_function_fails(profile: ModuleType) -> None:
    (fault,) = profile.faults(report(20_000, 60, 30))
    assert fault == "hot_ten has 0.00 %, not 10 +- 3 %"
