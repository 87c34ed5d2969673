# SPDX-License-Identifier: MIT OR GPL-2.0
"""Load exports into Firefox Profiler, with its command-line program."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

import pytest
from helpers.exporting import NAMES, by_label, exported
from viewers import NODE_MODULES, Node

CLI = NODE_MODULES / "@firefox-devtools/profiler-cli/dist/profiler-cli.js"
SESSION = "test"


class Profiler:
    """A profile that this test's daemon has loaded.

    The test starts the daemon itself, because the profiler's command would wait only
    half a second for it.
    """

    def __init__(self, node: Node, file: Path) -> None:
        self._node = node
        self._where = {"PROFILER_CLI_SESSION_DIR": str(file.parent)}
        environment = {**os.environ, **self._where, "HOME": str(file.parent)}
        command = ["node", str(CLI), "--daemon", str(file), "--session", SESSION]
        self._daemon = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL
        )
        socket = file.parent / f"{SESSION}.sock"
        while not socket.exists():
            assert self._daemon.poll() is None
            # Sleep because the socket is the only sign that the daemon is ready.
            time.sleep(0.05)

    def __call__(self, *argv: str) -> str:
        """Return the output of a command."""
        return self._node(CLI, *argv, "--session", SESSION, **self._where)

    def stop(self) -> None:
        """Stop the daemon."""
        self._daemon.terminate()
        self._daemon.wait()

    def told(self, *argv: str) -> Any:
        """Return the JSON output of a command."""
        return json.loads(self(*argv, "--json"))

    def threads(self) -> Iterator[tuple[str, str]]:
        """Yield the handle and the name of each thread."""
        for thread in self.told("thread", "list")["threads"]:
            yield thread["threadHandle"], thread["name"]


@pytest.fixture
def load(node: Node, tmp_path: Path) -> Iterator[Any]:
    """Yield a function that exports a capture and loads it."""
    loaded = []

    def export(file: Path) -> Profiler:
        out = exported(file, "firefox", tmp_path / "profile.json")
        loaded.append(Profiler(node, out))
        return loaded[0]

    yield export
    for profiler in loaded:
        profiler.stop()


@pytest.mark.parametrize("name", NAMES)
def test_firefox_agrees_with_report(
    name: str, captures: dict[str, Path], load: Any
) -> None:
    profiler = load(captures[name])
    counts: Counter[str] = Counter()
    for handle, _ in profiler.threads():
        found = profiler.told("thread", "functions", "--thread", handle, "--limit", "0")
        for function in found["functions"]:
            counts[function["name"]] += function["selfSamples"]
    assert +counts == by_label(captures[name])


def test_callers_are_above_what_they_call(captures: dict[str, Path], load: Any) -> None:
    profiler = load(captures["callstack"])
    names = {name: handle for handle, name in profiler.threads()}
    handle = names["cycles, program 100/100"]
    tree = profiler("thread", "samples-top-down", "--thread", handle)
    places = [tree.index(name) for name in ("!main ", "!hot ", "!_text ", "!do_work ")]
    assert places == sorted(places)
