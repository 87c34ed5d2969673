# SPDX-License-Identifier: MIT OR GPL-2.0
"""What `make install` has put below a prefix, and what an author runs of it."""

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
        """Return the directory of format.mk."""
        return self.prefix / "share/perfmon"

    def make(
        self, folder: Path, *words: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run make in a format's folder."""
        return self._run(
            ["make", "-s", f"PERFMON_SDK={self.share}", *words], folder, environment
        )

    def vm(
        self, *words: str | Path, cwd: Path = Path("/")
    ) -> subprocess.CompletedProcess[str]:
        """Run pfm-vm."""
        return self._run([self.prefix / "bin/pfm-vm", *words], cwd, {})

    def _run(
        self, command: list[str | Path], cwd: Path, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=cwd,
            env={**kernel_source.build_environment(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
