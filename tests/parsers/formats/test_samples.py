# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples as columns and as arrays."""

from __future__ import annotations

from typing import Callable

import numpy as np
import pytest
from helpers.readers import decoder
from helpers.writers import Sample, buffer, pmd, session
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import BLOCK, Column, Lazy, PmdGroup, Samples


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


def columns(**values: list[int]) -> dict[str, Column]:
    """Columns by name."""
    return {name: np.array(column, "<u8") for name, column in values.items()}


def test_derived_columns_are_for_reports_only() -> None:
    samples = Samples(2, columns(ip=[1, 2]), derived=columns(event_ip=[3, 4]))
    assert samples.has("ip") and samples.has("event_ip") and not samples.has("cpu")
    assert samples.column("event_ip").tolist() == [3, 4]
    assert samples.to_array().dtype.names == ("ip",)


def test_recorded_column_hides_the_derived_one() -> None:
    samples = Samples(1, columns(set=[1]), derived=columns(set=[2]))
    assert samples.column("set").tolist() == [1]


def test_missing_column_is_named() -> None:
    with pytest.raises(PfmParseError, match="the samples have no dla") as error:
        Samples(1, columns(ip=[1])).column("dla")
    assert error.value.offset == 0


def test_lazy_columns_are_made_when_they_are_asked_for() -> None:
    made: list[str] = []

    def maker(name: str) -> Callable[[], Column]:
        def make() -> Column:
            made.append(name)
            return np.arange(3)

        return make

    samples = Samples(3, Lazy({"ip": maker("ip"), "cpu": maker("cpu")}))
    assert samples.has("ip") and list(samples.columns) == ["ip", "cpu"] and made == []
    assert samples.column("cpu").tolist() == [0, 1, 2]
    assert made == ["cpu"]


@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 1])
def test_array_has_every_sample(count: int) -> None:
    ips, which = np.arange(count, dtype="<u8"), np.arange(0, count, 2)
    group = PmdGroup(which, (5,), np.arange(which.size, dtype="<u8")[:, np.newaxis])
    array = Samples(count, {"ip": ips}, (group,)).to_array()
    assert array["ip"].tolist() == list(range(count))
    assert array["pmd5"].tolist() == [0 if n % 2 else n // 2 for n in range(count)]
