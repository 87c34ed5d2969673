# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the options of each command."""

from __future__ import annotations

import argparse

from pfmparse.__main__ import COMMANDS
from pfmparse.commands.options import OPTIONS


def test_every_command_has_options() -> None:
    assert set(OPTIONS) == {module for module, _ in COMMANDS.values()}


def test_defaults_of_options_are_valid_choices() -> None:
    for add in OPTIONS.values():
        parser = argparse.ArgumentParser()
        add(parser)
        for action in parser._actions:
            if action.choices and action.default is not None:
                assert action.default in action.choices
