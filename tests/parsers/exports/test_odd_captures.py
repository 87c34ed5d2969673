# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export captures of kinds that have made viewers of other projects fail."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.exporting import EXPORTS, called, exported, samples_in
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapping,
    maps,
    pmd,
    session,
    thrd,
    thread,
    totals,
)

DEPTH = 3000
COMM, OBJECT, EVENT = "Web Content (x)", "/no/prog ram (x)", "cpu-clock:u"
# A name must not be truncated within an XML entity.
NAMES = ("std::map<int, char>::at(int const&)", "<&>" * 700, "main")


def export(capture: bytes, to: str, directory: Path) -> Path:
    """Export a capture of five samples; return the exported file."""
    file, out = directory / "x.pfm", directory / "out"
    file.write_bytes(capture)
    status, _, err = called("export", str(file), "--to", to, "-o", str(out))
    assert status == 0, err
    assert samples_in(out, to) in (None, 5)
    return out


@pytest.mark.parametrize("to", EXPORTS)
@pytest.mark.parametrize("recursive", [False, True])
def test_deep_stack_is_exported(to: str, recursive: bool, tmp_path: Path) -> None:
    names = [f"f{at}" for at in range(2 if recursive else DEPTH)]
    stack = Stack(tuple(names * (DEPTH // len(names))), 5)
    export(stack_capture([stack], names), to, tmp_path)


@pytest.mark.parametrize("to", EXPORTS)
def test_names_with_markup_are_exported(to: str, tmp_path: Path) -> None:
    out = export(stack_capture([Stack(NAMES, 5)], NAMES), to, tmp_path)
    if to == "svg":
        assert ElementTree.parse(out).getroot().tag.endswith("svg")


@pytest.fixture
def spaced(tmp_path: Path) -> Path:
    """Return the path of a capture whose names have spaces, parentheses and colons."""
    where = maps(100, [mapping(0x400000, 0x500000, 0, OBJECT)], COMM)
    path = tmp_path / "spaced.pfm"
    path.write_bytes(
        capture(
            json_chunk("SESS", session({0: [{**pmd(0), "event": EVENT}]})),
            json_chunk("MAPS", where),
            thrd(thread(100, 100, COMM), thread(101, 100, COMM)),
            bufr(buffer([Sample(ip=0x400010), Sample(ip=0x400010, pid=101)])),
            json_chunk("DONE", totals(2)),
        )
    )
    return path


def test_csv_keeps_spaces_in_names(spaced: Path, tmp_path: Path) -> None:
    out = exported(spaced, "csv", tmp_path / "out")
    with out.open(newline="") as stream:
        rows = [(r["comm"], r["object"], r["event"]) for r in csv.DictReader(stream)]
    assert rows == [(COMM, OBJECT, EVENT)] * 2


def test_folded_joins_threads_of_one_name(spaced: Path, tmp_path: Path) -> None:
    out = exported(spaced, "folded", tmp_path / "out")
    assert out.read_text() == f"{COMM};{OBJECT} 2\n"


def test_firefox_marks_the_main_thread(spaced: Path, tmp_path: Path) -> None:
    document = json.loads(exported(spaced, "firefox", tmp_path / "out").read_text())
    found = [(t["name"], t["isMainThread"], t["tid"]) for t in document["threads"]]
    assert found == [(f"{COMM} 100/100", True, 100), (f"{COMM} 100/101", False, 101)]


def test_exports_separate_threads_of_two_captures(tmp_path: Path) -> None:
    files = []
    for name, count in (("one", 1), ("two", 2)):
        files.append(tmp_path / f"{name}.pfm")
        where = json_chunk("MAPS", maps(100, [], name))
        samples = bufr(buffer([Sample()] * count))
        files[-1].write_bytes(capture(json_chunk("SESS", session()), where, samples))
    out = tmp_path / "out"
    argv = ["export", *map(str, files), "--to", "firefox", "-o", str(out)]
    assert called(*argv)[0] == 0
    threads = json.loads(out.read_text())["threads"]
    found = {t["name"]: sum(t["samples"]["weight"]) for t in threads}
    assert found == {"one 100/100": 1, "two 100/100": 2}
