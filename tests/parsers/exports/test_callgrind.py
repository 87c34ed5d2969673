# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export in callgrind's format, and read the file with callgrind_annotate."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from helpers.exporting import NAMES, by_label, called, exported, reported
from helpers.programs import Program
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import Sample, session, simple_capture

# callgrind_annotate prints a line for each function, such as
# "40 (67.80%) 20 (48.78%)  file:function [object]". A dot stands for a cost of 0.
COST = r"([\d,]+|\.)(?: \([ \d.]+%\))?"
OF_ONE = re.compile(rf" *{COST} +\S*?:(\S.*?)(?: \(\dx\))? \[.*\]$")
OF_TWO = re.compile(rf" *{COST} +{COST} +\S*?:(\S.*?)(?: \(\dx\))? \[.*\]$")


def annotated(file: Path, *options: str) -> str:
    """Run callgrind_annotate and return its output."""
    command = ["callgrind_annotate", "--threshold=100", "--auto=no"]
    command += [*options, str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def costs(text: str) -> tuple[Counter[str], Counter[str]]:
    """Return the functions' costs of the first and of the second event."""
    found: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    several = re.search(r"^Events shown: +\S+ \S", text, re.M)
    pattern = OF_TWO if several else OF_ONE
    for match in filter(None, map(pattern.match, text.splitlines())):
        *numbers, name = match.groups()
        for counter, number in zip(found, numbers):
            counter[name] += 0 if number == "." else int(number.replace(",", ""))
    return +found[0], +found[1]


@pytest.mark.parametrize("name", NAMES)
def test_callgrind_functions_agree_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures[name]
    text = annotated(exported(file, "callgrind", tmp_path / "c"))
    cycles, loads = costs(text)
    assert cycles == by_label(file, "--event", "cycles")
    if name == "pebs32":
        assert not loads
    else:
        assert loads == by_label(file, "--event", "loads")
    total = f"{sum(cycles.values()):,} (100.0%)"
    assert re.search(rf"^ *{re.escape(total)}.*PROGRAM TOTALS$", text, re.M)


def test_callgrind_accepts_other_weights(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--weight", "period")
    file = captures["default"]
    _, loads = costs(annotated(exported(file, "callgrind", tmp_path / "c", *options)))
    assert loads == by_label(file, "--event", "loads", *options)


def test_callgrind_calls_have_inclusive_costs(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = exported(captures["callstack"], "callgrind", tmp_path / "c")
    cycles, loads = costs(annotated(file, "--inclusive=yes"))
    assert (cycles["main"], loads["main"]) == (58, 41)
    assert (cycles["hot"], cycles["_text"], cycles["do_work"]) == (43, 3, 4)
    rows = reported(captures["callstack"], "--callers", "--event", "cycles")
    assert rows
    tree = annotated(file, "--inclusive=yes", "--tree=calling")
    callees = [line.split(">")[1] for line in tree.splitlines() if " > " in line]
    assert any(":_text (1x) [[kernel]]" in line for line in callees)


def test_callgrind_counts_recursive_functions_once(tmp_path: Path) -> None:
    path, random = tmp_path / "x.pfm", Random(1)
    depths = [random.randint(1, 9) for _ in range(60)]
    stacks = [Stack((*random.choices("fgh", k=depth), "main")) for depth in depths]
    stacks.append(Stack((*"f" * 60, "main")))
    path.write_bytes(stack_capture(stacks, ("f", "g", "h", "main")))
    found, _ = costs(
        annotated(exported(path, "callgrind", tmp_path / "c"), "--inclusive=yes")
    )
    out = called("report", "--cumulative", "--json", str(path))[1]
    assert found == {row["key"]: row["inclusive"] for row in json.loads(out)["rows"]}


def test_callgrind_has_costs_of_source_lines(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    file = exported(captures["default"], "callgrind", tmp_path / "c")
    text = annotated(file, "--auto=yes")
    assert re.search(r"^40 \(67.80%\) 20 \(48.78%\)\s+sink\+\+;$", text, re.M)


def test_callgrind_writes_names_once(captures: dict[str, Path], tmp_path: Path) -> None:
    text = exported(captures["callstack"], "callgrind", tmp_path / "c").read_text()
    for kind, name in (("c?fn", "hot"), ("c?fn", "do_work"), ("c?ob", "[kernel]")):
        named = re.findall(rf"^{kind}=\((\d+)\) {re.escape(name)}$", text, re.M)
        assert len(named) == 1
        assert re.search(rf"^{kind}=\({named[0]}\)$", text, re.M)


def test_callgrind_has_the_command_if_known(tmp_path: Path) -> None:
    for command, line in ((["a", "b\n"], "cmd: a b"), (None, None)):
        file = tmp_path / "x.pfm"
        file.write_bytes(simple_capture([Sample()], {**session(), "command": command}))
        text = exported(file, "callgrind", tmp_path / "c").read_text()
        found = [one for one in text.splitlines() if one.startswith("cmd:")]
        assert found == ([line] if line else [])


def test_callgrind_notes_lacking_threads(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    argv = ["export", str(captures["flight"]), "--to", "callgrind"]
    _, _, err = called(*argv, "-o", str(tmp_path / "c"))
    assert "callgrind does not store thread IDs\n" in err
    _, _, err = called(*argv, "-o", str(tmp_path / "c"), "--tid", "100")
    assert "the thread" not in err
