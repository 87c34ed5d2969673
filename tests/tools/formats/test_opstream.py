# SPDX-License-Identifier: MIT OR GPL-2.0
"""Scan OProfile's event stream for samples and cookies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from device import COOKIE_SWITCH, CPU_SWITCH, CTX_SWITCH, ESC, INVALID, SAMPLES, STREAM

COOKIES = [7777, 8888]


class Scanner:
    """Scan a stream; return the new cookies and the number of samples."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def __call__(self, *parts: list[int]) -> tuple[list[int], int]:
        words: list[str] = []
        for part in parts:
            words += ["/", *(str(word % 2**64) for word in part)]
        run = subprocess.run(
            [self.program, *words[1:]], capture_output=True, text=True, check=True
        )
        *cookies, samples = (int(line) for line in run.stdout.split())
        return cookies, samples


@pytest.fixture(scope="module", name="scan")
def fixture_scan(programs: Path) -> Scanner:
    return Scanner(programs / "opstream_scanner")


def test_opstream_counts_samples_without_callers(scan: Scanner) -> None:
    assert scan(STREAM) == (COOKIES, SAMPLES)


def test_opstream_may_be_truncated_anywhere(scan: Scanner) -> None:
    for cut in range(len(STREAM) + 1):
        assert scan(STREAM[:cut], STREAM[cut:]) == (COOKIES, SAMPLES), cut


def test_opstream_accepts_single_words(scan: Scanner) -> None:
    assert scan(*([word] for word in STREAM)) == (COOKIES, SAMPLES)


def test_invalid_cookies_are_omitted(scan: Scanner) -> None:
    stream = [ESC, COOKIE_SWITCH, 0, ESC, CTX_SWITCH, 5, INVALID, 1, 0]
    assert scan(stream) == ([], 1)


def test_cookies_are_reported_once_in_stream_order(scan: Scanner) -> None:
    order = [50, 20, 80, 20, 10, 50, 90, 80, 30]
    stream = [word for cookie in order for word in (ESC, COOKIE_SWITCH, cookie)]
    assert scan(stream) == ([50, 20, 80, 10, 90, 30], 0)


def test_opstream_escape_arguments_are_skipped(scan: Scanner) -> None:
    stream = [ESC, COOKIE_SWITCH, INVALID, ESC, CPU_SWITCH, INVALID, 5, 1]
    assert scan(stream) == ([], 1)


def test_opstream_event_may_equal_escape(scan: Scanner) -> None:
    assert scan([ESC, CPU_SWITCH, 1, 5, ESC, COOKIE_SWITCH, 3]) == ([], 2)


def test_words_after_unknown_escape_are_ignored(scan: Scanner) -> None:
    stream = [ESC, CPU_SWITCH, 1, 5, 0, ESC, 99, 6, 0, ESC, CPU_SWITCH, 1, 7, 0]
    assert scan(stream) == ([], 2)
