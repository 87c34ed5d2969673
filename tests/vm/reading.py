# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run pfmparse on captures from a guest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from boot import ROOT


def pfmparse(*arguments: str | Path, plugins: tuple[Path, ...] = ()) -> str:
    """Run pfmparse; return its output. It must not warn about missing values."""
    path = os.pathsep.join(map(str, (ROOT / "parsers", *plugins)))
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "is 0 in all samples" not in done.stderr, done.stderr
    return done.stdout


def told(*arguments: str | Path, plugins: tuple[Path, ...] = ()) -> Any:
    """Return a command's JSON output. The capture must have lost no samples."""
    found = json.loads(pfmparse(*arguments, "--json", plugins=plugins))
    assert found["lost"] == 0 and not found["truncated"] and not found["problems"]
    return found


def plugin(site: Path, *names: str) -> tuple[Path, ...]:
    """Install the parsers of example formats below ``site``; return their folders."""
    folders = [site]
    for name in names:
        info = site / f"pfmparse_{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: pfmparse_{name}\nVersion: 1\n")
        point = f"[pfmparse.formats]\n{name} = pfmparse_{name}:FORMAT\n"
        (info / "entry_points.txt").write_text(point)
        folders.append(ROOT / f"examples/format_{name}/parser")
    return tuple(folders)
