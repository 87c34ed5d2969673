# SPDX-License-Identifier: MIT OR GPL-2.0
"""Name data sources and their levels."""

from __future__ import annotations

import pytest
from helpers.writers import U64_MAX
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.formats import data_source


@pytest.mark.parametrize(
    "value,name",
    [
        (0, "0x0"),
        (15, "0xf"),
        (0x5080021, "not available"),
        (1 << 46 | 0x142, "0x400000000142"),
        (0x2 | (0x2 | 0x8) << 5, "L1 hit"),
        (0x4 | (0x4 | 0x8) << 5, "store L1 miss"),
        (0x2 | 0x2 << 5 | 0xC << 33, "LFB hit"),
        (0x2 | (0x2 | 0x200) << 5, "RAM hit (remote)"),
        (0x2 | (0x2 | 0x40) << 5 | 3 << 33 | 0x10 << 19, "L3 hit, snoop hit modified"),
        (0x2 | 0x2 << 5 | 3 << 33 | 1 << 43, "L3 hit (other core)"),
        (
            0x2 | (0x2 | 0x8) << 5 | 2 << 24 | (2 | 8 | 16) << 26 | 2 << 40,
            "L1 hit, locked, TLB L1 or L2 hit, data blocked",
        ),
        (0x2 | 0x2 << 5 | 2 << 33 | 1 << 38, "L2 hit, forwarded"),
        (0x2 | 1 << 24, "load"),
    ],
)
def test_data_source_is_named(value: int, name: str) -> None:
    assert data_source.name_of(value) == name


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(0, U64_MAX))
def test_every_data_source_has_a_name(value: int) -> None:
    assert data_source.name_of(value).strip()


@pytest.mark.parametrize(
    "number,name",
    [
        *[(1, "L1"), (2, "L2"), (3, "L3"), (4, "L4"), (9, "CXL"), (10, "I/O")],
        *[(11, "any cache"), (12, "LFB"), (13, "RAM"), (14, "PMEM")],
    ],
)
def test_data_source_prefers_level_number_to_bits(number: int, name: str) -> None:
    bits = 0x2 | 0x20  # a hit in L2
    assert data_source.name_of(0x2 | bits << 5 | number << 33) == f"{name} hit"


@pytest.mark.parametrize("number", [0, 5, 8, 15])
def test_data_source_falls_back_to_level_bits(number: int) -> None:
    assert data_source.name_of(0x2 | 0x22 << 5 | number << 33) == "L2 hit"


@pytest.mark.parametrize(
    "bit,name",
    [
        *[(5 + 4, "LFB"), (5 + 6, "L3"), (5 + 7, "RAM"), (5 + 11, "cache (remote)")],
        *[(5 + 12, "I/O"), (5 + 13, "uncached"), (19 + 2, "snoop hit")],
        *[(19 + 3, "snoop miss"), (38, "forwarded"), (39, "from a peer")],
        *[(24 + 1, "locked"), (26 + 5, "TLB walker"), (26 + 6, "TLB OS")],
        *[(40 + 1, "data blocked"), (40 + 2, "address conflict")],
    ],
)
def test_data_source_names_every_bit(bit: int, name: str) -> None:
    assert data_source.name_of(0x2 | 1 << bit | 1 << 19) == name


@pytest.mark.parametrize(
    "value,level,where",
    [
        (0, "not available", "n/a"),
        (7, "0x7", "n/a"),
        (1 << 46 | 0x142, "0x400000000142", "n/a"),
        (0x2 | (0x2 | 0x8) << 5, "L1 hit", "L1"),
        (0x2 | (0x2 | 0x10) << 5, "LFB hit", "LFB"),
        (0x2 | (0x4 | 0x40) << 5, "L3 miss", "n/a"),
        (0x2 | (0x2 | 0x80) << 5, "RAM hit", "RAM"),
        (0x2 | (0x2 | 0x100) << 5, "RAM hit (remote)", "RAM"),
        (0x2 | (0x2 | 0x400) << 5, "cache hit (remote)", "other"),
        (0x2 | (0x2 | 0x20) << 5 | 13 << 33, "RAM hit", "RAM"),
        (0x2 | (0x2 | 0x20) << 5 | 14 << 33, "PMEM hit", "other"),
        (0x2 | (0x2 | 0x20) << 5 | 15 << 33, "L2 hit", "L2"),
        (0x2 | (0x2 | 0x28) << 5, "L1 or L2 hit", "other"),
        (0x2 | 0x1 << 5 | 0x12 << 26, "not available", "n/a"),
    ],
)
def test_memory_level_has_name_and_class(value: int, level: str, where: str) -> None:
    assert data_source.level_name(value) == level
    assert data_source.level_of(value) == where


@pytest.mark.parametrize(
    "bits,name,where",
    [
        (0, "not available", "n/a"),
        (0x0A, "L1 hit", "L1"),
        (0x1A, "L1 or L2 hit", "L1"),
        (0x12, "L2 hit", "L2"),
        (0x14, "L2 miss", "miss"),
        (0x22, "walker hit", "walk"),
        (0x42, "OS hit", "OS"),
    ],
)
def test_tlb_level_has_name_and_class(bits: int, name: str, where: str) -> None:
    value = 0x142 | bits << 26
    assert data_source.tlb_name(value) == name
    assert data_source.tlb_of(value) == where


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(0, U64_MAX))
def test_every_data_source_has_a_class(value: int) -> None:
    assert data_source.level_of(value) in data_source.NEAREST_FIRST
    assert data_source.tlb_of(value) in data_source.TLBS_FIRST
    assert data_source.level_name(value) and data_source.tlb_name(value)
