# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read exports of profile.proto with Go's pprof and with a JavaScript library."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from helpers.exporting import NAMES, by_label, exported
from viewers import Node

EVENTS = ("cycles", "loads")


def go_pprof(file: Path, *options: str) -> str:
    """Return the output of `go tool pprof`, which finds all symbols in the file."""
    command = ["go", "tool", "pprof", "-symbolize=none", *options, str(file)]
    environment = {**os.environ, "HOME": str(file.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def top(file: Path, event: str) -> Counter[str]:
    """Return the samples by function."""
    options = ("-top", "-nodefraction=0", "-nodecount=1000", f"-sample_index={event}")
    table = go_pprof(file, *options).partition("cum%\n")[2]
    rows = (re.split(r"\s+", line.strip(), maxsplit=5) for line in table.splitlines())
    return +Counter({row[5]: int(row[0]) for row in rows})


@pytest.mark.parametrize("name", NAMES)
def test_go_pprof_agrees_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures[name], "pprof", tmp_path / "p.pb.gz")
    events = EVENTS[:1] if name == "pebs32" else EVENTS
    for event in events:
        assert top(file, event) == by_label(captures[name], "--event", event)


def test_go_finds_callers_and_threads(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures["callstack"], "pprof", tmp_path / "p.pb.gz")
    tags = go_pprof(file, "-tags", "-sample_index=cycles")
    assert re.search(r"47.0 \(.*: program\n.*12.0 \(.*: worker\n", tags), tags
    traces = go_pprof(file, "-traces", "-sample_index=cycles")
    assert re.search(r"\n\s+3\s+do_work\n\s+_text\n\s+hot\n\s+main\n", traces), traces


@pytest.mark.parametrize("name", NAMES)
def test_javascript_pprof_agrees_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path, node: Node
) -> None:
    file = exported(captures[name], "pprof", tmp_path / "p.pb.gz")
    found: dict[str, Counter[str]] = {event: Counter() for event in EVENTS}
    script = Path(__file__).parent / "read_pprof.js"
    for event, function, count in json.loads(node(script, str(file))):
        found[event][function] += count
    for event in EVENTS[:1] if name == "pebs32" else EVENTS:
        assert found[event] == by_label(captures[name], "--event", event)
