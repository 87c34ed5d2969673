# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read commands from the FIFO of --control."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from pfmon import ERROR, Pfmon

ENABLE, SET, SNAPSHOT, STOP = "1 -", "2 {}", "3 -", "4 -"
LINE = 4096  # bytes of the longest line, including its newline


@pytest.fixture(name="fifo")
def fixture_fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def read(
    programs: Path, fifo: Path, *texts: bytes
) -> tuple[list[str], str, bytes, int]:
    """Write texts to the FIFO that control_reader reads.

    Return the commands that it found, its messages, its acknowledgements, and how often
    it has read from the FIFO.
    """
    ack = fifo.with_name("ack")
    os.mkfifo(ack)
    answers = os.open(ack, os.O_RDWR | os.O_NONBLOCK)
    with subprocess.Popen(
        [programs / "control_reader", fifo, ack],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
        for text in texts:
            fifo.write_bytes(text)
        said, complaints = process.communicate()
    answer = os.read(answers, 4096)
    os.close(answers)
    assert process.returncode == 0
    *commands, reads = said.splitlines()
    return commands, complaints, answer, int(reads)


def test_lines_are_commands(programs: Path, fifo: Path) -> None:
    texts = (b"enable\nsnapshot\nset min=", b"5,max=7", b"\nstop\n")
    commands, complaints, answer, _ = read(programs, fifo, *texts)
    assert commands == [ENABLE, SNAPSHOT, SET.format("min=5,max=7"), STOP]
    assert complaints == ""
    assert answer == 4 * b"ack\n"


@pytest.mark.parametrize("line", ["nonsense", "set", "enable now", "", " stop"])
def test_unknown_command_is_reported(programs: Path, fifo: Path, line: str) -> None:
    text = f"{line}\nstop\n".encode()
    commands, complaints, answer, _ = read(programs, fifo, text)
    assert commands == [STOP]
    assert f"unknown command '{line}': use enable, snapshot, stop, or" in complaints
    assert answer == 2 * b"ack\n"


@pytest.mark.parametrize("length", [LINE, 2 * LINE, 3 * LINE + 1])
def test_too_long_line_is_ignored_as_a_whole(
    programs: Path, fifo: Path, length: int
) -> None:
    text = b"x" * length + b"snapshot\nenable\nstop\n"
    commands, complaints, answer, _ = read(programs, fifo, text)
    assert commands == [ENABLE, STOP]
    assert complaints == "pfmon: --control: ignored a line of more than 4096 bytes\n"
    assert answer == 3 * b"ack\n"


def test_sender_that_never_pauses_does_not_keep_the_reader(
    programs: Path, fifo: Path
) -> None:
    *_, reads = read(programs, fifo, 4 * LINE * b"\n" + b"stop\n")
    assert reads > 4


@pytest.mark.parametrize(
    ("paths", "complaint"),
    [
        ("/nosuch", "cannot open '/nosuch': No such file"),
        ("/dev/null", "'/dev/null' is not a FIFO: create one with mkfifo"),
        ("{fifo},/dev/null", "'/dev/null' is not a FIFO"),
    ],
)
def test_control_needs_fifos(
    pfmon: Pfmon, fifo: Path, paths: str, complaint: str
) -> None:
    run = pfmon("-e", "cpu-clock", f"--control=fifo:{paths.format(fifo=fifo)}", "true")
    assert run.returncode == ERROR
    assert complaint in run.stderr
