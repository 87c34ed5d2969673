# SPDX-License-Identifier: MIT OR GPL-2.0
"""Work measured in Python instructions, which does not depend on other load."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable


def work(function: Callable[[], object]) -> int:
    """Return how many Python instructions a function and its callees execute."""
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
    """Return how the work grows when the size doubles: about 2, or 4 if quadratic.

    ``task(n)`` prepares a task with n items. Work that does not depend on the size does
    not count.
    """
    work(task(size))  # warm up
    one, two, four = (work(task(size * factor)) for factor in (1, 2, 4))
    return (four - two) / (two - one)
