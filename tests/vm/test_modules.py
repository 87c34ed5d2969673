# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the built modules."""

from __future__ import annotations

import subprocess
from pathlib import Path

import build_parts
import pytest
from kernels import SUPPORTED

ROOT = Path(__file__).resolve().parents[2]
TARGETS = [f"{arch}-{name}" for arch in SUPPORTED for name in SUPPORTED[arch]]
FOLDERS = ("core", "pmu", "unwind", "formats")

# A folder with a Kbuild file contains one module.
BUILT = {
    path.parent.relative_to(ROOT)
    for name in FOLDERS
    for path in (ROOT / name).rglob("Kbuild")
}


@pytest.mark.parametrize("target", TARGETS)
def test_modules_have_project_version(target: str) -> None:
    reason = build_parts.left_out(f"modules-{target}")
    if reason:
        pytest.skip(reason)
    built = ROOT / "build/kmod" / target
    modules = [path for name in FOLDERS for path in (built / name).rglob("*.ko")]
    found = {path.parent.relative_to(built) for path in modules}
    assert found == BUILT, f"build them: make modules-{target}"
    said = subprocess.run(
        ["modinfo", "-F", "version", *modules],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    version = (ROOT / "VERSION").read_text()
    assert said.stdout == version * len(BUILT)
