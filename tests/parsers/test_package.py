# SPDX-License-Identifier: MIT OR GPL-2.0
"""The package as a whole: its wheel, its imports, its tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from cli import PARSERS, program


def test_package_builds_without_the_network(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "pfmparse"):
        (source / name).symlink_to(PARSERS / name)
    subprocess.run(
        [sys.executable, "-c"]
        + [f"import setuptools.build_meta as b; b.build_wheel({str(tmp_path)!r})"],
        cwd=source,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("pfmparse-*.whl")
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        files.extractall(tmp_path / "installed")
    package = PARSERS / "pfmparse"
    files_of = [*package.rglob("*.py"), package / "py.typed"]
    modules = {path.relative_to(PARSERS).as_posix() for path in files_of}
    assert modules <= set(names)
    (points,) = (tmp_path / "installed").glob("*.dist-info/entry_points.txt")
    assert "pfmparse = pfmparse.__main__:main" in points.read_text()
    done = program("info", "/nonexistent", directories=(tmp_path / "installed",))
    assert done.returncode == 1 and "No such file" in done.stderr
