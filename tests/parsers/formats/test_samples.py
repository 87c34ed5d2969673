# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples as columns and as arrays."""

from __future__ import annotations

from readers import decoder
from writers import Sample, buffer, pmd, session


def test_array_has_all_columns_and_pmds() -> None:
    samples = [
        Sample(ip=1, pmds=()),
        Sample(ip=2, ovfl_pmd=4, pmds=((5, 55), (7, 77))),
    ]
    sess = session({0: [pmd(0), pmd(4, [5, 7])]})
    array = decoder(sess)(buffer(samples)).regions[0].samples.to_array()
    assert array["ip"].tolist() == [1, 2]
    assert array["tgid"].tolist() == [100, 100]
    assert array["pmd5"].tolist() == [0, 55]
    assert array["pmd7"].tolist() == [0, 77]
