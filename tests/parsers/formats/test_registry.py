# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find formats: the built-in ones and those of other packages."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from helpers.cli import PARSERS, importing, program
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
from pfmparse.formats.registry import OWN, find_format

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
SHOUTED = made("{OTHER}A", "shouted")
AGAIN = made("{OTHER}1", "again")

def leave():
    raise SystemExit("leaving")

def made_by(decoder, **rest):
    return Format("bad", "{OTHER}8", decoder, **rest)

def raising(session):
    def decode(data):
        return {{}}[len(data)]
    return decode

def no_decoder(session):
    raise KeyError("clock")

def wrong_size(session):
    return lambda data: Decoded((Region(0, Samples(5, {{"ip": np.zeros(2, int)}})),))

def no_decoded(session):
    return lambda data: []

def unsure(arg):
    return 1 // len(arg[:0])

RAISING = made_by(raising)
NO_DECODER = made_by(no_decoder)
WRONG_SIZE = made_by(wrong_size)
NO_DECODED = made_by(no_decoded)
UNSURE = made_by(Decoder, describe_arg=unsure)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Install the package in a directory for sys.path, and return this directory."""
    (tmp_path / "others.py").write_text(MODULE)
    return tmp_path


def install(site: Path, *points: str) -> None:
    """Write entry points, each of the form "NAME = VALUE"."""
    info = site / "others-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1\n")
    lines = ["[pfmparse.formats]", *points, "[console_scripts]", "x = nothing:main"]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(site: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run pfmparse with the packages that are installed in ``site``."""
    return program(*argv, directories=(PARSERS, site))


def raw(site: Path, uuid: str) -> list[str]:
    """Write a raw buffer of 5 bytes in this format; return the arguments to read it."""
    (site / "session.json").write_text(json.dumps(session(uuid=uuid)))
    (site / "buffer").write_bytes(b"aabbb")
    return ["--raw", "--session", str(site / "session.json"), str(site / "buffer")]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_third_party_format_is_found(site: Path, number: int) -> None:
    install(site, "one = others:ONE", "two = others:TWO")
    done = run(site, "report", "--by", "ip", "--json", *raw(site, f"{OTHER}{number}"))
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)["rows"]
    assert [(row["address"], row["count"]) for row in rows] == [(98, 3), (97, 2)]


def test_built_in_format_precedes_third_party_format(site: Path) -> None:
    install(site, "ours = others:OURS", "two = others:TWO")
    (site / "x.pfm").write_bytes(simple_capture([Sample()] * 3))
    done = run(site, "info", "--json", str(site / "x.pfm"))
    assert (done.returncode, done.stderr) == (0, "")
    described = json.loads(done.stdout)
    assert described["format"]["name"] == "default" and described["samples"] == 3
    done = run(site, "dump", *raw(site, f"{OTHER}2"))
    assert done.returncode == 0
    assert done.stderr == (
        f"pfmparse: format ours (others:OURS): {UUID_2_2} is already used by format "
        "default of pfmparse\n"
    )


def test_format_table_lists_the_built_in_modules() -> None:
    modules = {import_module(f"pfmparse.formats.{name}") for name in OWN.values()}
    forms = [form for module in modules for form in module.FORMATS]
    assert sorted(form.uuid for form in forms) == sorted(OWN)
    assert all(find_format(form.uuid) is form for form in forms)


def test_unneeded_formats_are_not_imported(site: Path) -> None:
    (site / "x.pfm").write_bytes(simple_capture([Sample()]))
    code = (
        "import sys; from pfmparse.__main__ import main\n"
        f"main(['report', {str(site / 'x.pfm')!r}]); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=importing(PARSERS),
        capture_output=True,
        text=True,
        check=True,
    )
    modules = done.stdout.splitlines()[-1].split()
    assert "pfmparse.formats.default" in modules
    assert not {"pfmparse.formats.nway", "importlib.metadata"} & set(modules)


@pytest.mark.parametrize(
    "broken",
    [
        *("nowhere:ONE", "others:NONE", "others:WRONG", "others:made"),
        *("leaves:ONE", "misspelt:ONE"),
    ],
)
def test_broken_format_package_does_not_stop_others(site: Path, broken: str) -> None:
    (site / "leaves.py").write_text("import others\nothers.leave()\n")
    (site / "misspelt.py").write_text("import others\nothers.made('5', 'x')\n")
    install(site, f"broken = {broken}", "two = others:TWO")
    done = run(site, "dump", *raw(site, f"{OTHER}2"))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert len(done.stderr.splitlines()) == 1
    assert f"broken ({broken})" in done.stderr


@pytest.mark.parametrize("module", ["leaves", "misspelt"])
def test_broken_format_package_is_named_with_line(site: Path, module: str) -> None:
    (site / "leaves.py").write_text("import others\nothers.leave()\n")
    (site / "misspelt.py").write_text("import others\nothers.made('5', 'x')\n")
    install(site, f"broken = {module}:ONE", "two = others:TWO")
    done = run(site, "dump", *raw(site, f"{OTHER}2"))
    said = {
        "leaves": "SystemExit: leaving",
        "misspelt": "ValueError: '5' of format 'x' is not a UUID",
    }
    assert f"{said[module]} ({site}/others.py, line " in done.stderr


def test_registry_accepts_upper_case_uuid(site: Path) -> None:
    install(site, "shouted = others:SHOUTED")
    done = run(site, "info", "--json", *raw(site, f"{OTHER}a"))
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)["format"]
    assert (found["name"], found["parser"]) == ("shouted", "shouted (others:SHOUTED)")


def test_second_parser_of_a_format_is_reported(site: Path) -> None:
    install(site, "one = others:ONE", "again = others:AGAIN")
    done = run(site, "info", "--json", *raw(site, f"{OTHER}1"))
    assert json.loads(done.stdout)["format"]["name"] == "one"
    assert done.stderr == (
        f"pfmparse: format again (others:AGAIN): {OTHER}1 is already used by "
        "format one of one (others:ONE)\n"
    )


@pytest.mark.parametrize(
    "which,said",
    [
        ("RAISING", "decoder of format bad of bad (others:RAISING): KeyError: 5"),
        ("NO_DECODER", "decoder of format bad of bad (others:NO_DECODER): KeyError"),
        ("WRONG_SIZE", "ValueError: column ip has 2 values for 5 samples"),
        ("NO_DECODED", "TypeError: it returned [] instead of a Decoded object"),
    ],
)
def test_failing_decoder_is_named_with_its_error(
    site: Path, which: str, said: str
) -> None:
    install(site, f"bad = others:{which}")
    done = run(site, "dump", *raw(site, f"{OTHER}8"))
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert said in line and f"others:{which}" in line
    assert which == "NO_DECODED" or f"({site}/others.py, line " in line


def test_failing_describe_arg_leaves_the_rest(site: Path) -> None:
    install(site, "bad = others:UNSURE")
    done = run(site, "info", "--json", *raw(site, f"{OTHER}8"))
    assert done.returncode == 0
    assert "describe_arg of format bad of bad (others:UNSURE): Zero" in done.stderr
    described = json.loads(done.stdout)
    assert described["format"]["arg"] is None and described["samples"] == 5


def test_unknown_format_lists_third_party_formats(site: Path) -> None:
    install(site, "one = others:ONE")
    done = run(site, "dump", *raw(site, f"{OTHER}9"))
    assert done.returncode == 1
    assert f"{OTHER}1 (one)" in done.stderr and UUID_2_2 in done.stderr


def test_unknown_format_lists_built_in_formats() -> None:
    data = capture(json_chunk("SESS", session(uuid="00" * 16)))
    with pytest.raises(PfmParseError, match="d139b29e.*4d72bec0") as error:
        read_capture(data)
    assert error.value.offset == 0
