# SPDX-License-Identifier: MIT OR GPL-2.0
"""Output of the info command about user call chains found with unwind tables."""

from __future__ import annotations

from collections import Counter
from typing import Optional

import numpy as np

from ..formats.samples import Samples

# The values of enum pfm_unwind_why, except 0: no unwind tables were used.
WHOLE = 1
ENDS = {
    WHOLE: "whole",
    2: "too_long",
    3: "unmapped_code",
    4: "no_table",
    5: "no_rule",
    6: "unreadable_stack",
    7: "unknown_mappings",
}


class ChainEnds:
    """Counts the reasons why the user call chains of samples end."""

    def __init__(self) -> None:
        self._numbers: Counter[str] = Counter()

    def add(self, samples: Samples) -> None:
        """Counts samples; ignores them if their format does not record the reasons."""
        if not samples.has("user_end"):
            return
        column, weights = samples.column("user_end"), samples.weights()
        for end in np.unique(column).tolist():
            if end:
                which = column == end
                number = which.sum() if weights is None else weights[which].sum()
                self._numbers[ENDS.get(end, f"end_{end}")] += int(number)

    def as_json(self) -> Optional[dict[str, int]]:
        """Returns the number of chains by reason; None if no reasons were recorded."""
        return dict(self._numbers.most_common()) or None


def lines(ends: object) -> list[tuple[str, str]]:
    """Returns a line with the share of complete chains.

    ``ends`` is a result of as_json().
    """
    if not isinstance(ends, dict):
        return []
    total = sum(ends.values())
    whole = ends.get(ENDS[WHOLE], 0)
    text = f"{100 * whole / total:.2f}% of {total} whole"
    others = [
        f"{name.replace('_', ' ')} {number}"
        for name, number in ends.items()
        if name != ENDS[WHOLE]
    ]
    return [("user call chains", "; ".join([text, *others]))]
