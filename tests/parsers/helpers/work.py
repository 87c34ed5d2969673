# SPDX-License-Identifier: MIT OR GPL-2.0
"""How much Python has to do for something, which no other load changes."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable


def work(function: Callable[[], object]) -> int:
    """The instructions of Python that a function takes with all that it calls."""
    done = 0

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal done
        if event == "call":
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
        done += event == "opcode"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        function()
    finally:
        sys.settrace(before)
    return done


def growth(size: int, task: Callable[[int], Callable[[], object]]) -> float:
    """How many times the work grows when the size doubles: about 2, or 4 if squared.

    ``task(n)`` prepares what is to be done with n things. What is the same whatever
    the size is does not count.
    """
    work(task(size))  # what is done once only
    one, two, four = (work(task(size * factor)) for factor in (1, 2, 4))
    return (four - two) / (two - one)
