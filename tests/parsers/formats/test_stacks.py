# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the stacks format."""

from __future__ import annotations

import struct
from typing import Sequence

from helpers.sink_buffer import FILLING, SinkRegion, sink
from pfmparse import Decoded, Role, parse_session, session_template
from pfmparse.analysis.step_sums import time_off
from pfmparse.commands.info_chains import ChainEnds
from pfmparse.formats.registry import find_format
from pfmparse.formats.stacks import UUID

SESSION = parse_session(session_template(UUID), 0)
KERNEL = 0xFFFFFFFF81000000


def record(
    count: int, kernel: Sequence[int] = (), user: Sequence[int] = (), tid: int = 0
) -> bytes:
    """Build a record of ``count`` samples, each with the period 100."""
    head = struct.pack("<QQHHI", count, 100 * count, 3, 4, 11)
    head += struct.pack("<IBBBB", tid, len(kernel), len(user), 1, 0)
    words = (*kernel, *user)
    return head + struct.pack(f"<{len(words)}Q", *words)


def buffer(*records: bytes) -> bytes:
    """Build a buffer of these records."""
    return sink([SinkRegion(1, records, FILLING)])


def decoded(*records: bytes) -> Decoded:
    """Decode a buffer of these records."""
    return find_format(UUID).decoder(SESSION)(buffer(*records))


def test_stacks_weight_is_the_count() -> None:
    found = decoded(record(5, user=(0x1000, 0x2000)), record(7, (KERNEL,), (0x10,)))
    assert found.problems == ()
    (region,) = found.regions
    samples = region.samples
    columns = {name: column.tolist() for name, column in samples.fields().items()}
    assert columns == {
        "count": [5, 7],
        "periods": [500, 700],
        "ovfl_pmd": [3, 3],
        "set": [4, 4],
        "tgid": [11, 11],
        "ip": [0x1000, KERNEL],
    }
    assert samples.name_of(Role.WEIGHT) == "count"
    assert samples.aggregates(Role.SUM) == {"period": "periods"}
    assert found.lost.total["table"] == 3


def test_stacks_with_clock_have_times_off_cpu_and_states() -> None:
    argument = struct.pack("<QIIIiII", 1 << 16, 1, 0, 8, 0, 1, 1)
    session = parse_session(session_template(UUID, arg=argument), 0)
    decode = find_format(UUID).decoder(session)
    row = struct.pack("<QQHHIIBBBBQ", 2, 700, 0, ord("S"), 11, 12, 0, 1, 0, 0, 0x10)
    traced = struct.pack("<QQHHIIBBBBQ", 2, 900, 0, ord("t"), 11, 12, 0, 1, 0, 0, 0x10)
    (region,) = decode(buffer(row, traced)).regions
    samples = region.samples
    assert samples.column("off").tolist() == [700, 0]
    assert samples.role(Role.STATE).tolist() == [ord("S"), ord("t")]
    assert samples.aggregates(Role.SUM) == {"off": "off"}
    assert time_off(samples, "off") is None  # it cannot be divided among steps
    assert not samples.has("set") and not samples.has("periods")
    later = struct.pack("<QQHHIIBBBBQ", 2, 950, 0, ord("S"), 11, 12, 0, 1, 0, 0, 0x10)
    (region,) = decode(buffer(later, traced)).regions
    assert region.samples.column("off").tolist() == [250, 0]


def test_stacks_chains_omit_the_own_address() -> None:
    found = decoded(
        record(1, user=(0x1000, 0x2000, 0x3000)),
        record(1, (KERNEL, KERNEL + 8), (0x10, 0x20)),
        record(1, (KERNEL,)),
    )
    (region,) = found.regions
    chains = region.samples.chains
    assert chains is not None
    assert chains.to_lists() == [[0x2000, 0x3000], [KERNEL + 8, 0x10, 0x20], []]
    assert chains.kernel is not None and chains.kernel.tolist() == [0, 1, 0]


def test_stacks_damaged_record_may_have_no_address() -> None:
    found = decoded(record(1), record(1, user=(0x1000,)))
    (region,) = found.regions
    assert region.samples.column("ip").tolist() == [0, 0x1000]


def test_stacks_has_threads_if_they_are_recorded() -> None:
    (region,) = decoded(record(1, user=(1,), tid=12), record(1, user=(1,))).regions
    assert region.samples.column("tid").tolist() == [12, 0]


def test_stacks_per_thread_has_threads_without_number() -> None:
    argument = struct.pack("<QIIIiII", 65536, 1, 0, 8, 0, 1, 0)
    session = parse_session(session_template(UUID, arg=argument), 0)
    found = find_format(UUID).decoder(session)(buffer(record(5, user=(1,))))
    (region,) = found.regions
    assert region.samples.column("tid").tolist() == [0]


def test_stacks_with_tables_has_the_ends_of_chains() -> None:
    argument = struct.pack("<QIIIiII", 65536, 1, 0, 8, 5, 0, 0)
    session = parse_session(session_template(UUID, arg=argument), 0)
    found = find_format(UUID).decoder(session)(buffer(record(5, user=(1,))))
    (region,) = found.regions
    assert region.samples.column("user_end").tolist() == [1]
    ends = ChainEnds()
    ends.add(region.samples)
    assert ends.as_json() == {"whole": 5}


def test_stacks_counts_only_increments() -> None:
    decode = find_format(UUID).decoder(SESSION)
    decode(buffer(record(5, user=(0x1000,))))
    again = decode(buffer(record(8, user=(0x1000,)), record(1, user=(0x1000, 0x2000))))
    (region,) = again.regions
    assert region.samples.column("count").tolist() == [3, 1]
    assert region.samples.column("periods").tolist() == [300, 100]
