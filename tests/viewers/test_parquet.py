# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to Parquet in a root file system of Debian sid, which packages pyarrow."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest
import roots
from helpers import every_format, programs
from helpers.exporting import NAMES, by_label
from viewers import ROOT

PACKAGES = ("python3-numpy", "python3-pyarrow", "libdw1t64")
READER = Path(__file__).with_name("read_parquet.py")
WEIGHT = ("--weight", "period")
EXPORT = """
set -e
for name in {names}; do
    for out in out again; do
        python3 -m pfmparse export {directory}/$name.pfm --to parquet --weight period \\
            -o {directory}/$name.$out >/dev/null
    done
    cmp {directory}/$name.out {directory}/$name.again
done
cd {directory} && python3 {reader} *.out
"""


@pytest.fixture(scope="module")
def captured() -> Iterator[dict[str, Path]]:
    """Write a capture of each format into a directory that is visible in sid's root."""
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as name:
        program = programs.compiled(Path(name) / "hotspots")
        yield every_format.write(program, Path(name))


@pytest.fixture(scope="module")
def read(captured: dict[str, Path]) -> Any:
    """Return what pyarrow reads from the export of each capture, by format."""
    directory = captured[NAMES[0]].parent
    script = EXPORT.format(names=" ".join(NAMES), directory=directory, reader=READER)
    done = roots.run(
        roots.root("sid", PACKAGES),
        ["sh", "-c", script],
        ROOT / "parsers",
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        capture=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_parquet_agrees_with_report(
    name: str, captured: dict[str, Path], read: Any
) -> None:
    found = read[f"{name}.out"]
    assert found["samples"] == by_label(captured[name])
    assert found["periods"] == by_label(captured[name], *WEIGHT)


def test_parquet_has_times_threads_and_stacks(read: Any) -> None:
    row = read["callstack.out"]["row"]
    assert row["time"] == every_format.FIRST_TIME and row["event"] == "cycles"
    assert (row["pid"], row["comm"]) == (every_format.TGID, "program")
    assert read["callstack.out"]["stacks"]["main;hot"] == 60
