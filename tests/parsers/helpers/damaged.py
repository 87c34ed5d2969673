# SPDX-License-Identifier: MIT OR GPL-2.0
"""Damage captures of every format, and count their samples with a report.

A command must either count the same samples as the report, or refuse the file and
say why. ``check()`` verifies this for any command that a ``Run`` function runs.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Callable, Iterator, NoReturn, Optional

import pytest
from helpers import every_chunk, every_format, writers
from helpers.damage import damaged
from helpers.programs import LOAD, Program
from pfmparse import __main__ as command_line
from pfmparse.analysis.inputs import Input, Options
from pfmparse.analysis.selection import Selection
from pfmparse.commands import report_rows
from pfmparse.commands.outcome import BadInput
from pfmparse.errors import PfmParseError
from pfmparse.recording import open_capture
from pfmparse.symbols.location import Detail, SymbolOptions

CASES = int(os.environ.get("DAMAGED_CASES", 200))  # for each command
SEED = os.environ.get("FUZZ_SEED", "0")
HANG = 60  # seconds; a case takes milliseconds
MEMORY = Path("/dev/shm")
NAME = "damaged.pfm"
OUTPUT = "out"  # prefix of the names of the files that a command may write


@dataclass(frozen=True)
class Counted:
    """The result of a command.

    ``samples`` is the number of samples that it counted, or None if it refused the
    capture or does not count samples. In these cases, ``said`` must not be empty: it is
    what the command printed. ``wrote`` is True if the command has written ``OUTPUT``.
    """

    samples: Optional[int]
    said: str
    wrote: bool = False


Run = Callable[[Path], Counted]


def program() -> Program:
    """Return a program that has no file, because these cases do not need symbols."""
    names = {"hot": 0x1100, "warm": 0x1200, "main": 0x1300}
    where = writers.mapping(LOAD + 0x1000, LOAD + 0x3000, 0x1000, "/no/program")
    return Program(Path("/no/program"), "ab" * 20, names, where, 0)


UNHARMED = {**every_format.captures(program()), "every chunk": every_chunk.made()}


def capture(number: int) -> bytes:
    """Build the capture of a case, which has a random format and is damaged one
    to three times.
    """
    random = Random(f"{SEED} {number}")
    return damaged(random, UNHARMED[random.choice(sorted(UNHARMED))])


@cache
def counted(number: int) -> Optional[int]:
    """Report a case by address; return the number of samples, or None on failure."""
    try:
        recording = open_capture(io.BytesIO(capture(number)))
        options = Options(Selection(), SymbolOptions())
        source = Input("x", recording, options, lambda _: None, Detail.OBJECT)
        made = report_rows.make([source], report_rows.Options(["ip"]))
    except (BadInput, PfmParseError):
        return None
    return made.samples


def check(*runs: Run) -> None:
    """Check that each of ``runs`` agrees with a report on damaged captures.

    The runs take turns: each case is for one of them. A run must refuse the capture or
    count its samples. It may leave its output behind only if it succeeds, and must not
    leave temporary files behind.
    """
    with _directory() as directory, _alarms(), _warnings_as_errors():
        path = directory / NAME
        for number, run in zip(range(CASES), cycle(runs)):
            signal.alarm(HANG)
            path.write_bytes(capture(number))
            try:
                _check(run, path, number)
            except Exception as error:
                raise AssertionError(f"case {number} with FUZZ_SEED={SEED}") from error


def _check(run: Run, path: Path, number: int) -> None:
    found = run(path)
    if found.samples is None:
        assert found.said
    else:
        assert found.samples == counted(number)
    for entry in path.parent.iterdir():
        assert entry.name == NAME or (found.wrote and entry.name.startswith(OUTPUT))
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()


@contextmanager
def _directory() -> Iterator[Path]:
    """Make a directory in memory, which commands also use for temporary files."""
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(dir=memory))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(tempfile, "tempdir", name)
        # Make each argument parser only once, because making one takes longer than
        # reading these captures.
        patch.setattr(command_line, "_parser_of", cache(command_line._parser_of))
        yield Path(name)


@contextmanager
def _alarms() -> Iterator[None]:
    """Fail if an alarm signal arrives during the with block."""
    before = signal.signal(signal.SIGALRM, _hung)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _warnings_as_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def _hung(*_: object) -> NoReturn:
    pytest.fail(f"still running after {HANG} s")
