# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report why an event set cannot be created."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from refused import complaint_of_context

SETS = ("-e", "cs", "-e", "faults", "--switch-timeout=9")
SAMPLED = (*SETS, "--long-smpl-periods=1000,1000")


@pytest.mark.parametrize(
    ("error", "options", "complaint"),
    [
        (errno.ENOMEM, SETS, "event set 1: use fewer -e, or raise the locked-memory"),
        (errno.EINVAL, SAMPLED, "format default does not support several event sets"),
        (errno.EINVAL, SETS, "cannot create event set 1: Invalid argument"),
    ],
)
def test_refused_event_set_is_explained(
    programs: Path, error: int, options: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of_context(programs, *options, sets=error)


def test_unreadable_times_are_explained(programs: Path) -> None:
    said = complaint_of_context(programs, *SETS)
    assert "cannot read how long event set 0 was active: Bad file" in said
