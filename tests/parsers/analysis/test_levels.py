# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the memory level or the TLB in which an access has hit."""

from __future__ import annotations

import json
from typing import Optional, Sequence

import numpy as np
import pytest
from helpers.writers import session
from pfmparse.analysis.levels import ITANIUM_2, Classes, Levels, Thresholds, Tlbs, usual
from pfmparse.capture.session import parse_session
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import Samples

L1_HIT, L3_HIT, L3_MISS = 0x142, 0x842, 0x882


def samples(
    sources: Optional[Sequence[int]], latencies: Optional[Sequence[int]]
) -> Samples:
    """Build samples with these columns; leave out a column that is None."""
    columns = {}
    for name, values in (("dse", sources), ("lat", latencies)):
        if values is not None:
            columns[name] = np.array(values, "<u8")
    return Samples(len(next(iter(columns.values()))), columns)


def named(classes: Classes, found: Samples) -> list[str]:
    """Return the class name of each sample."""
    return [classes.names[at] for at in classes.ids(found).tolist()]


def test_latency_thresholds_are_inclusive() -> None:
    levels = Levels(None, Thresholds(5, 14))
    found = named(levels, samples(None, [1, 5, 6, 14, 15, 1 << 63, 0]))
    assert found == ["L2", "L2", "L3", "L3", "RAM", "RAM", "n/a"]
    assert levels.thresholds == Thresholds(5, 14) and not levels.by_source


def test_level_prefers_data_source_to_latency() -> None:
    levels = Levels(None, Thresholds(5, 14))
    found = named(levels, samples([L1_HIT, L3_HIT, 0], [100, 1, 1]))
    assert found == ["L1", "L3", "L2"]
    assert levels.by_source and levels.thresholds is not None


def test_unused_thresholds_are_not_named() -> None:
    levels = Levels(None, Thresholds(5, 14))
    for _ in range(2):
        assert named(levels, samples([L1_HIT, 0], [100, 0])) == ["L1", "n/a"]
    assert levels.by_source and levels.thresholds is None


def test_given_thresholds_override_the_data_source() -> None:
    levels = Levels(Thresholds(5, 14), None)
    assert named(levels, samples([L1_HIT, L3_HIT], [100, 1])) == ["RAM", "L2"]
    assert not levels.by_source


def test_level_without_source_or_thresholds_is_na() -> None:
    levels = Levels(None, None)
    assert named(levels, samples([L3_MISS, 0, 7], [9, 9, 9])) == ["n/a"] * 3
    assert named(levels, samples(None, [9])) == ["n/a"]
    assert levels.thresholds is None and not levels.by_source


def test_level_classes_stay_stable_across_batches() -> None:
    levels = Levels(None, None)
    assert named(levels, samples([L1_HIT, L1_HIT], None)) == ["L1", "L1"]
    assert named(levels, samples([L3_HIT, L1_HIT], None)) == ["L3", "L1"]


def test_tlb_level_needs_a_data_source() -> None:
    sources = [0x42 | bits << 26 for bits in (0xA, 0x1A, 0x12, 0x22, 0x42, 0x14, 0)]
    found = named(Tlbs(), samples(sources, None))
    assert found == ["L1", "L1", "L2", "walk", "OS", "miss", "n/a"]
    with pytest.raises(PfmParseError, match="no data-source"):
        Tlbs().ids(samples(None, [1]))


@pytest.mark.parametrize("arch,thresholds", [("ia64", ITANIUM_2), ("x86_64", None)])
def test_default_thresholds_exist_for_itanium_only(
    arch: str, thresholds: Optional[Thresholds]
) -> None:
    sess = session()
    sess["machine"]["arch"] = arch
    assert usual(parse_session(json.dumps(sess).encode(), 0)) == thresholds
