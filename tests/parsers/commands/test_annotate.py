# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the annotate command on a program that the test compiles."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from helpers.chained import chained_capture
from helpers.cli import run, told
from helpers.programs import SOURCE, Program, compiled
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapped,
    pmd,
    session,
    totals,
)

Capsys = pytest.CaptureFixture[str]
SETS = {0: [pmd(0), pmd(1)]}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Compile the program with debug information."""
    return compiled(tmp_path_factory.mktemp("program") / "hotspots")


def samples(program: Program) -> list[Sample]:
    """Build samples: in hot(), four of one event and two of another; in warm(), one."""
    first = program.ip("hot") - 1
    return [
        *[Sample(ip=first)] * 4,
        *[Sample(ip=first, ovfl_pmd=1)] * 2,
        Sample(ip=program.ip("warm")),
    ]


def written(path: Path, program: Program) -> str:
    """Write a capture of the samples of ``program``; return the path as text."""
    found = samples(program)
    data = capture(
        json_chunk("SESS", session(SETS)),
        mapped(program.mapping),
        bufr(buffer(found)),
        json_chunk("DONE", totals(len(found))),
    )
    path.write_bytes(data)
    return str(path)


@pytest.fixture
def hot(program: Program, tmp_path: Path) -> str:
    """Return the path of a capture of the program."""
    return written(tmp_path / "hot.pfm", program)


def function(capsys: Capsys, *argv: str) -> dict[str, Any]:
    """Return the only annotated function."""
    (found,) = told(capsys, "annotate", "-s", "hot", *argv, warns=True)["functions"]
    assert isinstance(found, dict)
    return found


def test_annotate_has_samples_by_instruction_and_line(
    hot: str, program: Program, capsys: Capsys
) -> None:
    found = function(capsys, hot)
    assert found["events"] == ["event-0", "event-1"] and found["totals"] == [4, 2]
    assert found["lacks"] == [] and found["object"] == str(program.path)
    first = found["instructions"][0]
    assert first["address"] == found["start"] == program.address("hot")
    assert first["weights"] == [4, 2]
    assert all(one["weights"] == [0, 0] for one in found["instructions"][1:])
    assert found["instructions"][-1]["text"].startswith("ret")
    sampled = [line for line in found["lines"] if any(line["weights"])]
    assert [line["weights"] for line in sampled] == [[4, 2]]
    text = SOURCE.read_text().splitlines()
    for line in found["lines"]:
        assert line["file"] == str(SOURCE) and line["text"] == text[line["line"] - 1]
    numbers = [line["line"] for line in found["lines"]]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


def test_annotate_selects_one_event(hot: str, capsys: Capsys) -> None:
    found = function(capsys, "--event", "event-1", hot)
    assert (found["events"], found["totals"]) == (["event-1"], [2])


def test_annotate_weighs_by_period(hot: str, capsys: Capsys) -> None:
    assert function(capsys, "--weight", "period", hot)["totals"] == [4000, 2000]


def test_annotate_sums_captures_of_one_file(hot: str, capsys: Capsys) -> None:
    assert function(capsys, hot, hot)["totals"] == [8, 4]


def test_annotate_text_shows_asm_or_source(hot: str, capsys: Capsys) -> None:
    text = {
        shown: run(capsys, "annotate", "-s", "hot", f"--{shown}", hot)[1]
        for shown in ("asm", "source")
    }
    text["both"] = run(capsys, "annotate", "-s", "hot", hot)[1]
    for shown, out in text.items():
        assert "100.00%     100.00%" in out
        assert ("ret" in out) == (shown != "source")
        assert ("\tsink++;".expandtabs(4) in out) == (shown != "asm")
        assert out.startswith("hot (") and "4 event-0, 2 event-1" in out


def test_annotate_page_is_self_contained(
    hot: str, tmp_path: Path, capsys: Capsys
) -> None:
    page = tmp_path / "page.html"
    assert run(capsys, "annotate", "-s", "hot", "--html", str(page), hot)[0] == 0
    text = page.read_text()
    assert text.count("100.00%") == 2 and "sink++;" in text and "http" not in text
    assert page.stat().st_mode & 0o777 == 0o666 & ~0o022


def test_annotate_page_refuses_json(hot: str, tmp_path: Path, capsys: Capsys) -> None:
    page = tmp_path / "page.html"
    status, out, err = run(
        capsys, "annotate", "-s", "hot", "--json", "--html", str(page), hot
    )
    assert (status, out) == (1, "") and not page.exists()
    assert err == "pfmparse: --html cannot be combined with --json\n"


def test_annotate_page_without_code_warns(tmp_path: Path, capsys: Capsys) -> None:
    path, page = tmp_path / "stacks.pfm", tmp_path / "page.html"
    path.write_bytes(chained_capture([["hot"], ["hot"]]))
    status, out, err = run(
        capsys, "annotate", "-s", "hot", "--html", str(page), str(path)
    )
    assert (status, out) == (0, "") and page.exists()
    assert err.count("[kernel] cannot be read: only addresses are shown") == 1


def test_annotate_finds_source_below_symfs(
    program: Program, tmp_path: Path, capsys: Capsys
) -> None:
    source = tmp_path / "elsewhere" / "hotspots.c"
    source.parent.mkdir()
    source.write_text(SOURCE.read_text().replace("sink++", "moved++"))
    file = written(tmp_path / "x.pfm", program)
    out = run(capsys, "annotate", "-s", "hot", "--symfs", str(source.parent), file)[1]
    assert "moved++" in out


def test_annotate_without_debug_info_shows_asm(tmp_path: Path, capsys: Capsys) -> None:
    bare = compiled(tmp_path / "bare", "-g0")
    found = function(capsys, written(tmp_path / "x.pfm", bare))
    assert found["lines"] == [] and found["totals"] == [4, 2]
    assert found["instructions"][0]["text"]
    assert "has no debug information" in found["lacks"][0]


def test_annotate_kernel_shows_addresses_only(tmp_path: Path, capsys: Capsys) -> None:
    path = tmp_path / "stacks.pfm"
    path.write_bytes(chained_capture([["main", "hot"], ["hot"]]))
    found = function(capsys, str(path))
    assert found["object"] == "[kernel]" and found["totals"] == [2]
    (only,) = found["instructions"]
    assert only["text"] == "" and "cannot be read" in found["lacks"][0]


def test_annotate_names_a_function_without_samples(hot: str, capsys: Capsys) -> None:
    status, out, err = run(capsys, "annotate", "-s", "cold", hot)
    assert (status, out) == (1, "") and "no samples in a function 'cold'" in err


def test_annotate_decodes_code_of_another_machine(
    tmp_path: Path, capsys: Capsys
) -> None:
    version = subprocess.check_output(["gcc", "-dumpversion"], text=True).strip()
    compiler = f"aarch64-linux-gnu-gcc-{version}"
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    options = ("-static", "-nostdlib", "-e", "main")
    other = compiled(tmp_path / "arm", *options, compiler=compiler)
    found = function(capsys, written(tmp_path / "x.pfm", other))
    assert found["instructions"][0]["text"].startswith("adrp")
    assert found["instructions"][-1]["text"] == "ret"


def test_annotate_escapes_event_names(
    program: Program, tmp_path: Path, capsys: Capsys
) -> None:
    sets = {0: [{**pmd(0), "event": "\x1b[31mred"}]}
    path = tmp_path / "red.pfm"
    data = capture(
        json_chunk("SESS", session(sets)),
        mapped(program.mapping),
        bufr(buffer([Sample(ip=program.ip("hot"))])),
    )
    path.write_bytes(data)
    _, out, _ = run(capsys, "annotate", "-s", "hot", "--asm", str(path))
    assert "1 \\x1b[31mred" in out and "\x1b" not in out
