# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export as folded stacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import run, told
from helpers.exporting import called
from helpers.readers import peak_memory
from helpers.stacks_capture import STACKS, WORKER, Stack, stack_capture


def folded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, *options: str
) -> list[str]:
    """Export a capture and return the lines."""
    source, path = tmp_path / "x.pfm", tmp_path / "x.folded"
    source.write_bytes(data)
    told(
        capsys,
        "export",
        str(source),
        "--to",
        "folded",
        "-o",
        str(path),
        *options,
        warns=True,
    )
    return path.read_text().splitlines()


def test_folded_stacks_start_outermost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folded(tmp_path, capsys, stack_capture()) == [
        "event-0;program;main;hot 6",
        "event-0;worker;main;warm;schedule 1",
        "event-1;program;main;warm 3",
    ]


def test_folded_stacks_omit_a_single_event(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = stack_capture([Stack(("hot", "main"), 2)])
    assert folded(tmp_path, capsys, data) == ["program;main;hot 2"]
    lines = folded(tmp_path, capsys, stack_capture(), "--event", "event-1")
    assert lines == ["program;main;warm 3"]


def test_folded_numbers_are_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = folded(tmp_path, capsys, stack_capture(), "--weight", "period")
    assert [line.rpartition(" ")[2] for line in lines] == ["6000", "1000", "3000"]


def test_folded_merges_equal_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = stack_capture(
        [Stack(("f",), 2), Stack(("g",)), Stack(("h",))], ["f", "g", "h"]
    )
    assert sorted(folded(tmp_path, capsys, data))[0] == "program;f 2"
    same = stack_capture([Stack(("a;b",), 2), Stack(("a:b",))], ["a;b", "a:b"])
    assert folded(tmp_path, capsys, same) == ["program;a:b 3"]


def test_folded_sums_captures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, path = tmp_path / "1.pfm", tmp_path / "x.folded"
    one.write_bytes(stack_capture())
    command = ["export", str(one), str(one), "--to", "folded", "-o", str(path)]
    assert told(capsys, *command, warns=True)["samples"] == 20
    assert sum(int(line.split()[-1]) for line in path.read_text().splitlines()) == 20


def test_folded_names_lacking_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, path = tmp_path / "x.pfm", tmp_path / "x.folded"
    source.write_bytes(stack_capture(STACKS + (Stack(("hot",), tid=WORKER),)))
    command = ["export", str(source), "--to", "folded", "-o", str(path)]
    assert told(capsys, *command, warns=True)["not_carried"] == [
        "addresses",
        "thread IDs",
        "CPUs",
        "times",
        "losses",
    ]
    path.unlink()
    status, _, err = run(capsys, *command, "--strict")
    assert status == 1
    assert "not written: the format does not store addresses; thread IDs" in err
    assert not path.exists()


def test_folded_memory_grows_with_stacks_of_samples(tmp_path: Path) -> None:
    path, out = tmp_path / "x.pfm", tmp_path / "x.folded"
    names = [f"function_{at:0100}" for at in range(120)]
    # The stacks are the rotations of one list, so no two stacks share callers.
    stacks = [Stack((*names[at:], *names[:at])) for at in range(120)]
    path.write_bytes(stack_capture(stacks, names))
    peak, (status, _, _) = peak_memory(
        lambda: called("export", str(path), "--to", "folded", "-o", str(out))
    )
    assert status == 0
    assert peak < 4 * out.stat().st_size
