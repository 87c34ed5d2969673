# SPDX-License-Identifier: MIT OR GPL-2.0
"""Use exports to perf.data as profiles for the optimizers BOLT and AutoFDO."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from helpers.exporting import by_symbol, exported
from helpers.programs import Program, compiled
from helpers.writers import Sample, captured, mapped

# The number of samples at each offset in bytes from the start of a function. AutoFDO
# ignores functions with few samples.
PLACES = {("hot", 0): 30, ("hot", 4): 20, ("warm", 0): 20}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return a program with relocations for BOLT, and with DWARF 4 for AutoFDO."""
    path = tmp_path_factory.mktemp("program") / "hotspots"
    return compiled(path, "-gdwarf-4", "-Wl,--emit-relocs")


@pytest.fixture(scope="module")
def capture(program: Program) -> Path:
    """Return a capture of the program."""
    samples = [
        Sample(ip=program.ip(name) - 1 + offset)
        for (name, offset), count in PLACES.items()
        for _ in range(count)
    ]
    path = program.path.with_name("x.pfm")
    path.write_bytes(captured(samples, mapped(program.mapping)))
    return path


def test_bolt_counts_samples_by_offset(program: Program, capture: Path) -> None:
    data = exported(capture, "perf-data", capture.with_name("perf.data"))
    newest = max(Path("/usr/lib").glob("llvm-*/bin/perf2bolt"), key=_version)
    out = data.with_name("x.fdata")
    command: list[str | Path] = [newest, "-nl", "-p", data, "-o", out, program.path]
    subprocess.run(command, check=True, capture_output=True)
    rows = re.findall(r"^1 (\w+)\S* (\w+) (\d+)$", out.read_text(), re.MULTILINE)
    assert {(name, int(at, 16)): int(count) for name, at, count in rows} == PLACES


def test_autofdo_counts_samples_by_function(program: Program, capture: Path) -> None:
    data = exported(capture, "perf-data", capture.with_name("perf.data"))
    out = data.with_name("x.prof")
    options = (f"--binary={program.path}", f"--profile={data}", f"--out={out}")
    command = ["create_llvm_prof", *options, "--use_lbr=false", "--format=text"]
    subprocess.run(command, check=True, capture_output=True)
    rows = re.findall(r"^(\w+):(\d+):\d+$", out.read_text(), re.MULTILINE)
    assert Counter({name: int(count) for name, count in rows}) == by_symbol(capture)


def _version(path: Path) -> int:
    return int(path.parts[3].removeprefix("llvm-"))
