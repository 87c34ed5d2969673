# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read columns that a format records, and columns that are derived from others."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import capture, json_chunk, mapped, mapping, session
from pfmparse import Role, Samples
from pfmparse.analysis import columns
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import PmdGroup

IP = Samples(2, {"ip": np.array([1, 1 << 63], np.uint64)})
WHERE = mapping(0x1000, 0x2000, 0, "[x]")


def test_kernel_column_falls_back_to_the_address() -> None:
    assert columns.in_kernel(IP).tolist() == [False, True]
    said = Samples(2, {**IP.columns, "kernel": np.array([1, 0])})
    assert columns.in_kernel(said).tolist() == [True, False]


def test_process_falls_back_to_the_only_one() -> None:
    one = opened(capture(json_chunk("SESS", session()), mapped(WHERE, 7))).recording
    assert columns.processes(IP, one).tolist() == [7, 7]
    said = Samples(1, {"tgid": np.array([5])})
    assert columns.processes(said, one).tolist() == [5]
    two = capture(json_chunk("SESS", session()), mapped(WHERE, 7), mapped(WHERE, 8))
    with pytest.raises(PfmParseError, match="the samples have no process"):
        columns.processes(IP, opened(two).recording)


def test_thread_falls_back_to_the_only_one() -> None:
    described = session()
    described["contexts"] = [{"id": 0, "tid": 9, "cpu": None, "buf_size": 1}]
    one = opened(capture(json_chunk("SESS", described))).recording
    assert columns.threads(IP, one).tolist() == [9, 9]
    described["mode"] = "system-wide"
    with pytest.raises(PfmParseError, match="the samples have no thread"):
        columns.threads(IP, opened(capture(json_chunk("SESS", described))).recording)


def test_unknown_process_and_thread_are_nobody() -> None:
    described = session()
    described["mode"] = "system-wide"
    source = opened(capture(json_chunk("SESS", described), mapped(WHERE, 7))).recording
    tgids, tids = columns.identities(IP, source)
    assert (tgids.tolist(), tids.tolist()) == ([7, 7], 2 * [columns.NOBODY])
    none = opened(capture(json_chunk("SESS", described))).recording
    assert columns.identities(IP, none)[0].tolist() == 2 * [columns.NOBODY]


def test_column_can_be_named_by_its_pmd() -> None:
    group = PmdGroup(np.array([1]), (3, 4), np.array([[30, 40]], np.uint64))
    samples = Samples(2, {}, (group,))
    assert columns.named(samples, "pmd3").tolist() == [0, 30]


def test_missing_optional_column_is_none() -> None:
    assert columns.optional(IP, Role.CPU) is None
    assert columns.optional(IP, Role.ADDRESS) is not None
