# SPDX-License-Identifier: MIT OR GPL-2.0
"""Try to count an event, with a kernel that refuses it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from encoder import Encoder


@pytest.mark.parametrize(
    ("call", "error", "result"),
    [
        ("CREATE", errno.ENODEV, "unknown: perfmon has no PMU description: load one "),
        ("CREATE", errno.EIO, "unknown: cannot create a context: Input/output error\n"),
        ("WRITE", errno.EPERM, "not counted: you are not allowed to count it: see pfm"),
        ("WRITE", errno.EINVAL, "not counted: this machine does not support it, at"),
        ("WRITE", 0, "counted\n"),
    ],
)
def test_refused_event_is_explained(
    programs: Path,
    encoder: Encoder,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    error: int,
    result: str,
) -> None:
    monkeypatch.setenv(call, str(error))
    user = Encoder(programs / "thread_counter", encoder.root)
    assert f"Here:      {result}" in user.told("cycles")
