# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the programs of an SDK that `make install` has installed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import kernel_source


@dataclass(frozen=True)
class Sdk:
    """An installed SDK."""

    prefix: Path

    @property
    def share(self) -> Path:
        """Return the directory that contains format.mk."""
        return self.prefix / "share/perfmon"

    @property
    def python(self) -> dict[str, str]:
        """Return an environment in which Python finds pfmparse."""
        return {"PYTHONPATH": str(self.prefix / "lib/python3/dist-packages")}

    def make(
        self, folder: Path, *words: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run make in a format's folder; return the finished process."""
        return self.run(
            ["make", "-s", f"PERFMON_SDK={self.share}", *words], folder, environment
        )

    def vm(
        self, *words: str | Path, cwd: Path = Path("/")
    ) -> subprocess.CompletedProcess[str]:
        """Run pfm-vm."""
        return self.run([self.prefix / "bin/pfm-vm", *words], cwd, {})

    def conform(
        self, *words: str | Path, cwd: Path = Path("/")
    ) -> subprocess.CompletedProcess[str]:
        """Run pfm-conform."""
        return self.run([self.prefix / "bin/pfm-conform", *words], cwd, self.python)

    def run(
        self, command: list[str | Path], cwd: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the SDK or of this machine."""
        return subprocess.run(
            command,
            cwd=cwd,
            env={**kernel_source.build_environment(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
