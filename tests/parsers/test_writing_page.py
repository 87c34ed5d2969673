# SPDX-License-Identifier: MIT OR GPL-2.0
"""docs/writing_a_parser.md: its example as a package of its own, and its programs."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import three_samples
from helpers.cli import PARSERS, ROOT, importing, program
from helpers.writers import bufr, capture, json_chunk, pmd, session, totals

PLUGIN = ROOT / "examples/format_count/parser"
HEADER = ROOT / "examples/format_count/perfmon_count_smpl.h"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for sys.path in which the example is installed."""
    site = tmp_path_factory.mktemp("site")
    (site / "pfmparse_count.py").symlink_to(PLUGIN / "pfmparse_count.py")
    info = site / "pfmparse_count-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: c\nVersion: 1\n")
    project = (PLUGIN / "pyproject.toml").read_text()
    (point,) = re.findall(r"\[project.entry-points.*\n(.*)\n", project)
    text = f"[pfmparse.formats]\n{point}\n".replace('"', "")
    (info / "entry_points.txt").write_text(text)
    return site


@pytest.fixture
def counts(tmp_path: Path) -> str:
    """A capture of two copies of a buffer with counts of three events."""
    (uuid,) = re.findall(r'_UUID_STR "(.*)"', HEADER.read_text())
    described = session({0: [{**pmd(0), "event": "clock"}]}, uuid)
    described["format"]["arg"] = struct.pack("<II", 3, 0).hex()
    buffers = [
        struct.pack("<IIQ3Q", 1 << 16, 3, others, *numbers)
        for others, numbers in ((0, (5, 0, 1)), (2, (90, 0, 10)))
    ]
    path = tmp_path / "count.cap"
    done = json_chunk("DONE", totals(0))
    path.write_bytes(capture(json_chunk("SESS", described), *map(bufr, buffers), done))
    return str(path)


def test_tests_of_the_example_pass() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", PLUGIN],
        env=importing(PARSERS, PLUGIN),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_commands_work_for_the_format_of_the_example(site: Path, counts: str) -> None:
    def lines(*argv: str) -> list[str]:
        done = program(*argv, counts, directories=(PARSERS, site))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    assert [line.split() for line in lines("report", "--by", "event")[1:]][:6] == [
        ["90", "90.00%", "90.00%", "0", "clock"],
        ["10", "10.00%", "100.00%", "2", "[unknown]"],
        [],
        ["samples:", "100"],
        ["lost", "samples:", "7"],
        ["lost", "in", "buffers:", "2", "others"],
    ]
    told = lines("info")
    assert "parser: count (pfmparse_count:FORMAT)" in told
    assert "argument: num_events 3" in told and "samples: 100" in told
    assert lines("dump")[3:] == [
        "event=0 count=85",
        "event=1 count=0",
        "event=2 count=9",
    ]


def test_program_of_the_page_exports_samples(tmp_path: Path) -> None:
    page = (ROOT / "docs/writing_a_parser.md").read_text()
    (code,) = re.findall(
        r"<!-- tried: export -->\n```python\n(.*?)```", page, re.DOTALL
    )
    file = tmp_path / "x.cap"
    file.write_bytes(three_samples.nway_capture())
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        env=importing(PARSERS),
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "0 [4096, 4096] None None {'overwritten': 3, 'dropped': 4}",
        "0 [8192] None None {}",
        "3 {'overwritten': 3, 'dropped': 4}",
    ]
