# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/vm/kept_runs.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import kept_runs
import pytest
import qemu

COMMAND = ["true"]


def _machine(image: Path) -> qemu.Machine:
    return qemu.Machine("x86_64", image, 1, 64, icount=True, parallel=False, append="")


@pytest.fixture(name="kept_in")
def fixture_kept_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[qemu.Machine], Path | None]:
    """Return a function that returns the directory of a machine's kept run."""
    monkeypatch.setenv("PERFMON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(kept_runs.VARIABLE, str(tmp_path / "told"))
    for name in ("image", "initramfs"):
        (tmp_path / name).write_text(name)

    def kept_in(machine: qemu.Machine) -> Path | None:
        with kept_runs.claimed(machine, tmp_path / "initramfs", COMMAND) as kept:
            return kept

    return kept_in


def test_kept_runs_depend_on_all_inputs(
    tmp_path: Path, kept_in: Callable[[qemu.Machine], Path | None]
) -> None:
    machine = _machine(tmp_path / "image")
    found = {kept_in(machine), kept_in(replace(machine, append="quiet"))}
    for name in ("image", "initramfs"):
        (tmp_path / name).write_text("changed")
        found.add(kept_in(machine))
    assert len(found - {None}) == 4
    (tmp_path / "moved").write_text("changed")
    assert kept_in(_machine(tmp_path / "moved")) in found


def test_other_runs_are_not_kept(
    tmp_path: Path,
    kept_in: Callable[[qemu.Machine], Path | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = _machine(tmp_path / "image")
    assert kept_in(replace(machine, icount=False)) is None
    assert kept_in(replace(machine, disk=tmp_path / "disk")) is None
    monkeypatch.delenv(kept_runs.VARIABLE)
    assert kept_in(machine) is None


def test_forgotten_run_is_deleted(
    tmp_path: Path, kept_in: Callable[[qemu.Machine], Path | None]
) -> None:
    kept = kept_in(_machine(tmp_path / "image"))
    assert kept
    sent = {name: name.encode() for name in qemu.CHANNELS}
    kept_runs.keep(kept, sent)
    replayed: dict[str, bytes] = {}
    kept_runs.replay(kept, replayed.__setitem__)
    assert replayed == sent
    kept_runs.forget(kept)
    kept_runs.forget(kept)
    assert not [path for path in kept.parent.iterdir() if path.is_dir()]


def test_full_cache_is_not_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a directory")
    kept_runs.keep(tmp_path / "file/run", {})
    assert "run is not kept: " in capsys.readouterr().err
