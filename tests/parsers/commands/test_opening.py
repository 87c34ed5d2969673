# SPDX-License-Identifier: MIT OR GPL-2.0
"""Open input files."""

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


def test_session_control_groups_are_printed_once(
    tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "x.pfm"
    sess = {**session(), "cgroups": ["/a", "/\x1b"]}
    file.write_bytes(simple_capture([Sample()] * 3, sess))
    status, out, err = run(capsys, "report", str(file), "--json")
    assert (status, json.loads(out)["total"]) == (0, 0)
    assert err == (
        f"pfmparse: {file}: only samples of control group /a, /\\x1b are selected, as "
        "the capture requests; use --cgroup / to select all samples\n"
    )
    assert told(capsys, "report", "--cgroup=/", str(file))["total"] == 3


@pytest.mark.parametrize(
    ("options", "latencies", "warned"),
    [
        (("mem", "--view=level"), (0, 0), True),
        (("mem", "--view=level"), (0, 9), False),
        (("mem", "--view=level"), (), False),
        (("report", "--by=data-address"), (0, 0), False),
    ],
)
def test_column_that_is_0_in_all_samples_is_reported(
    options: tuple[str, ...],
    latencies: tuple[int, ...],
    warned: bool,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    file = tmp_path / "x.pfm"
    samples = [Sample(pmds=((260, 64), (261, latency))) for latency in latencies]
    file.write_bytes(simple_capture(samples, session({0: [pmd(0, [260, 261])]})))
    status, _, err = run(capsys, *options, str(file))
    said = f"pfmparse: {file}: lat is 0 in all samples: perhaps the PMU"
    assert status == 0 and err.startswith(said) is warned and bool(err) is warned


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
