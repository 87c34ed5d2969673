# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode Itanium 2 event address registers in samples of the perfmon 2.0 layout."""

from __future__ import annotations

import json
from typing import Sequence

import numpy as np
import pfmparse
import pytest
from helpers.itanium import CODE, CODE_EAR, DATA_EAR, ear_session, fetch, load
from helpers.writers import UUID_IA64, Json, Sample, buffer, pmd, session
from pfmparse.capture.session import parse_session
from pfmparse.errors import PfmParseError
from pfmparse.formats.data_source import tlb_of
from pfmparse.formats.roles import Role
from pfmparse.formats.samples import Samples


def decoded(samples: Sequence[Sample], sess: Json) -> Samples:
    """Decode a buffer of these samples."""
    parsed = parse_session(json.dumps(sess).encode(), 0)
    decode = pfmparse.find_format(UUID_IA64).decoder(parsed)
    (region,) = decode(buffer(samples, UUID_IA64)).regions
    return region.samples


def roles(samples: Samples, *wanted: Role) -> list[list[int]]:
    """Return the columns of these roles."""
    return [samples.role(role).tolist() for role in wanted]


def test_data_ear_has_addresses_and_latency() -> None:
    instructions = [CODE + 0x1ED0, CODE + 0x1ED1, CODE + 0x1EE2, CODE + 0x1EE0]
    samples = [load(ip, 0x6000 + ip % 64, 5 + ip % 4) for ip in instructions]
    found = decoded(samples, ear_session("data_ear_cache_lat4"))
    where, data, latencies = roles(found, Role.ADDRESS, Role.DATA_ADDRESS, Role.LATENCY)
    assert where == instructions
    assert data == [0x6000 + ip % 64 for ip in instructions]
    assert latencies == [5, 6, 7, 5]
    # The recorded column is unchanged.
    assert found.column("ip").tolist() == [ip + 0x40 for ip in instructions]
    assert found.name_of(Role.DATA_SOURCE) is None


def test_ear_latency_has_13_bits() -> None:
    sample = load(CODE, 8, (1 << 13) - 1, found_by=3)
    found = decoded([sample], ear_session("DATA_EAR_CACHE_LAT4"))
    assert roles(found, Role.LATENCY) == [[8191]]


def test_invalid_ear_address_falls_back_to_ip() -> None:
    samples = [load(CODE, 8, valid=False), load(CODE, 8)]
    found = decoded(samples, ear_session("data_ear_cache_lat4"))
    assert roles(found, Role.ADDRESS) == [[CODE + 0x40, CODE]]


@pytest.mark.parametrize(
    "event,pmds,make",
    [
        ("data_ear_tlb_all", DATA_EAR, lambda by: load(CODE, 8, found_by=by)),
        ("L1I_EAR_TLB_ALL", CODE_EAR, lambda by: fetch(CODE, found_by=by)),
    ],
    ids=["data", "code"],
)
def test_tlb_ear_events_have_the_tlb_level(
    event: str, pmds: tuple[int, ...], make: "object"
) -> None:
    assert callable(make)
    found = decoded([make(by) for by in range(4)], ear_session(event, pmds))
    (sources,) = roles(found, Role.DATA_SOURCE)
    assert [tlb_of(value) for value in sources] == ["n/a", "L2", "walk", "OS"]
    assert found.name_of(Role.LATENCY) is None


def test_code_ear_has_line_address_and_latency() -> None:
    samples = [fetch(CODE + 0x20, 9, found_by=2), fetch(CODE + 0x40, 4095)]
    found = decoded(samples, ear_session("l1i_ear_cache_lat0", CODE_EAR))
    where, latencies = roles(found, Role.ADDRESS, Role.LATENCY)
    assert (where, latencies) == ([CODE + 0x20, CODE + 0x40], [9, 4095])
    with pytest.raises(PfmParseError, match="no data-address"):
        found.role(Role.DATA_ADDRESS)


def test_ear_of_later_itanium_uses_other_pmds() -> None:
    sample = load(CODE + 0x11, 0x6008, 7)
    values = dict(sample.pmds)
    pmds = ((32, values[2]), (33, values[3]), (36, values[17]))
    sess = ear_session("DATA_EAR_CACHE_LAT4", (32, 33, 36))
    found = decoded([Sample(ovfl_pmd=4, pmds=pmds)], sess)
    wanted = (Role.ADDRESS, Role.DATA_ADDRESS, Role.LATENCY)
    assert roles(found, *wanted) == [[CODE + 0x11], [0x6008], [7]]


def test_samples_of_non_ear_events_have_no_data() -> None:
    ear = {**pmd(4, list(DATA_EAR)), "event": "data_ear_cache_lat4"}
    sess = session({0: [ear, pmd(5)]}, UUID_IA64)
    found = decoded([Sample(ovfl_pmd=5, ip=0x77), load(CODE, 0x6000, 5)], sess)
    wanted = (Role.ADDRESS, Role.DATA_ADDRESS, Role.LATENCY)
    assert roles(found, *wanted) == [[0x77, CODE], [0, 0x6000], [0, 5]]


def test_samples_without_ear_are_unchanged() -> None:
    found = decoded([Sample()], session(uuid=UUID_IA64))
    assert found.name_of(Role.DATA_ADDRESS) is None
    assert found.name_of(Role.ADDRESS) == "ip"
    assert found.column("period").tolist() == [1000]
    assert isinstance(found.column("ip"), np.ndarray)
