# SPDX-License-Identifier: MIT OR GPL-2.0
"""Encode event names as PMC values of perfmon/perfmon.h."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from encoder import Encoder
from pfmon import ERROR, Pfmon, complaint_of

RAW = 1 << 63
EXCL_USER = 1 << 48
EXCL_KERNEL = 1 << 49
PRECISE_SHIFT = 52
HARDWARE, SOFTWARE, CACHE = 0 << 56, 1 << 56, 3 << 56


Encode = Callable[[str, str], int]


@pytest.fixture(name="encode")
def fixture_encode(encoder: Encoder) -> Encode:
    return lambda levels, name: encoder(name, levels).pmc


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cycles", HARDWARE | 0),
        ("cpu-cycles", HARDWARE | 0),
        ("instructions", HARDWARE | 1),
        ("cache-references", HARDWARE | 2),
        ("cache-misses", HARDWARE | 3),
        ("branches", HARDWARE | 4),
        ("branch-misses", HARDWARE | 5),
        ("bus-cycles", HARDWARE | 6),
        ("cpu-clock", SOFTWARE | 0),
        ("task-clock", SOFTWARE | 1),
        ("page-faults", SOFTWARE | 2),
        ("faults", SOFTWARE | 2),
        ("minor-faults", SOFTWARE | 5),
        ("major-faults", SOFTWARE | 6),
        ("L1-dcache-loads", CACHE | 0x000000),
        ("L1-dcache-load-misses", CACHE | 0x010000),
        ("L1-dcache-stores", CACHE | 0x000100),
        ("LLC-prefetch-misses", CACHE | 0x010202),
        ("iTLB-load-misses", CACHE | 0x010004),
        ("r1a8", RAW | 0x1A8),
        ("rFFFFFFFFFFFF", RAW | 0xFFFFFFFFFFFF),
        ("perf::PERF_COUNT_SW_PAGE_FAULTS", SOFTWARE | 2),
        ("perf::PERF_COUNT_HW_CPU_CYCLES", HARDWARE | 0),
    ],
)
def test_events_encode_user_level(encode: Encode, name: str, value: int) -> None:
    assert encode("-", name) == value | EXCL_KERNEL


@pytest.mark.parametrize("name", ["cpu-clock", "r0", "perf::PERF_COUNT_SW_CPU_CLOCK"])
@pytest.mark.parametrize(
    ("options", "suffix", "excluded"),
    [
        ("-", "", EXCL_KERNEL),
        ("u-", "", EXCL_KERNEL),
        ("k-", "", EXCL_USER),
        ("uk-", "", 0),
        ("-", ":u", EXCL_KERNEL),
        ("-", ":k", EXCL_USER),
        ("-", ":uk", 0),
        ("-", ":ku", 0),
        ("k-", ":u", EXCL_KERNEL),
        ("uk-", ":k", EXCL_USER),
    ],
)
def test_suffix_overrides_options(
    encode: Encode, name: str, options: str, suffix: str, excluded: int
) -> None:
    value = encode(options, name + suffix)
    assert value & (EXCL_USER | EXCL_KERNEL) == excluded


@pytest.mark.parametrize("name", ["context-switches", "cs", "cpu-migrations"])
def test_kernel_events_count_at_both_levels(encode: Encode, name: str) -> None:
    assert encode("-", name) & (EXCL_USER | EXCL_KERNEL) == 0
    assert encode("u-", name) & EXCL_KERNEL
    assert encode("-", f"{name}:u") & EXCL_KERNEL


@pytest.mark.parametrize("name", ["cycles", "r1a8", "perf::PERF_COUNT_HW_CPU_CYCLES"])
@pytest.mark.parametrize(
    ("suffix", "level", "excluded"),
    [
        ("", 0, EXCL_USER),
        (":p", 1, EXCL_USER),
        (":pp", 2, EXCL_USER),
        (":ppp", 3, EXCL_USER),
        (":up", 1, EXCL_KERNEL),
        (":ppuk", 2, 0),
    ],
)
def test_suffix_sets_precise_level(
    encode: Encode, name: str, suffix: str, level: int, excluded: int
) -> None:
    value = encode("k-", name + suffix)
    assert value >> PRECISE_SHIFT & 3 == level
    assert value & (EXCL_USER | EXCL_KERNEL) == excluded


def test_there_are_three_precise_levels(encoder: Encoder) -> None:
    assert "cycles:pppp" in encoder.complaint("cycles:pppp")


@pytest.mark.parametrize(
    ("event", "complaint"),
    [
        ("no-such-event", "unknown event 'no-such-event'; see"),
        ("page-fault", "unknown event 'page-fault' (did you mean 'page-faults'?)"),
        ("r1000000000000", "48 bits"),
        ("perf::NO_SUCH", "NO_SUCH"),
        (
            "perf::PERF_COUNT_HW_CACHE_L1D:READ:WRITE",
            "missing unit mask; pfmon -i perf::PERF_COUNT_HW_CACHE_L1D lists",
        ),
        ("PAGE-FAULTS:no", "invalid event attribute; pfmon -i PAGE-FAULTS lists"),
    ],
)
def test_events_that_cannot_be_encoded(
    pfmon: Pfmon, event: str, complaint: str
) -> None:
    run = pfmon("-e", event, "true")
    assert run.returncode == ERROR
    assert complaint in run.stderr


def test_wrong_pattern_is_a_usage_error(pfmon: Pfmon) -> None:
    assert "pattern '('" in complaint_of(pfmon, ("-l", "("))
