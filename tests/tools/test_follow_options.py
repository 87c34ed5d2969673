# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the options that select which threads are measured."""

from __future__ import annotations

import pytest
from pfmon import Pfmon, complaint_of

EVENT = ("-e", "page-faults")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--attach-process=0",), "--attach-process: '0' is not a process ID"),
        (("--attach-task=x",), "--attach-task: 'x' is not a thread ID"),
        (("--attach-process=1", "true"), "does not take a command"),
        (("--attach-process=1", "--attach-task=1"), "mutually exclusive"),
        (("--attach-process=1", "--system-wide"), "mutually exclusive"),
        (("--attach-task=1", "--follow-fork"), "measures one thread"),
        (("--attach-task=1", "--exclude=x"), "measures one thread"),
        (("--system-wide", "--follow-all"), "measures all threads"),
        (("--no-inherit", "--follow-all", "true"), "first thread only"),
        (("--no-inherit", "--follow-vfork", "true"), "first thread only"),
        (("--no-inherit", "--attach-process=1"), "first thread only"),
        (("--system-wide", "--aggregate=thread"), "is for threads"),
        (("--aggregate=thread", "-r", "2", "true"), "each run has different threads"),
        (("--aggregate=process", "-r", "2", "true"), "each run has different threads"),
        (("--aggregate=cpu", "true"), "'cpu' is not thread, process or all"),
        (("--exclude=(", "true"), "--exclude: '(' is not a regular expression: "),
        (("--follow-exec=[", "true"), "--follow-exec: '[' is not a regular expre"),
    ],
)
def test_follow_option_usage_errors(
    pfmon: Pfmon, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, (*EVENT, *arguments))
