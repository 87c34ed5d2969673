# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the example packages and programs of docs/writing_a_parser.md."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import struct
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pfmparse
import pytest
from helpers import three_samples
from helpers.cli import PARSERS, ROOT, importing, program
from helpers.sink_buffer import UUID_SINK, SinkRegion, sink
from helpers.writers import bufr, capture, json_chunk, pmd, session, totals
from pfmparse.analysis.weights import usual

COUNT, MINI = (ROOT / f"examples/format_{name}" for name in ("count", "mini"))
EXAMPLES = (COUNT, MINI)


def uuid_of(example: Path) -> str:
    """Return the UUID in the header of an example."""
    (header,) = example.glob("perfmon_*_smpl.h")
    (uuid,) = re.findall(r'_UUID_STR "(.*)"', header.read_text())
    return str(uuid)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the examples in a directory for sys.path, and return this directory."""
    site = tmp_path_factory.mktemp("site")
    for example in EXAMPLES:
        # Copy the sources, because setuptools leaves a build directory beside them.
        source = tmp_path_factory.mktemp("source") / "parser"
        shutil.copytree(example / "parser", source)
        code = "import setuptools.build_meta as b; b.build_wheel('.')"
        subprocess.run(
            [sys.executable, "-c", code], cwd=source, capture_output=True, check=True
        )
        (wheel,) = source.glob("*.whl")
        with zipfile.ZipFile(wheel) as files:
            files.extractall(site)
    return site


@pytest.fixture
def counts(tmp_path: Path) -> str:
    """Return the path of a capture with two copies of a buffer of three counts."""
    described = session({0: [{**pmd(0), "event": "clock"}]}, uuid_of(COUNT))
    described["format"]["arg"] = struct.pack("<II", 3, 0).hex()
    buffers = [
        struct.pack("<IIQ3Q", 1 << 16, 3, others, *numbers)
        for others, numbers in ((0, (5, 0, 1)), (2, (90, 0, 10)))
    ]
    path = tmp_path / "count.cap"
    done = json_chunk("DONE", totals(0))
    path.write_bytes(capture(json_chunk("SESS", described), *map(bufr, buffers), done))
    return str(path)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: str(path.name))
def test_example_parsers_pass_their_tests(example: Path, site: Path) -> None:
    parser = example / "parser"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", parser],
        env=importing(PARSERS, site),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_commands_read_the_count_example(site: Path, counts: str) -> None:
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


def test_commands_read_the_mini_example(site: Path, tmp_path: Path) -> None:
    records = [struct.pack("<QIIQ", ip, 5, 1, 10 * ip) for ip in (16, 17, 16)]
    regions = [SinkRegion(1, tuple(records[:2])), SinkRegion(2, tuple(records[2:]))]
    described = json_chunk("SESS", session({0: [pmd(0, [3])]}, uuid_of(MINI)))
    path = tmp_path / "mini.cap"
    done = json_chunk("DONE", totals(3))
    path.write_bytes(capture(described, *[bufr(sink(regions))] * 2, done))
    ran = program(
        "report", "--by", "ip", "--json", str(path), directories=(PARSERS, site)
    )
    report = json.loads(ran.stdout)
    assert [(row["address"], row["count"]) for row in report["rows"]] == [
        (16, 2),
        (17, 1),
    ]
    assert report["lost_in_buffers"]["full"] == 2
    ran = program("dump", str(path), directories=(PARSERS, site))
    assert ran.stdout.splitlines()[0] == "ip=0x10 tid=5 pmd3=160"


WRONG = """
import pfmparse as pfm

def decode(data: bytes) -> pfm.Samples:
    return pfm.Samples(5, {"ip": [1, 2]}, roles={"address": "ip"})

FORMAT = pfm.Format("wrong", "mine", lambda session: decode)
"""


def test_mypy_checks_third_party_parsers(site: Path, tmp_path: Path) -> None:
    if not importlib.util.find_spec("mypy"):
        pytest.skip("mypy is not installed")
    if not np.__version__.startswith("1."):
        pytest.skip(f"the types of numpy {np.__version__} differ from those of numpy 1")
    # Install the package, because mypy uses the types of an installed package only if
    # the package has py.typed.
    venv.create(tmp_path / "venv", system_site_packages=True, with_pip=False)
    (packages,) = tmp_path.glob("venv/lib/*/site-packages")
    shutil.copytree(PARSERS / "pfmparse", packages / "pfmparse")
    sources = [tmp_path / "wrong.py", *site.glob("pfmparse_*.py")]
    sources[0].write_text(WRONG)
    options = [f"--python-executable={tmp_path}/venv/bin/python3", "--strict"]
    options += [f"--cache-dir={tmp_path}/cache"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *sources],
        capture_output=True,
        text=True,
    )
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert {line.split(":")[0].rpartition("/")[2] for line in errors} == {"wrong.py"}
    assert {line.split(":")[1] for line in errors} == {"5", "7"}, done.stdout


def test_parser_of_sums_of_the_page_works() -> None:
    page = (ROOT / "docs/writing_a_parser.md").read_text()
    (code,) = re.findall(
        r"<!-- tried: aggregates -->\n```python\n(.*?)```", page, re.DOTALL
    )
    names: dict[str, Any] = {"pfm": pfmparse}
    exec(code, names)
    described = pfmparse.parse_session(pfmparse.session_template(UUID_SINK), 0)
    decode = pfmparse.sink_decoder(names["read"], 1 << 16, rising=True)(described)
    for row in ((7, 0x1000, 2, 30, 10, 20), (7, 0x1000, 5, 100, 5, 40)):
        (region,) = decode(sink([SinkRegion(1, (struct.pack("<6Q", *row),))])).regions
    assert region.samples.to_array().tolist() == [(7, 0x1000, 3, 70, 5, 40)]
    assert usual(region.samples) == "latency"


def test_export_program_of_the_page_works(tmp_path: Path) -> None:
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
        "0 [4096, 4096, 8192] None None {'overwritten': 3, 'dropped': 4}",
        "3 {'overwritten': 3, 'dropped': 4}",
    ]
