# SPDX-License-Identifier: MIT OR GPL-2.0
"""Opening of input files, and error messages that name them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.cli import PARSERS, Capture, importing, run, told
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    pebs_capture,
    pmd,
    session,
    simple_capture,
)
from pfmparse.commands.opening import BadInput, blaming
from pfmparse.errors import PfmParseError


def test_errors_name_the_file() -> None:
    with pytest.raises(BadInput, match="^x.pfm: offset 0x5: odd$"), blaming("x.pfm"):
        raise PfmParseError("odd", 5)
    with pytest.raises(BadInput, match="^x.pfm: No space$"), blaming("x.pfm"):
        raise OSError(28, "No space")
    with pytest.raises(BadInput, match="^/other: Is gone$"), blaming("x.pfm"):
        raise OSError(2, "Is gone", "/other")


def test_broken_pipe_is_not_blamed_on_the_file() -> None:
    with pytest.raises(BrokenPipeError), blaming("x.pfm"):
        raise BrokenPipeError(32, "Broken pipe")


def test_session_control_groups_are_printed_once(
    tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "x.pfm"
    sess = {**session(), "cgroups": ["/a", "/\x1b"]}
    file.write_bytes(simple_capture([Sample()] * 3, sess))
    status, out, err = run(capsys, "report", str(file), "--json")
    assert (status, json.loads(out)["total"]) == (0, 0)
    assert err == (
        f"pfmparse: {file}: only samples of control group /a, /\\x1b, as the "
        "capture requests; use --cgroup / to select all\n"
    )
    assert told(capsys, "report", "--cgroup=/", str(file))["total"] == 3


@pytest.mark.parametrize("command", ["report", "info", "show", "mem"])
def test_commands_read_a_pipe(command: str) -> None:
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
