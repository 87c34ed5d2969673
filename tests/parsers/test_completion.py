# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that bash completion and the manual page list all commands and keys."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest
from helpers.cli import PARSERS, importing
from pfmparse.__main__ import COMMANDS, Parser, _parser_of
from pfmparse.analysis.requests import NAMES


def commands() -> dict[str, Parser]:
    """Return the parser of each command."""
    return {name: _parser_of(name) for name in COMMANDS}


def completed(*words: str) -> set[str]:
    """Return the words to which bash completes the last word."""
    script = shlex.quote(str(PARSERS / "pfmparse.bash"))
    given = " ".join(map(shlex.quote, ("pfmparse", *words)))
    last = shlex.quote(words[-1])
    done = subprocess.run(
        ["bash", "-c"]
        + [
            f"source {script}; compopt() {{ :; }}; COMP_WORDS=({given}); "
            f'pfmparse() {{ {sys.executable} -m pfmparse "$@"; }}; '
            f"COMP_CWORD={len(words)}; _pfmparse pfmparse {last}; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        ],
        env=importing(PARSERS),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands() -> None:
    assert completed("") == set(commands())


@pytest.mark.parametrize("command", commands())
def test_bash_completes_options_of_a_command(command: str) -> None:
    actions = commands()[command]._actions
    options = {option for action in actions for option in action.option_strings}
    assert completed(command, "-") == options - {"-h"}


def test_bash_completes_report_keys() -> None:
    assert completed("report", "--by", "") == set(NAMES)


def test_manual_page_has_the_commands() -> None:
    page = (PARSERS / "pfmparse.1").read_text().replace("\\-", "-")
    for command in commands():
        assert f".TP\n.B {command}\n" in page
