# SPDX-License-Identifier: MIT OR GPL-2.0
"""Take subsets of a batch's samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers.readers import decoder
from helpers.writers import Sample, buffer, pmd, session
from hypothesis import given
from hypothesis import strategies as st
from pfmparse import Chains, Role, Samples
from pfmparse.analysis.subset import subset
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.formats.samples import PmdGroup

MASKS = st.lists(st.booleans(), min_size=6, max_size=6)


def six() -> Samples:
    """Build six samples with all kinds of content; two groups of them record PMDs."""
    chains = Chains(
        np.array([0, 2, 2, 3, 6, 6, 7], np.intp),
        np.arange(100, 107, dtype=np.uint64),
        np.array([1, 0, 0, 2, 0, 1], np.intp),
        np.arange(200, 207, dtype=np.uint64),
    )
    groups = (
        PmdGroup(
            np.array([0, 3, 4]), (1, 7), np.arange(6, dtype=np.uint64).reshape(3, 2)
        ),
        PmdGroup(slice(5, 6), (2,), np.array([[77]], np.uint64)),
    )
    columns = {"at": np.arange(6, dtype=np.uint64), "times": np.arange(6)}
    return Samples(6, columns, groups, roles={Role.WEIGHT: "times"}, chains=chains)


def kept(samples: Samples, mask: list[bool]) -> list[dict[str, Any]]:
    """Return the selected samples as dictionaries."""
    return [one for one, good in zip(samples_as_dicts(samples), mask) if good]


@given(MASKS)
def test_subset_keeps_columns_pmds_and_chains(mask: list[bool]) -> None:
    samples = six()
    some = subset(samples, np.array(mask))
    assert list(samples_as_dicts(some)) == kept(samples, mask)
    assert some.total() == sum(at for at, good in enumerate(mask) if good)


@given(MASKS)
def test_subset_keeps_privilege_levels_of_chains(mask: list[bool]) -> None:
    samples = six()
    assert samples.chains is not None
    some = subset(samples, np.array(mask)).chains
    assert some is not None
    levels = samples.chains.in_kernel().tolist()
    expected = [
        level
        for at, good in enumerate(mask)
        for level in levels[samples.chains.offsets[at] : samples.chains.offsets[at + 1]]
        if good
    ]
    assert some.in_kernel().tolist() == expected


def test_subset_of_all_samples_is_not_copied() -> None:
    samples = six()
    assert subset(samples, np.ones(6, np.bool_)) is samples


def test_subset_keeps_derived_columns_lazy() -> None:
    sess = session({0: [pmd(0, [1])]})
    (region,) = decoder(sess)(buffer([Sample(pmds=((1, 5),))] * 3)).regions
    some = subset(region.samples, np.array([True, False, True]))
    assert some.column("period").tolist() == [1000, 1000]
    assert some.role(Role.PERIOD).tolist() == [1000, 1000]
