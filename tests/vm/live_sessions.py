# SPDX-License-Identifier: MIT OR GPL-2.0
"""Control a session while pfmon is measuring: commands for a guest, and their checks.

Each command waits for the effect that it needs, so that a slow guest does not change
the results.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from boot import ROOT, Boot
from reading import pfmparse

# Wait until pfmon no longer traces the command.
LET_GO = 'while grep -q "TracerPid:.*[1-9]" /proc/$$/status; do :; done; exit 7'
# Wait until pfmon has closed its context. This is used in sessions in which pfmon does
# not trace the command.
LET_BE = "while grep -qs pfm_state /proc/$PPID/fdinfo/*; do :; done; exit 7"
BEGUN = "/out/begun"
# Fail instead of waiting further if pfmon has ended.
WAIT = "do kill -0 $PPID || exit 9; done"
# Start measuring with SIGUSR1, and print the counts with SIGUSR2. pfmon handles the
# signals in this order.
BEGIN = (
    f"kill -USR1 $PPID; kill -USR2 $PPID; until grep -q clock {BEGUN}; {WAIT}; "
    'i=0; while [ "$i" -lt 500 ]; do i=$((i+1)); done'
)
CONTROL = "--control=fifo:/tmp/control,/tmp/ack"
SEND = "echo {} >/tmp/control; read ack </tmp/ack; "
# Stop measuring; the command ends when pfmon has closed its context.
STOP = f"{SEND.format('stop')} {LET_BE}"
ENABLE = f"{SEND.format('enable')}" 'i=0; while [ "$i" -lt 500 ]; do i=$((i+1)); done'
# The format "threshold" skips a sample if the recorded PMD has increased by less than
# "min" since the last sample. Here no PMD is recorded, so the increase is always 0, and
# samples are recorded only with min=0.
THRESHOLD = (
    "-e page-faults --long-smpl-periods=1 --smpl-module=threshold --smpl-arg=min=1"
)
SET = " ".join(
    [SEND.format(f"set {words}") for words in ("min=x", "buf_size=8192", "min=0")]
    + [SEND.format("nonsense"), "for i in 1 2 3; do (:); done"]
)
SNAPSHOTS = 2
# Each snapshot contains new page faults, because forking subshells causes them.
TAKE = " ".join(
    f"kill -USR2 $PPID; until test -e /out/{{0}}.cap.{n}; {WAIT}; "
    f"for i in 1 2 3; do (:); done;"
    for n in range(1, SNAPSHOTS + 1)
)
FAULTS = "-e page-faults,page-faults --long-smpl-periods=1 --smpl-entries=16"
EVERYWHERE = "pfmon --system-wide"
BRIEFLY = "pfmon --duration=0.01 -e cpu-clock"


def command() -> str:
    """Return the command that runs all cases."""
    fall = "test $? = 7"
    lines = [
        f"{{ {BRIEFLY} --follow-all sh -c '{LET_GO}'; {fall}; }}",
        f"{{ {BRIEFLY} sh -c '{LET_BE}'; {fall}; }}",
        f"{{ {EVERYWHERE} --duration=0.01 -e cpu-clock sh -c '{LET_GO}'; {fall}; }}",
        "pfmon --delay=-1 -e cpu-clock -o /out/never true",
        f"pfmon --delay=-1 -e cpu-clock -o {BEGUN} sh -c '{BEGIN}'",
        f"pfmon {FAULTS} -o /out/divided.cap sh -c '{TAKE.format('divided')}'",
        f"{EVERYWHERE} {FAULTS} -uk -o /out/all.cap sh -c '{TAKE.format('all')}'",
        f"{EVERYWHERE} -e cpu-clock --snapshot=0.01 --duration=0.1 -o /out/clocks",
        "mkfifo /tmp/control /tmp/ack",
        f"{{ pfmon {CONTROL} -e cpu-clock sh -c '{STOP}'; {fall}; }}",
        f"pfmon {CONTROL} --delay=-1 -e cpu-clock -o /out/enabled sh -c '{ENABLE}'",
        f"pfmon {CONTROL} {THRESHOLD} -o /out/set.cap sh -c '{SET}'",
        f"{EVERYWHERE} {CONTROL} {THRESHOLD} -o /out/set_all.cap sh -c '{SET}'",
    ]
    return f"({' && '.join(lines)}) 2>&1"


def check_times(boot: Boot) -> None:
    """Fail the test unless measuring starts and ends at the right time."""
    assert boot.command("live_sessions") == 0, boot.printed("live_sessions")
    assert _count(boot.out / "never") == 0
    assert _count(boot.out / "begun") > 0


def check_snapshots(boot: Boot, name: str) -> None:
    """Fail the test unless each sample is in exactly one capture."""
    assert boot.command("live_sessions") == 0, boot.printed("live_sessions")
    files = [f"{name}.cap.{n}" for n in range(1, SNAPSHOTS + 1)] + [f"{name}.cap"]
    said = re.findall(
        rf"(\d+) samples, (\d+) lost, .* -> /out/({name}\.cap\S*)",
        boot.printed("live_sessions"),
    )
    assert [file for *_, file in said] == files
    found = [_info(boot.out / file) for file in files]
    samples = [info["samples"] for info in found]
    lost = [info["lost"] for info in found]
    # The last line contains the totals.
    assert [int(n) for n, *_ in said] == [*samples[:-1], sum(samples)]
    assert [int(n) for _, n, _ in said] == [*lost[:-1], sum(lost)]
    assert all(samples)


def check_control(boot: Boot, plugins: tuple[Path, ...]) -> None:
    """Fail the test unless the commands sent through the FIFO take effect."""
    said = boot.printed("live_sessions")
    assert boot.command("live_sessions") == 0, said
    assert _count(boot.out / "enabled") > 0
    for name in ("set", "set_all"):
        found = re.search(rf"(\d+) samples, .* (\d+) skipped.* -> .*/{name}.cap", said)
        assert found and all(map(int, found.groups())), said
        path = boot.out / f"{name}.cap"
        info = json.loads(pfmparse("info", "--json", path, plugins=plugins))
        (change,) = info["argument_changes"]
        assert info["format"]["arg"]["min"] == 1
        assert change["arg"] == {**info["format"]["arg"], "min": 0}
        assert info["start_ns"] < change["realtime_ns"] < info["end_ns"]
    for complaint in (
        "min=x: 'x' is not a number",
        "threshold cannot change buf_size=8192 while it records",
        "unknown command 'nonsense': use enable",
    ):
        assert said.count(complaint) == 2, said


def _count(path: Path) -> int:
    return int(path.read_text().split()[0])


def _info(capture: Path) -> dict[str, int]:
    """Return what `pfmparse info` says about a capture. It must print no warning."""
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", "info", "--json", capture],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    totals: dict[str, int] = json.loads(done.stdout)
    return totals
