# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the callstack format."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
from helpers.chained import callstack_record as record
from helpers.sink_buffer import FILLING, SinkRegion, sink
from pfmparse import Samples, parse_session, session_template
from pfmparse.capture.session import Session
from pfmparse.formats.callstack import UUID
from pfmparse.formats.registry import find_format

SESSION = parse_session(session_template(UUID), 0)
KERNEL = 0xFFFFFFFF81000000


def read(*records: bytes, of: Session = SESSION) -> Samples:
    """Decode these records of a session."""
    buffer = sink([SinkRegion(1, records, FILLING)])
    decoded = find_format(UUID).decoder(of)(buffer)
    assert decoded.problems == ()
    (region,) = decoded.regions
    return region.samples


def test_callstack_columns_omit_word_counts() -> None:
    samples = read(record(user=(0x1000, 0x2000)))
    assert {name: column.tolist() for name, column in samples.fields().items()} == {
        "tstamp": [5],
        "ip": [0x1000],
        "tid": [12],
        "tgid": [11],
        "ovfl_pmd": [0],
        "cpu": [3],
        "set": [0],
    }


def test_callstack_with_tables_has_chain_ends() -> None:
    argument = replace(SESSION.format, arg=struct.pack("<QIIIi", 65536, 1, 0, 8, 5))
    session = replace(SESSION, format=argument)
    samples = read(record(user=(1, 2), end=4, guessed=1), record(end=1), of=session)
    assert samples.column("user_end").tolist() == [4, 1]
    assert samples.column("user_guessed").tolist() == [1, 0]


def test_callstack_chains_omit_the_own_address() -> None:
    samples = read(
        record(user=(0x1000, 0x2000, 0x3000)),
        record(kernel=(KERNEL, KERNEL + 8), user=(0x10, 0x20), ip=KERNEL),
        record(kernel=(KERNEL,), ip=KERNEL),
        record(),
    )
    chains = samples.chains
    assert chains is not None
    assert chains.to_lists() == [[0x2000, 0x3000], [KERNEL + 8, 0x10, 0x20], [], []]
    assert chains.kernel is not None and chains.kernel.tolist() == [0, 1, 0, 0]


def test_callstack_skips_unexplained_pmd_values() -> None:
    (event_set,) = SESSION.sets
    (pmd,) = event_set.pmds
    assert pmd.smpl_pmds == ()
    samples = read(record(pmds=(7, 8), user=(0x1000, 0x2000)))
    assert samples.groups == ()
    assert samples.chains is not None
    assert samples.chains.to_lists() == [[0x2000]]


def test_callstack_pmd_values_follow_the_session() -> None:
    text = session_template(UUID).replace(b'"smpl_pmds": []', b'"smpl_pmds": [4, 6]')
    session = parse_session(text, 0)
    records = record(pmds=(7, 8), user=(0x1000,)), record(pmds=(9, 10))
    buffer = sink([SinkRegion(1, records, FILLING)])
    (region,) = find_format(UUID).decoder(session)(buffer).regions
    (group,) = region.samples.groups
    assert group.pmds == (4, 6)
    assert np.asarray(group.values).tolist() == [[7, 8], [9, 10]]
