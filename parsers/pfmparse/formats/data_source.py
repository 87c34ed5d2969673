# SPDX-License-Identifier: MIT OR GPL-2.0
"""Names of data sources in perf's encoding, union perf_mem_data_src."""

from __future__ import annotations

from typing import Sequence

# Names of the bits, from bit 0 of the field on. Bits with "" have no names: for
# example, hit and miss are appended to the level's name.
OPS = ("", "load", "store", "prefetch", "exec")
LEVELS = (
    *("", "", "", "L1", "LFB", "L2", "L3", "RAM"),
    *("RAM", "RAM", "cache", "cache", "I/O", "uncached"),
)
SNOOPS = ("", "", "snoop hit", "snoop miss", "snoop hit modified")
SNOOPS_MORE = ("forwarded", "from a peer")
LOCKS = ("", "locked")
TLBS = ("", "", "", "L1", "L2", "walker", "OS")
BLOCKS = ("", "data blocked", "address conflict")
# Names of the values of numeric fields.
NUMBERS = {1: "L1", 2: "L2", 3: "L3", 4: "L4", 9: "CXL", 10: "I/O", 11: "any cache"}
NUMBERS |= {12: "LFB", 13: "RAM", 14: "PMEM"}
HOPS = ("", "other core", "other node", "other socket", "other board")

# The names of levels by number and by bit. Local and remote memory have one name.
BY_NUMBER = {1: "L1", 2: "L2", 3: "L3", 4: "L4", 12: "LFB", 13: "RAM"}
BY_BIT = {0x08: "L1", 0x10: "LFB", 0x20: "L2", 0x40: "L3"}
BY_BIT |= {0x080: "RAM", 0x100: "RAM", 0x200: "RAM"}
NOT_AVAILABLE = "not available"
OTHER, UNKNOWN = "other", "n/a"
# The levels, from the nearest to the farthest.
NEAREST_FIRST = ("L1", "LFB", "L2", "L3", "L4", "RAM", OTHER, UNKNOWN)

# The translator of the address: a TLB, the page walker or the operating system. If a
# source only says that one of two TLBs was hit, it counts as the first-level TLB.
BY_TLB = {0x08: "L1", 0x18: "L1", 0x10: "L2", 0x20: "walk", 0x40: "OS"}
TLBS_FIRST = ("L1", "L2", "walk", "OS", "miss", UNKNOWN)

HIT, MISS = 0x2, 0x4  # bits of the level and of the TLB
REMOTE_LEVELS = 0xF00  # bits of the level
OP_BITS, USED_BITS = 5, 46


def name_of(value: int) -> str:
    """Returns a data source's name, or the number if it is not in perf's encoding.

    A number in which only bits of the operation are set is in a CPU's own encoding.
    """
    if not _is_known(value):
        return f"{value:#x}"
    operations = _named(_field(value, 0, 5), OPS)
    parts = [
        _level(value),
        *_named(_field(value, 19, 5), SNOOPS),
        *_named(_field(value, 38, 2), SNOOPS_MORE),
        *_named(_field(value, 24, 2), LOCKS),
        _tlb(_field(value, 26, 7)),
        *_named(_field(value, 40, 3), BLOCKS),
    ]
    text = ", ".join(part for part in parts if part)
    if not text:
        return " ".join(operations) or NOT_AVAILABLE
    # Most samples are loads, so omit "load" unless there is no other text.
    return " ".join([*(op for op in operations if op != "load"), text])


def level_name(value: int) -> str:
    """Returns only the name of the memory level, with hit or miss and location."""
    if value and not _is_known(value):
        return f"{value:#x}"
    return _level(value) or NOT_AVAILABLE


def tlb_name(value: int) -> str:
    """Returns only the TLB part of the name: which TLB or walker, and hit or miss."""
    if value and not _is_known(value):
        return f"{value:#x}"
    return _tlb(_field(value, 26, 7)).removeprefix("TLB ") or NOT_AVAILABLE


def level_of(value: int) -> str:
    """Returns the level where the data were found, one of NEAREST_FIRST."""
    bits, number = _field(value, 5, 14), _field(value, 33, 4)
    if not _is_known(value) or bits & MISS:
        return UNKNOWN
    if number in NUMBERS:
        return BY_NUMBER.get(number, OTHER)
    found = bits & ~(HIT | 1)
    return BY_BIT.get(found, OTHER) if found else UNKNOWN


def tlb_of(value: int) -> str:
    """Returns what translated the address, one of TLBS_FIRST."""
    bits = _field(value, 26, 7)
    if not _is_known(value):
        return UNKNOWN
    if bits & MISS:
        return "miss"
    return BY_TLB.get(bits & ~(HIT | 1), UNKNOWN)


def _is_known(value: int) -> bool:
    """Returns whether the value is in perf's encoding."""
    return not value >> USED_BITS and bool(value >> OP_BITS)


def _field(value: int, shift: int, width: int) -> int:
    return value >> shift & (1 << width) - 1


def _named(bits: int, names: Sequence[str]) -> list[str]:
    """Returns the names of the bits that are set."""
    return [name for at, name in enumerate(names) if name and bits >> at & 1]


def _outcome(bits: int) -> str:
    return " hit" if bits & HIT else " miss" if bits & MISS else ""


def _level(value: int) -> str:
    """Returns the memory level by its number or, without a number, by its bits."""
    bits, hops = _field(value, 5, 14), _field(value, 43, 3)
    names = list(dict.fromkeys(_named(bits, LEVELS)))
    name = NUMBERS.get(_field(value, 33, 4)) or " or ".join(names)
    remote = bits & REMOTE_LEVELS or _field(value, 37, 1)
    where = [word for word in ("remote" if remote else "", _hops(hops)) if word]
    suffix = f" ({', '.join(where)})" if where else ""
    return (name + _outcome(bits)).strip() + suffix


def _hops(number: int) -> str:
    return HOPS[number] if number < len(HOPS) else ""


def _tlb(bits: int) -> str:
    names = " or ".join(_named(bits, TLBS))
    outcome = _outcome(bits)
    return f"TLB {names}{outcome}" if names else f"TLB{outcome}" if outcome else ""
