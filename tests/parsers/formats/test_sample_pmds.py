# SPDX-License-Identifier: MIT OR GPL-2.0
"""Data of samples that are recorded as virtual PMDs."""

from __future__ import annotations

import json
from typing import Optional

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import (
    UUID_PEBS64,
    Json,
    Sample,
    bufr,
    capture,
    json_chunk,
    pebs,
    pmd,
    session,
    simple_capture,
)
from pfmparse.capture.session import parse_session
from pfmparse.formats.roles import Role
from pfmparse.formats.sample_pmds import SamplePmds
from pfmparse.formats.samples import Samples

ADDRESS, LATENCY, SOURCE = 260, 261, 264  # PFM_PMD_* of perfmon.h
ROLES = {
    ADDRESS: Role.DATA_ADDRESS,
    LATENCY: Role.LATENCY,
    SOURCE: Role.DATA_SOURCE,
    255: Role.STATE,
    272: Role.BRANCH_FROM,
    280: Role.BRANCH_TO,
    288: Role.BRANCH_FLAGS,
}


def recorded(samples: list[Sample], described: Json) -> Samples:
    """Return the samples of a capture of the default format."""
    (batch,) = opened(simple_capture(samples, described)).batches()
    return batch.samples


@pytest.mark.parametrize("number", ROLES)
def test_each_sample_pmd_has_its_role(number: int) -> None:
    samples = [Sample(pmds=((number, value),)) for value in (7, (1 << 64) - 1)]
    found = recorded(samples, session({0: [pmd(0, [number])]}))
    assert found.role(ROLES[number]).tolist() == [7, (1 << 64) - 1]
    for other in ROLES.keys() - {number}:
        assert found.name_of(ROLES[other]) is None


def test_samples_without_the_pmd_have_0() -> None:
    described = session({0: [pmd(0, [5]), pmd(1, [5, ADDRESS, LATENCY])]})
    samples = [
        Sample(ovfl_pmd=0, pmds=((5, 1),)),
        Sample(ovfl_pmd=1, pmds=((5, 2), (ADDRESS, 0x7000), (LATENCY, 30))),
    ]
    found = recorded(samples, described)
    assert found.role(Role.DATA_ADDRESS).tolist() == [0, 0x7000]
    assert found.role(Role.LATENCY).tolist() == [0, 30]
    # The entries themselves are unchanged.
    assert "dla" not in found.fields()


@pytest.mark.parametrize(
    ("pmu", "there"), [("perf_events", True), (None, True), ("usage", False)]
)
def test_pmds_of_other_pmus_have_no_role(pmu: Optional[str], there: bool) -> None:
    described = session({0: [pmd(0, [LATENCY])]})
    described["machine"]["pmu"] = pmu
    found = recorded([Sample(pmds=((LATENCY, 7),))], described)
    assert (found.name_of(Role.LATENCY) is not None) is there


def test_columns_of_the_format_precede_pmds() -> None:
    described = session({0: [pmd(0, [LATENCY])]}, UUID_PEBS64)
    data = pebs([{"ip": 1, "lat": 9}], UUID_PEBS64, 176)
    file = capture(json_chunk("SESS", described), bufr(data))
    (batch,) = opened(file).batches()
    assert batch.samples.role(Role.LATENCY).tolist() == [9]


@pytest.mark.parametrize("name", ["addr", "dla"])
def test_column_with_the_role_precedes_pmds(name: str) -> None:
    described = parse_session(json.dumps(session({0: [pmd(0, [ADDRESS])]})).encode(), 0)
    pmds = SamplePmds.of(described)
    assert pmds
    found = pmds.add_to(Samples(1, {name: np.array([16])}))
    assert found.role(Role.DATA_ADDRESS).tolist() == [16]
