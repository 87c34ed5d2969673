# SPDX-License-Identifier: MIT OR GPL-2.0
"""Fetch files from debuginfod servers with elfutils' client library."""

from __future__ import annotations

import ctypes as c
import errno
import math
import os
import time
import weakref
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Callable, Iterator, Optional

from ..status_line import StatusLine

URLS, MAXTIME = "DEBUGINFOD_URLS", "DEBUGINFOD_MAXTIME"
LIBRARY = "libdebuginfod.so.1"
LIMIT = 120.0  # seconds for a file, if MAXTIME is not set
MIB = 1 << 20

_Progress = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_long, c.c_long)


class Debuginfod:
    """Fetches executables, their debug information and sources from servers.

    The library caches the files, see docs/pfmparse.md.
    """

    def __init__(self, urls: Optional[str], warn: Callable[[str], None]) -> None:
        """``urls`` are the servers; None means those in the environment.

        If a server fails, calls ``warn`` once, and asks no server again.
        """
        self._urls = os.environ.get(URLS, "") if urls is None else urls
        self._warn = warn
        self._client: Optional[_Client] = None
        self._line = StatusLine()
        self._what, self._until = "", 0.0
        self._late = False
        # A KeyboardInterrupt occurred in a call-back, which cannot raise it.
        self.interrupted = False

    def executable(self, build_id: bytes, name: str) -> Optional[str]:
        """Fetches the executable with this build ID, or returns None."""
        found = self._ask("debuginfod_find_executable", build_id, name)
        self.check()
        return found

    def debuginfo(self, build_id: bytes, name: str) -> Optional[str]:
        """Fetches debug information, or returns None.

        This may be called in a call-back of libdw, which must not raise exceptions.
        Therefore a KeyboardInterrupt is raised only by check(). Call check() after the
        function of libdw has returned.
        """
        what = f"debug information of {name}"
        return self._ask("debuginfod_find_debuginfo", build_id, what)

    def source(self, build_id: bytes, path: str) -> Optional[str]:
        """Fetches a source file of an executable, or returns None."""
        found = None
        if path.startswith("/"):
            name = os.fsencode(path)
            found = self._ask("debuginfod_find_source", build_id, path, name)
        self.check()
        return found

    def check(self) -> None:
        """Raises KeyboardInterrupt if one occurred during a request."""
        if self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def _ask(
        self, function: str, build_id: bytes, what: str, *more: bytes
    ) -> Optional[str]:
        if not self._urls or not build_id:
            return None
        try:
            if self._client is None:
                self._client = _Client(self._go_on)
            with self._asking(what):
                return self._client.find(function, build_id, *more)
        except OSError as error:
            # The library reports a cancelled download as a missing file.
            why = error.strerror
            if self._late or error.errno == errno.ETIME:
                why = f"{what} takes too long; {MAXTIME} sets the limit in seconds"
            elif self.interrupted or error.errno == errno.ENOENT:
                return None
            self._warn(f"no longer querying debuginfod servers: {why}")
            self._urls = ""
            return None

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        limit = os.environ.get(MAXTIME, "")
        seconds = float(limit) if limit.isdecimal() and int(limit) else LIMIT
        self._what, self._until = what, time.monotonic() + seconds
        self._late = False
        self._line.restart()
        # Set the library's own limit, too: newer libraries make no call-backs while
        # they wait for a server's answer.
        whole = str(max(1, math.ceil(seconds)))
        with environment(URLS, self._urls), environment(MAXTIME, whole):
            try:
                yield
            finally:
                self._line.remove()

    def _go_on(self, done: int, total: int) -> bool:
        """Shows the progress of a download; returns False to cancel it."""
        try:
            size = f": {done // MIB} of {total // MIB} MiB" if total > 0 else ""
            self._line.show(f"fetching {self._what!r}{size}")
            self._late = time.monotonic() > self._until
        except KeyboardInterrupt:
            self.interrupted = True
        return not (self._late or self.interrupted)


class _Client:
    """A debuginfod_client of libdebuginfod, closed when this object is deleted."""

    def __init__(self, go_on: Callable[[int, int], bool]) -> None:
        """``go_on`` is called during downloads, with the bytes so far and the total.

        It returns False to cancel the download.

        Raises OSError if the library is not installed.
        """
        self._library = _library()
        self._handle = self._library.debuginfod_begin()
        if not self._handle:
            raise OSError(errno.ENOMEM, f"{LIBRARY} cannot start")
        self._progress = _Progress(lambda _, done, all_: int(not go_on(done, all_)))
        self._library.debuginfod_set_progressfn(self._handle, self._progress)
        weakref.finalize(self, self._library.debuginfod_end, self._handle)

    def find(self, function: str, build_id: bytes, *more: bytes) -> str:
        """Returns the path of a file; raises OSError if no server has it."""
        path = c.c_void_p()
        ask = getattr(self._library, function)
        descriptor = ask(self._handle, build_id, len(build_id), *more, c.byref(path))
        if descriptor < 0:
            raise OSError(-descriptor, os.strerror(-descriptor))
        os.close(descriptor)
        found = os.fsdecode(c.string_at(path.value or 0))
        c.CDLL(None).free(path)
        return found


@lru_cache(maxsize=None)
def _library() -> Any:
    """Returns libdebuginfod with its prototypes; raises OSError if it is missing."""
    try:
        library = c.CDLL(LIBRARY)
    except OSError as error:
        raise OSError(errno.ELIBACC, f"{LIBRARY} is not installed") from error
    pointer = c.c_void_p
    library.debuginfod_begin.restype = pointer
    library.debuginfod_end.restype = None
    library.debuginfod_end.argtypes = [pointer]
    library.debuginfod_set_progressfn.argtypes = [pointer, _Progress]
    file = [pointer, c.c_char_p, c.c_int]
    for name in ("debuginfod_find_executable", "debuginfod_find_debuginfo"):
        getattr(library, name).argtypes = [*file, c.POINTER(pointer)]
    library.debuginfod_find_source.argtypes = [*file, c.c_char_p, c.POINTER(pointer)]
    return library


@contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """Sets an environment variable for the duration of a with block.

    libdebuginfod and libdw can be configured only through the environment.
    """
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
