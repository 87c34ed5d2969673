# SPDX-License-Identifier: MIT OR GPL-2.0
"""Download executables and debug information from the tests' debuginfod server."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Iterator, Optional

import numpy as np
import pytest
from helpers.programs import Program, compiled, run
from helpers.terminal import Terminal
from pfmparse import status_line
from pfmparse.symbols import debuginfod
from pfmparse.symbols.elf_file import ElfFile
from pfmparse.symbols.files import Files
from pfmparse.symbols.location import SymbolOptions

SILENT = "this libdebuginfod does not call back while a server is silent"


@dataclass
class Server:
    """A debuginfod server of ``files``, which have URL paths as keys.

    It answers requests for other paths with an error, but only after ``open`` is set.
    """

    url: str
    files: dict[str, Path] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    open: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a debuginfod server; no other one is configured, and the cache is empty."""
    try:
        ctypes.CDLL(debuginfod.LIBRARY)
    except OSError:
        pytest.skip(f"{debuginfod.LIBRARY} is not installed")
    played = Server("")
    played.open.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            played.asked.append(self.path)
            path = played.files.get(self.path)
            if path is None:
                played.open.wait()
                with suppress(BrokenPipeError):
                    self.send_error(404)
                return
            self.send_response(200)
            content = path.read_bytes()
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    played.url = f"http://127.0.0.1:{http.server_address[1]}"
    monkeypatch.setenv("DEBUGINFOD_CACHE_PATH", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name in (debuginfod.URLS, debuginfod.MAXTIME):
        monkeypatch.delenv(name, raising=False)
    yield played
    played.open.set()
    http.shutdown()
    thread.join()
    http.server_close()


@dataclass(frozen=True)
class Split:
    """A program, its stripped executable and its debug information."""

    whole: Program
    stripped: Path
    debug: Path

    def path(self, what: str) -> str:
        """Return the URL path of ``what`` on a debuginfod server."""
        return f"/buildid/{self.whole.build_id}/{what}"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Split:
    where = tmp_path_factory.mktemp("bin")
    made = Split(compiled(where / "x"), where / "stripped", where / "x.dbg")
    run("objcopy", "--only-keep-debug", made.whole.path, made.debug)
    run("strip", "-o", made.stripped, made.whole.path)
    return made


def look(
    program: Split, urls: Optional[str], said: list[str], name: str = "/gone/x"
) -> tuple[Optional[str], bool]:
    """Look up hot()'s address; return the function, and whether its line is known."""
    files = Files(SymbolOptions(debuginfod=urls), said.append)
    file = files.open(bytes.fromhex(program.whole.build_id), [name])
    if file is None:
        return None, False
    at = np.array([program.whole.address("hot")], np.uint64)
    (symbol,), (line,) = file.functions(at), file.lines(at)
    return symbol and symbol.name, line is not None


def test_debuginfod_files_are_fetched_once(program: Split, server: Server) -> None:
    server.files = {
        program.path("executable"): program.stripped,
        program.path("debuginfo"): program.debug,
    }
    said: list[str] = []
    for _ in range(2):
        assert look(program, server.url, said) == ("hot", True)
    assert server.asked == [program.path("executable"), program.path("debuginfo")]
    assert said == []
    assert debuginfod.URLS not in os.environ


def test_debuginfod_servers_come_from_the_environment(
    program: Split, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files = {program.path("debuginfo"): program.debug}
    monkeypatch.setenv(debuginfod.URLS, server.url)
    here = str(program.stripped)
    assert look(program, "", [], here) == (None, False)
    assert server.asked == []
    assert look(program, None, [], here) == ("hot", True)
    assert server.asked == [program.path("debuginfo")]
    assert os.environ[debuginfod.URLS] == server.url


def test_debuginfod_is_not_asked_for_local_files(
    program: Split, server: Server
) -> None:
    whole = str(program.whole.path)
    assert look(program, server.url, [], whole) == ("hot", True)
    assert server.asked == []


def test_debuginfod_provides_sources(
    program: Split, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "x.c").write_text("text")
    server.files = {program.path("source/src/x.c"): tmp_path / "x.c"}
    asked = debuginfod.Debuginfod(server.url, print)
    with ElfFile(str(program.stripped), asked) as elf:
        copy = elf.source("/src/x.c")
        assert copy is not None and Path(copy).read_text() == "text"
        assert elf.source("/src/y.c") is None
        before = list(server.asked)
        # A relative path is not requested because its directory is unknown.
        assert elf.source("y.c") is None
    assert server.asked == before
    with ElfFile(str(program.stripped)) as elf:
        assert elf.source("/src/x.c") is None


def test_debuginfod_file_that_no_server_has_is_missing(
    program: Split, server: Server
) -> None:
    said: list[str] = []
    assert look(program, server.url, said) == (None, False)
    (complaint,) = said
    assert complaint.startswith("/gone/x cannot be read, so its symbols are missing: ")
    here = str(program.stripped)
    assert look(program, server.url, said, here) == (None, False)
    assert said == [complaint]


def test_debuginfod_gives_up_a_silent_server(
    program: Split, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.open.clear()
    monkeypatch.setattr(debuginfod, "LIMIT", 5.0)
    # Each request to the server advances this clock by 10 s, so the first one takes too
    # long.
    clock = SimpleNamespace(monotonic=lambda: 10.0 * len(server.asked))
    monkeypatch.setattr(debuginfod, "time", clock)
    said: list[str] = []
    asked = debuginfod.Debuginfod(server.url, said.append)
    assert asked.executable(b"\x01" * 20, "/gone/x") is None
    assert asked.executable(b"\x02" * 20, "/gone/y") is None
    assert server.asked == [f"/buildid/{'01' * 20}/executable"]
    assert len(said) == 1 and "/gone/x takes too long; DEBUGINFOD_MAXTIME" in said[0]


def test_debuginfod_reports_missing_server_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    asked = debuginfod.Debuginfod("http://127.0.0.1:1", said.append)
    for number in (1, 2):
        assert asked.executable(bytes([number]) * 20, "/gone/x") is None
    assert len(said) == 1 and "no longer querying debuginfod" in said[0]


def test_debuginfod_reports_missing_library_if_needed(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debuginfod, "LIBRARY", "libnone.so.1")
    debuginfod._library.cache_clear()
    said: list[str] = []
    for urls in ("", server.url):
        asked = debuginfod.Debuginfod(urls, said.append)
        assert asked.executable(b"\x01" * 20, "/gone/x") is None
    debuginfod._library.cache_clear()
    assert len(said) == 1 and "libnone.so.1 is not installed" in said[0]


def test_debuginfod_that_cannot_start_is_reported(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debuginfod._library(), "debuginfod_begin", lambda: None)
    said: list[str] = []
    asked = debuginfod.Debuginfod(server.url, said.append)
    for _ in range(2):
        assert asked.executable(b"\x01" * 20, "/gone/x") is None
    assert len(said) == 1 and f"{debuginfod.LIBRARY} cannot start" in said[0]


@pytest.mark.parametrize("fetched", ["/dev/null", "/nonexistent", "interrupt"])
def test_debug_information_that_cannot_be_opened(
    fetched: str, program: Split, monkeypatch: pytest.MonkeyPatch
) -> None:
    def debuginfo(*_: object) -> str:
        if fetched == "interrupt":
            raise KeyboardInterrupt
        return fetched

    monkeypatch.setattr(debuginfod.Debuginfod, "debuginfo", debuginfo)
    said: list[str] = []
    with suppress(KeyboardInterrupt):
        assert look(program, "", said, str(program.stripped)) == (None, False)
        assert fetched != "interrupt"
    assert said == []


def test_debuginfod_shows_progress(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.open.clear()
    monkeypatch.setattr(debuginfod, "LIMIT", 0.5)
    for name in ("FIRST", "NEXT"):
        monkeypatch.setattr(status_line, name, 0.0)
    asked, out = debuginfod.Debuginfod(server.url, lambda _: None), Terminal()
    monkeypatch.setattr(asked, "_line", status_line.StatusLine(out))
    asked.executable(b"\x01" * 20, "/gone/x")
    if not out.getvalue():
        pytest.skip(SILENT)
    assert "fetching '/gone/x'" in out.getvalue() and out.getvalue().endswith(" \r")


@pytest.mark.parametrize("what", ["executable", "debuginfo"])
def test_debuginfod_wait_ends_on_interrupt(
    what: str, program: Split, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.open.clear()
    monkeypatch.setattr(debuginfod, "LIMIT", 5.0)
    called: list[str] = []
    if what == "debuginfo":
        server.files = {program.path("executable"): program.stripped}
    show = status_line.StatusLine.show

    def interrupting(line: status_line.StatusLine, text: str) -> None:
        show(line, text)
        called.append(text)
        if program.path(what) in server.asked:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(status_line.StatusLine, "show", interrupting)
    said: list[str] = []
    try:
        look(program, server.url, said)
    except KeyboardInterrupt:
        assert said == []
    else:
        if not any("debug" in text or what != "debuginfo" for text in called):
            pytest.skip(SILENT)
        pytest.fail("the interrupt did not end the wait")
