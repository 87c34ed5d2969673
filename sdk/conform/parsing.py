# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the checks of a format's parser in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import checks
import supply
from fmt_modules import Format
from guests import Facts, Options
from ktap import Outcome, Result, progress

HERE = Path(__file__).resolve().parent
OUTCOMES = {outcome.value: outcome for outcome in Outcome}
# Limit in seconds for all checks of a parser; each buffer has its own limit.
MOST_TIME = 1800
# Prefix of each line of decoding.py, because parsers can print, too.
MARK = "@"


def check(
    form: Format, facts: Facts, wanted: list[str], options: Options, out: Path
) -> Iterator[Result]:
    """Yield the results of a parser's checks; without a buffer, all are skipped."""
    if not wanted:
        return
    reason = _missing(facts, out)
    if reason:
        yield from (Result(name, Outcome.SKIPPED, reason) for name in wanted)
        return
    progress(f"{form.name}: its parser")
    found = dict(_outcomes(_command(form, facts, options, out)))
    for name in wanted:
        yield found[name]


def _missing(facts: Facts, out: Path) -> str:
    """Return the reason why nothing can be parsed, or an empty string."""
    if facts.uuid is None:
        return "the format is not loaded"
    if not (out / "buffer").is_file() or not (out / "buffer").stat().st_size:
        return "there is no buffer with records"
    try:
        import numpy  # noqa: F401  pylint: disable=unused-import
    except ImportError:
        return "python3-numpy is not installed"
    return ""


def _command(form: Format, facts: Facts, options: Options, out: Path) -> list[str]:
    words = [str(HERE / "decoding.py"), facts.uuid or "", str(out)]
    words += ["--size", str(facts.size), "--seed", str(options.seed)]
    words += ["--quick"] if options.quick else []
    words += ["--plugin", form.plugin] if form.plugin else []
    return [sys.executable, "-B", *words]


def _outcomes(command: list[str]) -> Iterator[tuple[str, Result]]:
    """Run the command; yield the name and the result of each check."""
    environment = dict(os.environ)
    if supply.is_checkout():
        there = environment.get("PYTHONPATH")
        ours = str(supply.TREE / "parsers")
        environment["PYTHONPATH"] = f"{ours}:{there}" if there else ours
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=MOST_TIME,
            check=False,
        )
    except subprocess.TimeoutExpired:
        text = f"the parser's process does not finish within {MOST_TIME} s"
        yield from _all(Outcome.FAILED, text)
        return
    last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
    crash = f"the parser's process ended early: {last[0]}"
    # Yield a crash for each check first; the actual results replace it.
    yield from _all(Outcome.FAILED, crash)
    for line in done.stdout.splitlines():
        name, _, rest = line.removeprefix(MARK).partition(" ")
        for word, outcome in OUTCOMES.items():
            if line.startswith(MARK) and rest.startswith(word):
                text = rest.removeprefix(word).strip()
                yield name, Result(name, outcome, text)


def _all(outcome: Outcome, text: str) -> Iterator[tuple[str, Result]]:
    for name in checks.PARSER:
        yield name, Result(name, outcome, text)
