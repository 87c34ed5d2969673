# SPDX-License-Identifier: MIT OR GPL-2.0
"""Demangle names of C++ and Rust with binutils' c++filt."""

from __future__ import annotations

import os
import re
import select
import time
import weakref
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Optional

if TYPE_CHECKING:
    import subprocess

PROGRAM = "c++filt"

# Mangled names of C++ (Itanium ABI) and Rust, limited to the size of c++filt's buffer.
_MANGLED = re.compile(r"_[ZR][A-Za-z0-9_.$@]{1,16000}")
CHUNK = 4096  # bytes of names that are written at once; they fit into every pipe
TIMEOUT = 10.0  # seconds until the output for a chunk must be complete
LONGEST = 64 << 20  # maximum number of bytes of the output for a chunk


class Names:
    """Maps names in files to the names to show; one process demangles all names."""

    def __init__(self, demangle: bool, warn: Callable[[str], None]) -> None:
        """If names cannot be demangled, calls ``warn`` once with the reason."""
        self._demangle = demangle
        self._warn = warn
        self._shown: dict[str, str] = {}
        self._filter: Optional[_Filter] = None

    def __getitem__(self, name: str) -> str:
        """Returns the name to show for a name that was passed to learn()."""
        return self._shown[name]

    def learn(self, names: Iterable[str]) -> None:
        """Demangles new names; leaves names that are not mangled as they are."""
        new = {name for name in names if name not in self._shown}
        self._shown.update((name, name) for name in new)
        for chunk in _chunks(sorted(filter(_MANGLED.fullmatch, new))):
            if not self._demangle:
                return
            self._shown.update(zip(chunk, self._demangled(chunk)))

    def _demangled(self, names: list[str]) -> list[str]:
        try:
            if self._filter is None:
                self._filter = _Filter()
            return self._filter.lines(names)
        except OSError as error:
            self._demangle = False
            what = error.strerror or str(error)
            self._warn(f"names stay mangled: {PROGRAM} (of binutils) failed: {what}")
            return names


class _Filter:
    """A running c++filt, which is killed when this object is deleted."""

    def __init__(self) -> None:
        """Raises OSError if c++filt cannot be started."""
        import subprocess  # slow to import, and rarely needed

        # --no-verbose omits the hashes in Rust's names, and shows std::string without
        # its template arguments.
        process = subprocess.Popen(
            [PROGRAM, "--no-verbose"],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._process = process
        self._end = weakref.finalize(self, _end, process)

    def lines(self, names: list[str]) -> list[str]:
        """Returns the output line for each name.

        Raises OSError if the lines do not arrive in time.
        """
        assert self._process.stdin and self._process.stdout
        try:
            os.write(self._process.stdin.fileno(), "".join(map(_line, names)).encode())
            answer = self._read(self._process.stdout.fileno(), len(names))
        except OSError:
            self._end()
            raise
        return answer.decode(errors="replace").split("\n")[:-1]

    def _read(self, pipe: int, lines: int) -> bytes:
        deadline = time.monotonic() + TIMEOUT
        parts: list[bytes] = []
        size = 0
        while lines:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([pipe], [], [], left)[0]:
                raise TimeoutError(0, "it takes too long")
            if size > LONGEST:
                raise OSError(0, "its output is too long")
            part = os.read(pipe, 1 << 16)
            if not part:
                raise OSError(0, "it exited")
            parts.append(part)
            size += len(part)
            lines -= part.count(b"\n")
        return b"".join(parts)


def _end(process: subprocess.Popen[bytes]) -> None:
    with process:  # closes its pipes and waits
        process.kill()


def _line(name: str) -> str:
    return f"{name}\n"


def _chunks(names: Iterable[str]) -> Iterator[list[str]]:
    """Yields names in groups of at most CHUNK bytes; a longer name is on its own."""
    chunk: list[str] = []
    size = 0
    for name in names:
        if chunk and size + len(name) + 1 > CHUNK:
            yield chunk
            chunk, size = [], 0
        chunk.append(name)
        size += len(name) + 1
    if chunk:
        yield chunk
