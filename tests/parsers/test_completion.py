# SPDX-License-Identifier: MIT OR GPL-2.0
"""The completion in bash, and the manual page, know the commands and the keys."""

from __future__ import annotations

import argparse
import shlex
import subprocess

import pytest
from helpers.cli import PARSERS
from pfmparse.__main__ import _parser
from pfmparse.commands.report import KEYS


def commands() -> dict[str, argparse.ArgumentParser]:
    """The commands and their parsers."""
    (action,) = (
        action
        for action in _parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(action.choices)


def completed(*words: str) -> set[str]:
    """What bash offers for the last of these words."""
    script = shlex.quote(str(PARSERS / "pfmparse.bash"))
    given = " ".join(map(shlex.quote, ("pfmparse", *words)))
    last = shlex.quote(words[-1])
    done = subprocess.run(
        ["bash", "-c"]
        + [
            f"source {script}; compopt() {{ :; }}; COMP_WORDS=({given}); "
            f"COMP_CWORD={len(words)}; _pfmparse pfmparse {last}; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_commands_are_completed() -> None:
    assert completed("") == set(commands())


@pytest.mark.parametrize("command", commands())
def test_options_of_a_command_are_completed(command: str) -> None:
    actions = commands()[command]._actions
    options = {option for action in actions for option in action.option_strings}
    assert completed(command, "-") == options - {"-h"}


def test_keys_are_completed() -> None:
    assert completed("report", "--by", "") == set(KEYS)


def test_manual_page_has_the_commands() -> None:
    page = (PARSERS / "pfmparse.1").read_text().replace("\\-", "-")
    for command in commands():
        assert f".TP\n.B {command}\n" in page
