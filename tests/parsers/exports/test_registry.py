# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find exports: the built-in ones and those of other packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from helpers import three_samples
from helpers.cli import PARSERS, program
from pfmparse.exports import registry
from pfmparse.exports.interface import Export

# A package with an export that writes the number of samples.
MODULE = """
from pfmparse.exports.interface import Export

def count(job):
    total = sum(
        batch.samples.total() for source in job.inputs for batch in job.batches(source)
    )
    job.path.write_text(str(total))
    job.lack("anything else")

COUNT = Export("count", "a number", count)
WRONG = "no export"
FAILING = Export("failing", "nothing", lambda job: 1 // 0)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Install the package in a directory for sys.path, and return this directory."""
    (tmp_path / "others.py").write_text(MODULE)
    info = tmp_path / "others-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1\n")
    points = ["count = others:COUNT", "wrong = others:WRONG", "gone = nothing:X"]
    points += ["failing = others:FAILING", "pprof = others:COUNT"]
    text = "\n".join(["[pfmparse.exports]", *points])
    (info / "entry_points.txt").write_text(text + "\n")
    (tmp_path / "x.pfm").write_bytes(three_samples.whole_capture())
    return tmp_path


def export(site: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Run an export of the package, or a built-in one; the output file is "out"."""
    argv = ["export", str(site / "x.pfm"), "--to", name, "-o", str(site / "out")]
    return program(*argv, directories=(PARSERS, site))


@pytest.mark.parametrize("name", sorted(registry.OURS))
def test_built_in_export_has_name_and_title(name: str) -> None:
    found = registry.find(name)
    assert isinstance(found, Export) and found.name == name and found.title


def test_third_party_export_is_found(site: Path) -> None:
    done = export(site, "count")
    assert done.returncode == 0
    assert done.stderr == "pfmparse: count does not store anything else\n"
    assert (site / "out").read_text() == "3"


def test_built_in_export_precedes_third_party_export(site: Path) -> None:
    done = export(site, "pprof")
    assert done.returncode == 0
    assert (site / "out").read_bytes()[:2] == b"\x1f\x8b"


@pytest.mark.parametrize(
    "name,why",
    [
        (
            "wrong",
            "export others:WRONG: 'no export' is not a "
            "pfmparse.exports.interface.Export",
        ),
        ("gone", "export nothing:X: ModuleNotFoundError: No module named 'nothing'"),
        ("failing", "export failing: ZeroDivisionError"),
    ],
)
def test_broken_third_party_export_is_named(site: Path, name: str, why: str) -> None:
    done = export(site, name)
    assert done.returncode == 1 and why in done.stderr
    assert "Traceback" not in done.stderr and not (site / "out").exists()


def test_unknown_export_lists_all_names(site: Path) -> None:
    done = export(site, "stone")
    assert done.returncode == 1
    names = sorted({*registry.OURS, "count", "wrong", "gone", "failing"})
    assert f"unknown export 'stone': use one of {', '.join(names)}" in done.stderr
