# SPDX-License-Identifier: MIT OR GPL-2.0
"""Encode events on a simulated machine."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEVICES = "sys/bus/event_source/devices"
TRACING = "sys/kernel/tracing"


@dataclass(frozen=True)
class Encoded:
    """The registers of an event, and the CPUs that count it."""

    pmc: int
    config1: int
    config2: int
    cpus: str  # "-" for all
    per_thread: bool


class Encoder:
    """Run event_encoder on a temporary root directory."""

    def __init__(self, program: Path, root: Path) -> None:
        self.program = program
        self.root = root
        self.prefix: tuple[str, ...] = ()

    def _run(self, levels: str, name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.prefix, self.program, self.root, levels, name],
            capture_output=True,
            text=True,
            check=False,
        )

    def obey_modes(self) -> None:
        """From now on, encode without the capabilities that override file modes."""
        if os.geteuid() == 0:
            self.prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")

    def __call__(self, name: str, levels: str = "-") -> Encoded:
        run = self._run(levels, name)
        assert run.returncode == 0, run.stderr
        pmc, config1, config2, cpus = run.stdout.split()[-4:]
        return Encoded(
            int(pmc, 16),
            int(config1, 16),
            int(config2, 16),
            cpus.removeprefix("!"),
            not cpus.startswith("!"),
        )

    def complaint(self, name: str) -> str:
        """Return the message for an event that cannot be encoded."""
        run = self._run("-", name)
        assert run.returncode == 1
        assert run.stdout == ""
        return run.stderr

    def listed(self, pattern: str) -> list[str]:
        """Return the event names that pfmon --list-events=PATTERN prints."""
        run = self._run("list", pattern)
        assert run.returncode == 0, run.stderr
        return [line.split()[0] for line in run.stdout.splitlines()]

    def told(self, names: str) -> str:
        """Return the output of pfmon --event-info=NAMES."""
        run = self._run("info", names)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def told_as_json(self, what: str, names: str) -> list[Any]:
        """Return the events from --list-events or --event-info with -j."""
        run = subprocess.run(
            [self.program, self.root, what, names, "json"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.count("\n") == 1
        events: list[Any] = json.loads(run.stdout).pop("events")
        return events

    def add(self, path: str, text: str) -> None:
        """Create a file with one line."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")

    def add_pmu(self, name: str, number: int, files: Mapping[str, str]) -> None:
        """Create a PMU with these files."""
        self.add(f"{DEVICES}/{name}/type", str(number))
        for file, text in files.items():
            self.add(f"{DEVICES}/{name}/{file}", text)

    def add_tracepoint(self, name: str, number: int, mount: str = TRACING) -> None:
        """Create the tracepoint SYSTEM:EVENT."""
        system, event = name.split(":")
        self.add(f"{mount}/events/{system}/{event}/id", str(number))
