# SPDX-License-Identifier: MIT OR GPL-2.0
"""Which mappings hold for which buffer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.writers import Json, mapping, maps
from pfmparse.capture.maps import MapsHistory, ProcessMaps, parse_maps
from pfmparse.errors import PfmParseError


def parsed(document: Json) -> ProcessMaps:
    return parse_maps(json.dumps(document).encode(), 0)


def named(tgid: int, name: str) -> ProcessMaps:
    return parsed(maps(tgid, [mapping(0, 1, 0, name)], comm=name))


def names(history: MapsHistory, tgid: int, epoch: int) -> list[str]:
    return [m.comm for m in history.candidates(tgid, epoch)]


def test_addresses_are_found_from_start_to_before_end() -> None:
    found = parsed(
        maps(1, [mapping(0x3000, 0x4000, 0, "b"), mapping(0x1000, 0x2000, 0, "a")])
    )
    probes = [0, 0xFFF, 0x1000, 0x1FFF, 0x2000, 0x2FFF, 0x3000, 0x3FFF, 0x4000]
    at = found.find(np.array(probes, np.uint64))
    assert at.tolist() == [-1, -1, 0, 0, -1, -1, 1, 1, -1]
    assert [m.path for m in found.mappings] == ["a", "b"]


def test_later_maps_replace_earlier_ones_for_later_buffers() -> None:
    history = MapsHistory()
    for tgid, name in ((1, "a"), (2, "other"), (1, "b"), (1, "c")):
        history.add(named(tgid, name))
    assert names(history, 1, epoch=0) == ["a"]
    assert names(history, 1, epoch=2) == ["a", "b"]
    assert names(history, 1, epoch=3) == ["b", "c"]
    assert names(history, 1, epoch=4) == ["c"]
    assert names(history, 9, epoch=4) == []


def test_only_process_is_known_if_it_is_alone() -> None:
    history = MapsHistory()
    assert history.only_tgid() is None
    history.add(named(1, "a"))
    assert history.only_tgid() == 1
    history.add(named(2, "b"))
    assert history.only_tgid() is None
    assert history.processes() == {1: "a", 2: "b"}


@pytest.mark.parametrize(
    "change",
    [{"end": 0x1000}, {"start": -1}, {"path": 1}, {"build_id": "x"}, {"offset": None}],
)
def test_bad_mapping_is_refused(change: Json) -> None:
    bad = {**mapping(0x1000, 0x2000, 0, "/x"), **change}
    with pytest.raises(PfmParseError, match=r"MAPS.maps\[0\]"):
        parsed(maps(1, [bad]))
