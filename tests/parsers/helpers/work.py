# SPDX-License-Identifier: MIT OR GPL-2.0
"""Measure work by counting Python instructions, independent of the machine's load."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable


def work(function: Callable[[], object]) -> int:
    """Return the number of Python instructions of a function and its callees."""
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
    """Return the factor by which work grows if the size doubles.

    The factor is about 2 if work is linear, 4 if it is quadratic. ``task(n)`` prepares
    a task with n items. Work that does not depend on the size is subtracted.
    """
    work(task(size))  # warm up
    one, two, four = (work(task(size * factor)) for factor in (1, 2, 4))
    return (four - two) / (two - one)
