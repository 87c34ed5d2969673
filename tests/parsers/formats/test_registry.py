# SPDX-License-Identifier: MIT OR GPL-2.0
"""The formats that are known, and those of other packages."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from helpers.cli import PARSERS, program
from helpers.readers import read_capture
from helpers.writers import (
    UUID_2_2,
    Sample,
    capture,
    json_chunk,
    session,
    simple_capture,
)
from pfmparse.errors import PfmParseError

OTHER = "00000000-0000-0000-0000-00000000000"


# A package whose formats record one sample per byte.
MODULE = f"""
import numpy as np
from pfmparse import Decoded, Format, Region, Samples

class Decoder:
    def __init__(self, session):
        pass

    def __call__(self, data):
        ips = np.frombuffer(data, np.uint8)
        return Decoded((Region(0, Samples(ips.size, {{"ip": ips}})),))

def made(uuid, name):
    return Format(name, uuid, Decoder, lambda arg: None)

ONE = made("{OTHER}1", "one")
TWO = [made("{OTHER}2", "two"), made("{OTHER}3", "three")]
OURS = made("{UUID_2_2}", "stolen")
WRONG = [ONE, "no format"]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A directory for sys.path in which that package is installed."""
    (tmp_path / "others.py").write_text(MODULE)
    return tmp_path


def install(site: Path, *points: str) -> None:
    """Lists entry points, "NAME = VALUE" each."""
    info = site / "others-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1\n")
    lines = ["[pfmparse.formats]", *points, "[console_scripts]", "x = nothing:main"]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(site: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """pfmparse with what is installed there."""
    return program(*argv, directories=(PARSERS, site))


def raw(site: Path, uuid: str) -> list[str]:
    """Arguments for a raw buffer of 5 bytes of that format."""
    (site / "session.json").write_text(json.dumps(session(uuid=uuid)))
    (site / "buffer").write_bytes(b"aabbb")
    return ["--raw", "--session", str(site / "session.json"), str(site / "buffer")]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_formats_of_other_packages_are_found(site: Path, number: int) -> None:
    install(site, "one = others:ONE", "two = others:TWO")
    done = run(site, "report", "--by", "ip", "--json", *raw(site, f"{OTHER}{number}"))
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)["rows"]
    assert [(row["address"], row["count"]) for row in rows] == [(98, 3), (97, 2)]


def test_our_formats_win(site: Path) -> None:
    install(site, "ours = others:OURS")
    (site / "x.pfm").write_bytes(simple_capture([Sample()] * 3))
    done = run(site, "info", "--json", str(site / "x.pfm"))
    assert (done.returncode, done.stderr) == (0, "")
    described = json.loads(done.stdout)
    assert described["format"]["name"] == "default" and described["samples"] == 3


@pytest.mark.parametrize(
    "broken", ["nowhere:ONE", "others:NONE", "others:WRONG", "others:made"]
)
def test_broken_package_is_named_and_stops_no_other(site: Path, broken: str) -> None:
    install(site, f"broken = {broken}", "two = others:TWO")
    done = run(site, "dump", *raw(site, f"{OTHER}2"))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert len(done.stderr.splitlines()) == 1
    assert f"broken ({broken})" in done.stderr


def test_unknown_format_names_those_of_other_packages(site: Path) -> None:
    install(site, "one = others:ONE")
    done = run(site, "dump", *raw(site, f"{OTHER}9"))
    assert done.returncode == 1
    assert f"{OTHER}1 (one)" in done.stderr and UUID_2_2 in done.stderr


def test_unknown_format_names_the_known_ones() -> None:
    data = capture(json_chunk("SESS", session(uuid="00" * 16)))
    with pytest.raises(PfmParseError, match="d139b29e.*4d72bec0") as error:
        read_capture(data)
    assert error.value.offset == 0
