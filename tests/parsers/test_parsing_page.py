# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the examples of docs/parsing.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.c_readers import compiled
from helpers.cli import PARSERS, ROOT, importing
from helpers.writers import (
    FILLING,
    FREE,
    READY,
    UUID_NWAY,
    NwayRegion,
    Sample,
    buffer,
    nway,
    pmd,
    session,
)

VALUES = ((5, 55), (7, 77))
REGIONS = [
    NwayRegion(4, READY, (Sample(ip=0x40, pmds=VALUES), Sample(ip=0x41, pmds=VALUES))),
    NwayRegion(2, FREE, (Sample(ip=0x20, pmds=VALUES),)),
    NwayRegion(3, READY, (Sample(ip=0x30, pmds=VALUES),)),
    NwayRegion(5, FILLING, (Sample(ip=0x50, pmds=VALUES),)),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the C example; return the program's path."""
    program = tmp_path_factory.mktemp("bin") / "nway_reader"
    return compiled(ROOT / "examples/nway_reader.c", program)


def read(reader: Path, image: Path, data: bytes) -> tuple[int, str]:
    """Return the exit status and the output for the image of a buffer."""
    image.write_bytes(data)
    done = subprocess.run(
        [reader, image, str(len(VALUES))], capture_output=True, text=True
    )
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr
    return done.returncode, done.stdout


def test_c_example_prints_regions_in_order(reader: Path, tmp_path: Path) -> None:
    status, out = read(reader, tmp_path / "image", nway(REGIONS))
    assert status == 0
    assert out.splitlines() == ["3 0x30", "4 0x40", "4 0x41", "5 0x50"]


@pytest.mark.parametrize(
    "name,value",
    [
        ("version", 0),
        ("num_regions", 0),
        ("num_regions", 1 << 31),
        ("region_offs", 0),
        ("region_offs", 1 << 20),
        ("region_offs", 1 << 63),
    ],
)
def test_c_example_refuses_bad_header(
    name: str, value: int, reader: Path, tmp_path: Path
) -> None:
    at, size = {"version": (36, 4), "num_regions": (32, 4), "region_offs": (8, 8)}[name]
    data = bytearray(nway(REGIONS))
    data[at : at + size] = value.to_bytes(size, "little")
    assert read(reader, tmp_path / "image", bytes(data)) == (1, "")


def test_c_example_does_not_trust_the_count(reader: Path, tmp_path: Path) -> None:
    regions = [NwayRegion(1, READY, count=1 << 60), *REGIONS]
    status, out = read(reader, tmp_path / "image", nway(regions))
    assert status == 0 and len(out.splitlines()) == 4


def test_c_program_of_the_page_prints_entries(tmp_path: Path) -> None:
    page = (ROOT / "docs/parsing.md").read_text()
    code = re.findall(r"```c\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "entries.c").write_text(code)
    program = compiled(tmp_path / "entries.c", tmp_path / "entries")
    samples = [
        Sample(tgid=7, ip=0x40, pmds=((5, 55),)),
        Sample(tgid=8, ip=0x41, ovfl_pmd=1, pmds=VALUES),
    ]
    data = buffer(samples)
    done = subprocess.run([program], input=data, capture_output=True, check=True)
    assert done.stdout.decode() == "7 0x40 55\n8 0x41 55 77\n"
    assert done.stderr == b""
    cut = subprocess.run([program], input=data[:-8], capture_output=True)
    assert (cut.returncode, cut.stdout.decode()) == (1, "7 0x40 55\n")
    assert cut.stderr == b"hdr_cur_offs extends beyond the end of the buffer\n"


def test_python_example_reads_buffers_in_turn(tmp_path: Path) -> None:
    page = (ROOT / "docs/parsing.md").read_text()
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(code) == 1
    described = session({0: [pmd(0, [5, 7])]}, UUID_NWAY)
    (tmp_path / "session.json").write_text(json.dumps(described))
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(nway(REGIONS, dropped=9))
    done = subprocess.run(
        [sys.executable, "-c", code[0], "session.json", "one", "two"],
        cwd=tmp_path,
        env=importing(PARSERS),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line.split()[:3] for line in lines[:3]] == [
        ["one", "2", "1"],
        ["one", "0", "2"],
        ["one", "3", "1"],
    ]
    assert "'pmd7'" in lines[0]
    assert lines[3:] == [
        "one lost {'overwritten': 0, 'dropped': 9}",
        "two lost {'overwritten': 0, 'dropped': 9}",
    ]
