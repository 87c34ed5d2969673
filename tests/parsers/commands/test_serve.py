# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run pfmparse serve: its output, its exit, and captures that it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest
from helpers.cli import PARSERS, Capture, importing, run
from helpers.stacks_capture import stack_capture


@contextmanager
def serving(*argv: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Run the command for the duration of the with block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pfmparse", "serve", *argv],
        env={**importing(PARSERS), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def url_of(process: subprocess.Popen[str]) -> str:
    """Wait until the command prints its URL; return the URL."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_ends_quietly_on_a_signal(file: str, number: signal.Signals) -> None:
    with serving(file) as process:
        url = url_of(process)
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{url}api/session") as answer:
            assert json.load(answer)["total"] == 3
        process.send_signal(number)
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.read() == "Press Ctrl-C to end.\n"
        assert (process.stderr.read(), process.wait()) == ("", 0)


def test_options_select_samples(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(stack_capture())
    with serving("--tid", "101", str(path)) as process:
        with urllib.request.urlopen(f"{url_of(process)}api/session") as answer:
            assert json.load(answer)["total"] == 1


def test_browser_gets_the_url_in_a_private_file(file: str, tmp_path: Path) -> None:
    seen, script = tmp_path / "seen", tmp_path / "browser"
    script.write_text(
        '#!/bin/sh\npage="${1#file://}"\n'
        f'{{ echo "$page"; stat -c %a "${{page%/*}}"; cat "$page"; }} > {seen}\n'
        "kill -INT $PPID\n"
    )
    script.chmod(0o755)
    with serving("--browser", file, BROWSER=str(script)) as process:
        url = url_of(process)
        assert process.wait() == 0
    page, mode, *lines = seen.read_text().splitlines()
    assert mode == "700"
    assert f'<meta http-equiv="refresh" content="0; url={url}">' in lines
    assert not Path(page).parent.exists()


def test_missing_browser_is_no_failure(file: str) -> None:
    with serving("--browser", file, BROWSER="/nonexistent", PATH="/none") as process:
        url_of(process)
        assert process.stderr is not None
        assert process.stderr.readline() == (
            "pfmparse: no browser found: open the URL yourself, or set BROWSER\n"
        )
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


@pytest.mark.parametrize(
    "content,said",
    [
        (b"", "the file ends within its header"),
        (None, "No such file or directory"),
    ],
)
def test_unreadable_capture_is_refused(
    content: bytes, said: str, capsys: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "x.pfm"
    if content is not None:
        path.write_bytes(content)
    status, out, err = run(capsys, "serve", str(path))
    assert (status, out) == (1, "")
    assert err.startswith(f"pfmparse: {path}: ") and said in err


def test_truncated_capture_is_served_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(stack_capture()[:-8])
    with serving(str(path)) as process:
        url_of(process)
        assert process.stderr is not None
        assert process.stderr.readline().startswith(f"pfmparse: {path}: offset")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
