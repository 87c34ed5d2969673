# SPDX-License-Identifier: MIT OR GPL-2.0
"""Entries of the default format, whatever buffer they are in."""

from __future__ import annotations

from readers import read_capture
from sample_capture import DONE
from writers import Sample, buffer, bufr, capture, json_chunk, pmd, session


def test_samples_of_several_sets_are_decoded() -> None:
    sess = session({0: [pmd(0, [1])], 1: [pmd(0, [2, 3])]})
    samples = [
        Sample(set=0, pmds=((1, 10),)),
        Sample(set=1, pmds=((2, 20), (3, 30))),
    ]
    data = capture(json_chunk("SESS", sess), bufr(buffer(samples)), DONE)
    assert read_capture(data)[0] == [sample.as_dict() for sample in samples]
