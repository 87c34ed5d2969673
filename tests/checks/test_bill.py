# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test bill.py with phases that are shell commands."""

from __future__ import annotations

from pathlib import Path

import bill
import pytest

PASSES = """
echo '....s [100%]'
echo 'SKIPPED [1] a/test.py:3: no such machine'
echo '4 passed, 1 skipped in 0.10s'
echo guest >>$PERFMON_COUNTED; echo guest >>$PERFMON_COUNTED
echo misread >>$PERFMON_COUNTED; echo kernel >>$PERFMON_COUNTED
"""
FAILS = "echo '2 passed, 3 failed, 0 skipped'; exit 3"
BUDGET = "kernels = {}\n[vm]\nguests = [{}]\ncold = 100\nwarm = 50\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make bill.py use a new directory, and return this directory."""
    monkeypatch.setattr(bill, "BILL", tmp_path / "bill")
    monkeypatch.setattr(bill, "JSON", tmp_path / "bill.json")
    monkeypatch.setattr(bill, "BUDGET", tmp_path / "budget.toml")
    monkeypatch.setenv("REQUIRE_ALL", "1")
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    (tmp_path / "budget.toml").write_text(BUDGET.format(1, 1))
    bill._start()
    return tmp_path


def run(name: str, script: str) -> int:
    """Run a phase; return its exit status."""
    return bill._run(name, ["sh", "-c", script])


def test_bill_table_sums_output_and_counts(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("vm", PASSES) == 0
    assert bill._show(["vm"]) == 0
    printed = capfd.readouterr().out
    assert "| 2 | 1 | 4 | 1 | 0 |" in printed
    assert "skipped: 1: no such machine" in printed
    assert "rebooted after a fault of the emulator: 1" in printed
    assert '"passed": 4' in (place / "bill.json").read_text()


def test_bill_fails_on_failed_or_missing_phase(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run("kunit", FAILS) == 3
    assert bill._show(["kunit", "sdk"]) == 1
    printed = capfd.readouterr().out
    assert "failed: kunit" in printed and "not run: sdk" in printed
    assert "| 2 | 0 | 3 |" in printed


def test_bill_tells_an_empty_cache_from_a_full_one(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bill._show([])
    (place / "cache/roots/bookworm").mkdir(parents=True)
    bill._start()
    bill._show([])
    printed = capfd.readouterr().out
    assert printed.index("caches: cold") < printed.index("caches: warm")


@pytest.mark.parametrize(("kernels", "guests"), [(0, 1), (1, 2)])
def test_bill_fails_on_counts_beyond_budget(
    place: Path, kernels: int, guests: int
) -> None:
    (place / "budget.toml").write_text(BUDGET.format(kernels, guests))
    assert run("vm", PASSES) == 0
    assert bill._show(["vm"]) == 1


def test_bill_compares_the_guests_of_a_failed_phase(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (place / "budget.toml").write_text(BUDGET.format(1, 4))
    assert run("vm", f"{PASSES}\n{FAILS}") == 3
    assert bill._show(["vm"]) == 1
    assert "vm booted 1 guests, expected 4\n" in capfd.readouterr().out
