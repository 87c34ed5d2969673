# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test scripts/debug_kernel.py without building a kernel."""

from __future__ import annotations

from pathlib import Path

import debug_kernel
import pytest


def test_option_without_effect_is_named(tmp_path: Path) -> None:
    wanted, made = tmp_path / "debug.config", tmp_path / ".config"
    wanted.write_text("# comment\nCONFIG_KASAN=y\nCONFIG_LOCKDEP=y\n")
    made.write_text("CONFIG_LOCKDEP=y\nCONFIG_KASAN=y\nCONFIG_MORE=y\n")
    debug_kernel._check_config(made, [wanted])
    made.write_text("CONFIG_LOCKDEP=y\n# CONFIG_KASAN is not set\n")
    with pytest.raises(debug_kernel.BuildError, match="no effect: CONFIG_KASAN=y"):
        debug_kernel._check_config(made, [wanted])


def test_later_configuration_changes_the_first(tmp_path: Path) -> None:
    first, change, made = (tmp_path / name for name in ("first", "change", ".config"))
    first.write_text('CONFIG_PREEMPT=y\nCONFIG_LOCALVERSION="-debug"\n')
    change.write_text('# CONFIG_PREEMPT is not set\nCONFIG_LOCALVERSION="-rt"\n')
    made.write_text(first.read_text())
    with pytest.raises(debug_kernel.BuildError, match="CONFIG_PREEMPT is not set"):
        debug_kernel._check_config(made, [first, change])
    made.write_text(change.read_text())
    debug_kernel._check_config(made, [first, change])


def test_failed_kernel_build_shows_its_last_lines() -> None:
    debug_kernel._run(["true"])
    script = "for n in $(seq 99); do echo line $n; done; exit 2"
    with pytest.raises(debug_kernel.BuildError) as error:
        debug_kernel._run(["sh", "-c", script])
    shown = str(error.value).splitlines()
    assert shown[1] == "line 70" and shown[-1] == "line 99"


def test_objects_of_a_built_kernel_are_unneeded(tmp_path: Path) -> None:
    for name in ("kernel/fork.o", "vmlinux", "scripts/sign.o", ".config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = {str(p.relative_to(tmp_path)) for p in debug_kernel._unneeded(tmp_path)}
    assert found == {"kernel/fork.o", "vmlinux"}
