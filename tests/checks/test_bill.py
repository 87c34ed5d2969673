# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test bill.py with phases that are shell commands."""

from __future__ import annotations

import json
import re
import tomllib
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
BUDGET = """
[kernels]
cold = [{kernels}]
warm = [0, {kernels}]
[vm]
guests = [0, {guests}]
guests_of_all = [{guests}]
cold = 100
warm = 50
"""
# In the cache, a kernel with KUnit.
KERNEL = "cache/kunit/linux-source/build/vmlinux"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make bill.py use a new directory, and return this directory."""
    monkeypatch.setattr(bill, "BILL", tmp_path / "bill")
    monkeypatch.setattr(bill, "JSON", tmp_path / "bill.json")
    monkeypatch.setattr(bill, "BUDGET", tmp_path / "budget.toml")
    monkeypatch.setenv("REQUIRE_ALL", "1")
    monkeypatch.delenv("CHECK_ALL", raising=False)
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    expect(tmp_path, kernels=1, guests=1)
    bill._start()
    return tmp_path


def expect(place: Path, kernels: int, guests: int) -> None:
    """Write a budget with these numbers."""
    budget = BUDGET.format(kernels=kernels, guests=guests)
    (place / "budget.toml").write_text(budget)


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
    written = json.loads((place / "bill.json").read_text())
    assert (written["verdict"], written["caches"]) == ("passed", "cold")
    (phase,) = written["phases"]
    assert phase["passed"] == 4 and written["wall"] >= phase["wall"] > 0


def test_bill_fails_on_failed_or_missing_phase(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("kunit", FAILS) == 3
    assert bill._show(["kunit", "sdk"]) == 1
    printed = capfd.readouterr().out
    assert "failed: kunit" in printed and "not run: sdk" in printed
    assert "| 2 | 0 | 3 |" in printed
    assert json.loads((place / "bill.json").read_text())["verdict"] == "failed"


@pytest.mark.parametrize("cached", ["cache/roots/bookworm", KERNEL])
def test_bill_tells_an_empty_cache_from_a_full_one(place: Path, cached: str) -> None:
    assert (place / "bill/caches").read_text() == "cold"
    (place / cached).mkdir(parents=True)
    bill._start()
    assert (place / "bill/caches").read_text() == "warm"


@pytest.mark.parametrize(("kernels", "guests"), [(0, 1), (2, 1), (1, 2)])
def test_bill_fails_on_unexpected_counts(
    place: Path, kernels: int, guests: int
) -> None:
    expect(place, kernels, guests)
    assert run("vm", PASSES) == 0
    assert bill._show(["vm"]) == 1


@pytest.mark.parametrize(("kernels", "guests"), [(0, 1), (1, 0)])
def test_bill_with_parts_left_out_has_maximum_counts(
    place: Path, monkeypatch: pytest.MonkeyPatch, kernels: int, guests: int
) -> None:
    monkeypatch.delenv("REQUIRE_ALL")
    assert run("vm", PASSES) == 0
    expect(place, kernels=2, guests=2)
    assert bill._show(["vm"]) == 0
    expect(place, kernels, guests)
    assert bill._show(["vm"]) == 1


def test_bill_expects_a_kernel_only_of_a_cold_cache(place: Path) -> None:
    assert run("vm", "true") == 0
    assert bill._show(["vm"]) == 1
    (place / "bill/caches").write_text("warm")
    assert bill._show(["vm"]) == 0


def test_bill_of_check_all_has_own_guests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_guest = "echo kernel >>$PERFMON_COUNTED"
    assert run("vm", no_guest) == 0
    assert bill._show(["vm"]) == 0
    monkeypatch.setenv("CHECK_ALL", "1")
    assert bill._show(["vm"]) == 1


def test_bill_compares_the_guests_of_a_failed_phase(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    expect(place, kernels=1, guests=4)
    assert run("vm", f"{PASSES}\n{FAILS}") == 3
    assert bill._show(["vm"]) == 1
    assert "vm booted 1 guests, expected 0 or 4\n" in capfd.readouterr().out


def test_budget_has_every_phase(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    makefile = (bill.ROOT / "Makefile").read_text()
    (phases,) = re.findall(r"^PHASES := (.*)", makefile, re.MULTILINE)
    budget = tomllib.loads(bill.BUDGET.read_text())
    assert budget.keys() == {"kernels", *phases.split()}
