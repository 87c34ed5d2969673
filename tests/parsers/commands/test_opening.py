# SPDX-License-Identifier: MIT OR GPL-2.0
"""Opens the files of a command."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.cli import PARSERS, importing
from helpers.writers import UUID_PEBS64, pebs_capture, pmd, session
from pfmparse.commands.opening import BadInput, blaming
from pfmparse.errors import PfmParseError


def test_errors_name_the_file() -> None:
    with pytest.raises(BadInput, match="^x.pfm: offset 0x5: odd$"), blaming("x.pfm"):
        raise PfmParseError("odd", 5)
    with pytest.raises(BadInput, match="^x.pfm: No space$"), blaming("x.pfm"):
        raise OSError(28, "No space")
    with pytest.raises(BadInput, match="^/other: Is gone$"), blaming("x.pfm"):
        raise OSError(2, "Is gone", "/other")


def test_a_reader_that_has_gone_is_no_fault_of_the_file() -> None:
    with pytest.raises(BrokenPipeError), blaming("x.pfm"):
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("command", ["report", "info", "show", "mem"])
def test_a_pipe_is_read(command: str) -> None:
    sess = session({0: [pmd(0)]}, UUID_PEBS64)
    data = pebs_capture([{"ip": 0x1000, "dla": 8, "dse": 0x142}], 176, sess)
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", command, "/dev/stdin"],
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=importing(PARSERS),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"1" in done.stdout
