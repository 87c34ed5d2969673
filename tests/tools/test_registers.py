# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report registers that do not exist, and values that the kernel rejects."""

from __future__ import annotations

from pathlib import Path

import pytest
from refused import complaint_of_context

NOT_AVAILABLE, INVALID = 1 << 31, 1 << 30
PRECISE = ("-e", "cycles:pp", "--long-smpl-periods=1000")


@pytest.mark.parametrize(
    ("number", "flags", "options", "complaint"),
    [
        (
            *(64, NOT_AVAILABLE, ("-e", "software/config=2,config1=7/")),
            "needs a register for config1 or config2, but there is no PMC64: measure",
        ),
        (
            *(1, NOT_AVAILABLE, ("-e", "cs,faults")),
            "faults: there is no PMC1, because there are more events than this PMU has "
            "registers: use several event sets (--switch-timeout)",
        ),
        (
            *(1, NOT_AVAILABLE, ("-e", "cs,faults", "-e", "cs", "--switch-timeout=9")),
            "faults: there is no PMC1, because the event's set has more events than "
            "this PMU has registers: divide the set (give one -e for each set)",
        ),
        (0, INVALID, ("-e", "cs"), "cs is not supported here: the kernel rejected"),
        (0, INVALID, PRECISE, "not supported here, or not at its precise level: the"),
        (
            *(0, INVALID, (*PRECISE, "--smpl-pmds=addr")),
            "precise level, or a PMD of --smpl-pmds does not exist: the kernel",
        ),
        (0, 0, ("-e", "cs"), "cannot program the events: Invalid argument"),
    ],
)
def test_refused_register_is_explained(
    programs: Path, number: int, flags: int, options: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of_context(programs, *options, pmc=(number, flags))
