# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the SDK's C readers in a program that prints what they read."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

from helpers.cli import ROOT

SOURCES = ROOT / "tests/parsers/readers"
SDK = ROOT / "sdk/include"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
SANITIZED = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
LIVE = 1  # PFM_READ_LIVE

Json = dict[str, Any]


def compiled(source: Path, program: Path, *options: str) -> Path:
    """Compile a program with the SDK's headers and sanitizers; return its path."""
    subprocess.run(
        ["gcc", "-O1", *WARNINGS, f"-I{SDK}", *SANITIZED]
        + ["-o", str(program), str(source), *options],
        check=True,
    )
    return program


@dataclass(frozen=True)
class Found:
    """A reader's output for a buffer. ``lost`` is empty if the buffer was refused."""

    samples: list[Json] = field(default_factory=list)
    problems: list[Json] = field(default_factory=list)
    lost: Json = field(default_factory=dict)


class Readers:
    """A print_records process, which reads buffers until it is closed."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._last: Json = {}

    def close(self) -> None:
        """Wait for the process's exit; check that no sanitizer reported an error."""
        self._process.communicate()
        assert self._process.returncode == 0

    def __call__(
        self,
        name: str,
        buffers: Sequence[bytes],
        session: Json,
        flags: int = 0,
    ) -> list[Found]:
        """Read the buffers of one context in turn; return the output for each."""
        kinds = ";".join(
            f"{s['id']}:{p['num']}:{','.join(map(str, p['smpl_pmds']))}"
            for s in session["sets"]
            for p in s["pmds"]
            if p["sampling"]
        )
        word = 8 if "64" in session["machine"]["arch"] else 4
        self._last = {}
        head = [name, flags, word, kinds, *map(len, buffers)]
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, head)).encode() + b"\n")
        return [self._found(data) for data in buffers]

    def _found(self, data: bytes) -> Found:
        found = Found()
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()
        assert self._process.stdout is not None
        for line in iter(self._process.stdout.readline, b"end\n"):
            assert line, "print_records has exited: see its standard error"
            said = json.loads(line)
            if "sample" in said:
                self._last = said["sample"]
                found.samples.append(self._last)
            elif "caller" in said:
                # A call chain may continue from one buffer to the next.
                offset, cookie = said["caller"]
                self._last.setdefault("callers", []).append(offset)
                self._last.setdefault("caller_cookies", []).append(cookie)
            elif "problem" in said:
                found.problems.append(said)
            else:
                found.lost.update(said["lost"])
        return found
