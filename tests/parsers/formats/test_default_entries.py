# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode entries of the default format in any kind of buffer."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.readers import read_capture
from helpers.sample_capture import DONE
from helpers.writers import (
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    entry,
    json_chunk,
    pmd,
    session,
)
from pfmparse.capture.session import parse_session
from pfmparse.formats.default import ENTRY
from pfmparse.formats.default_entries import Entries, Span


def test_samples_of_several_sets_are_decoded() -> None:
    sess = session({0: [pmd(0, [1])], 1: [pmd(0, [2, 3])]})
    samples = [
        Sample(set=0, pmds=((1, 10),)),
        Sample(set=1, pmds=((2, 20), (3, 30))),
    ]
    data = capture(json_chunk("SESS", sess), bufr(buffer(samples)), DONE)
    assert read_capture(data)[0] == [sample.as_dict() for sample in samples]


SETS = {0: [pmd(0), pmd(4, [5, 7])], 3: [pmd(4, [5, 7]), pmd(9, [1], sampling=False)]}


def entries(sets: dict[int, list[Json]]) -> Entries:
    """Return the entry decoder of a session with these sets."""
    parsed = parse_session(json.dumps(session(sets)).encode(), 0)
    return Entries(ENTRY, parsed)


def test_entry_kinds_are_sampling_pmds() -> None:
    kinds = entries(SETS).kinds
    assert kinds.keys.tolist() == [0, 4, 3 << 16 | 4]
    assert kinds.lists == ((), (5, 7))
    assert kinds.group.tolist() == [0, 1, 1]
    assert not kinds.one_size()
    assert entries({0: [pmd(1, [2]), pmd(3, [4])]}).kinds.one_size()


def test_entry_key_without_sampling_pmd_has_no_group() -> None:
    keys = np.array([0, 1, 4, 3 << 16 | 4, 3 << 16 | 9, (1 << 32) - 1], np.uint32)
    assert entries(SETS).kinds.groups_of(keys).tolist() == [0, -1, 1, 1, -1, -1]
    assert entries({}).kinds.groups_of(keys).tolist() == [-1] * 6


@pytest.mark.parametrize("sets", [{0: [pmd(0)]}, {0: [pmd(0), pmd(2)]}])
@pytest.mark.parametrize("wrong", [{"ovfl_pmd": 1}, {"set": 1}])
def test_first_entry_without_sampling_pmd_is_found(
    sets: dict[int, list[Json]], wrong: dict[str, int]
) -> None:
    good, bad = entry(Sample()), entry(replace(Sample(), **wrong))
    kinds = entries(sets).kinds
    for at, images in enumerate([[bad, good], [good, bad, bad], [good, good, bad]]):
        found = np.frombuffer(b"".join(images), ENTRY)
        assert kinds.first_unknown(found) == at
    assert kinds.first_unknown(np.frombuffer(good * 3, ENTRY)) is None


@pytest.mark.parametrize("sets", [{0: [pmd(0)]}, {0: [pmd(0), pmd(2, [5])]}])
@pytest.mark.parametrize(
    "end,count,whole",
    [(0, 5, 0), (39, 5, 0), (40, 5, 1), (119, 5, 2), (120, 2, 2), (120, 9, 3)],
)
def test_entries_are_found_within_their_span(
    sets: dict[int, list[Json]], end: int, count: int, whole: int
) -> None:
    data = b"\xff" * 16 + b"".join(entry(Sample(ip=ip)) for ip in (1, 2, 3))
    run = entries(sets).find(data, Span(16, 16 + end, count))
    assert run.samples.column("ip").tolist() == [1, 2, 3][:whole]
    assert (run.stop, run.unknown) == (16 + 40 * whole, False)


@pytest.mark.parametrize("sets", [{0: [pmd(0)]}, {0: [pmd(0), pmd(2, [5])]}])
def test_run_stops_at_entry_without_sampling_pmd(sets: dict[int, list[Json]]) -> None:
    data = entry(Sample(ip=1)) + entry(Sample(ovfl_pmd=9)) + entry(Sample(ip=3))
    run = entries(sets).find(data, Span(0, len(data), 3))
    assert run.samples.column("ip").tolist() == [1]
    assert (run.stop, run.unknown) == (40, True)


def test_entries_of_several_sizes_keep_their_values() -> None:
    samples = [
        Sample(ovfl_pmd=4, pmds=((5, 50), (7, 70))),
        Sample(ovfl_pmd=0),
        Sample(set=3, ovfl_pmd=4, pmds=((5, 51), (7, 71))),
    ]
    data = b"".join(entry(sample) for sample in samples)
    run = entries(SETS).find(data, Span(0, len(data), 3))
    found = {group.pmds: group for group in run.samples.groups}
    assert set(found) == {(), (5, 7)}
    assert found[5, 7].values.tolist() == [[50, 70], [51, 71]]
    which = found[5, 7].which
    assert not isinstance(which, slice) and which.tolist() == [0, 2]


def test_sole_pmd_in_a_later_set_is_known() -> None:
    kinds = entries({3: [pmd(5)]}).kinds
    found = np.frombuffer(entry(Sample(set=3, ovfl_pmd=5)) * 2, ENTRY)
    assert kinds.first_unknown(found) is None
    assert kinds.first_unknown(np.frombuffer(entry(Sample(ovfl_pmd=5)), ENTRY)) == 0
