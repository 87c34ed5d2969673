# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sample at a frequency, or too often: commands for a guest, and their checks."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from boot import ROOT

HZ = 2000
# In the arm64 guest, an instruction takes 2 ns and a cycle takes 1 ns.
CYCLES_A_SECOND = 1_000_000_000
# Captures of cycles, and the options of their sessions. In the first, the kernel adds a
# context for each new thread. In the second, pfmon itself follows the threads.
CYCLES = {"often": "", "often-followed": "--follow-all"}
# The program "retire" executes two instructions per round.
ROUNDS = 100_000_000
# The sampling frequency of page faults. They come from the shell loop in command(),
# which starts a process in each round.
FAULT_HZ = 20
# The first part of the samples, as a fraction, in which the period is still being
# adapted.
EARLY = 1 / 2
# perfmon's limit in overflows per second, and a command that causes more page faults
# than that.
FEW = 20
FORKS = "for i in $(seq 50); do (true); done"
FORKING = f"sh -c '{FORKS}'"
# Addresses in the kernel are at least as high as this.
KERNEL = 1 << 63
# perf's limit in samples per second, and a sampling period of cpu-clock, in ns, that is
# too short for this limit.
LIMIT = 500
SHORT = 200_000


def command(arch: str) -> str:
    """Return the command that samples at frequencies."""
    sample = f"pfmon --system-wide -uk -F {FAULT_HZ} -e page-faults -o /out/faults.cap"
    lines = [
        "{ while :; do (true); done & }",
        f"{sample} --duration=1",
        "kill $!",
        f"pfmon -F {HZ} -o /out/default.cap sh -c '{FORKS}; hotloops 50'",
    ]
    if arch == "arm64":
        sample = f"pfmon -F {HZ}, -e cycles,instructions"
        lines += [
            f"{sample} {option} -o /out/{name}.cap retire {ROUNDS}"
            for name, option in CYCLES.items()
        ]
    return f"({' && '.join(lines)}) 2>&1"


def command_throttled() -> str:
    """Return the command that samples more often than perf permits."""
    rate, percent = (
        f"/proc/sys/kernel/perf_{name}"
        for name in ("event_max_sample_rate", "cpu_time_max_percent")
    )
    sample = f"pfmon -e cpu-clock --long-smpl-periods={SHORT} -o /out/throttled.cap"
    lines = [
        f"rate=$(cat {rate})",
        f"percent=$(cat {percent})",
        f"echo 25 >{percent}",
        f"echo {LIMIT} >{rate}",
        f"{sample} hotloops 300",
        "status=$?",
        f"echo $rate >{rate}",
        f"echo $percent >{percent}",
        "exit $status",
    ]
    return f"({'; '.join(lines)}) 2>&1"


def command_limited() -> str:
    """Return the command that samples threads more often than perfmon permits."""
    rate = "/sys/module/perfmon/parameters/ovfl_rate_max"
    sample = "pfmon -e page-faults --long-smpl-periods=1 -o /out/limited"
    lines = [
        f"rate=$(cat {rate})",
        f"echo {FEW} >{rate}",
        f"{sample}.one.cap --no-inherit {FORKING} >/dev/null",
        "status=$?",
        f"{sample}.family.cap {FORKING} >/dev/null || status=$?",
        f"echo $rate >{rate}",
        "exit $status",
    ]
    return f"({'; '.join(lines)}) 2>&1"


def _pfmparse(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _periods(path: Path) -> list[tuple[int, int]]:
    """Return the time and the period of each sample, sorted by time."""
    samples = _pfmparse("dump", "--json", str(path))
    return sorted((s["tstamp"], -s["last_reset_val"] % 2**64) for s in samples)


def check_cycles(out: Path, name: str) -> None:
    """Check the frequency of the samples, and that their periods cover all events."""
    path = out / f"{name}.cap"
    samples = _periods(path)
    late = samples[int(len(samples) * EARLY) :]
    seconds = (late[-1][0] - late[0][0]) / 1e9
    assert abs(len(late) / seconds / HZ - 1) < 0.1
    right = CYCLES_A_SECOND / HZ
    assert abs(statistics.median(period for _, period in late) / right - 1) < 0.1
    # There are no gaps between the periods of consecutive samples, except after a
    # period was shortened.
    whole = sum(period for _, period in late[1:])
    assert abs(whole / (CYCLES_A_SECOND * seconds) - 1) < 0.05
    (described,) = _pfmparse("info", "--json", str(path))
    assert [event["frequency"] for event in described["events"]] == [HZ, None]


def check_faults(out: Path) -> None:
    """Check that the period grows if the first one causes too many samples."""
    periods = [period for _, period in _periods(out / "faults.cap")]
    assert periods[0] == 1
    assert max(periods) > 10


def check_default(out: Path, arch: str, printed: str) -> None:
    """Check that pfmon samples the one default event that the emulated CPU supports.

    Root is allowed to sample the kernel, too.
    """
    (described,) = _pfmparse("info", "--json", str(out / "default.cap"))
    (event,) = described["events"]
    fallback = arch != "arm64"
    assert event["event"] == ("cpu-clock" if fallback else "cycles")
    assert ("pfmon: sampling cpu-clock instead of cycles: " in printed) is fallback
    samples = _pfmparse("dump", "--json", str(out / "default.cap"))
    assert {sample["ip"] >= KERNEL for sample in samples} == {True, False}
    assert event["frequency"] == HZ


def check_throttled(out: Path, printed: str) -> None:
    """Check that pfmon and pfmparse report how often perf stopped the counter."""
    summary = re.search(
        r"^pfmon: (\d+) samples, 0 lost, throttled (\d+) times, ", printed, re.MULTILINE
    )
    assert summary, printed
    samples, times = map(int, summary.groups())
    assert 0 < times <= samples
    assert "pfmon: perf stopped counters that overflowed too often, " in printed
    (described,) = _pfmparse("info", "--json", str(out / "throttled.cap"))
    assert (described["lost"], described["throttled"]) == (0, times)


def check_limited(out: Path, printed: str) -> None:
    """Check that pfmon and pfmparse report that perfmon's limit was exceeded."""
    times = [int(n) for n in re.findall(r", limited (\d+) times?, ", printed)]
    assert len(times) == 2 and min(times) > 0, printed
    assert printed.count("pfmon: limit reached: ") == 2, printed
    captures = [str(out / f"limited.{name}.cap") for name in ("one", "family")]
    described = [_pfmparse("info", "--json", capture)[0] for capture in captures]
    assert [capture["limited"] for capture in described] == times
