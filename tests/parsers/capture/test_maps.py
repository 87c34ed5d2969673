# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the mappings that apply to each buffer."""

from __future__ import annotations

import json
from typing import Optional

import numpy as np
import pytest
from helpers.writers import Json, mapping, maps
from pfmparse.capture.json_node import Node
from pfmparse.capture.maps import (
    FileState,
    Mapping,
    MapsHistory,
    ProcessMaps,
    is_anonymous,
    parse_build_id,
    parse_maps,
    parse_state,
)
from pfmparse.errors import PfmParseError


@pytest.mark.parametrize(
    "members,state",
    [
        ({}, None),
        ({"size": 7}, None),
        ({"size": None, "mtime_ns": None}, None),
        ({"size": 7, "mtime_ns": 8}, FileState(7, 8)),
        ({"size": 7, "mtime_ns": 8, "go_build_id": "a/b"}, FileState(7, 8, "a/b")),
    ],
)
def test_file_state_is_optional(
    members: dict[str, object], state: Optional[FileState]
) -> None:
    assert parse_state(Node(members, "MAPS", 0)) == state


@pytest.mark.parametrize(
    "members",
    [{"size": -1, "mtime_ns": 8}, {"size": 7, "mtime_ns": "8"}, {"go_build_id": 5}],
)
def test_bad_file_state_is_refused(members: dict[str, object]) -> None:
    with pytest.raises(PfmParseError, match="MAPS"):
        parse_state(Node(members, "MAPS", 0))


@pytest.mark.parametrize(
    "told,build_id", [(None, None), ("", None), ("0aff", b"\x0a\xff")]
)
def test_build_id_may_be_unknown(told: object, build_id: Optional[bytes]) -> None:
    assert parse_build_id(Node({"build_id": told}, "MAPS", 0)) == build_id


def parsed(document: Json) -> ProcessMaps:
    return parse_maps(json.dumps(document).encode(), 0)


def named(tgid: int, name: str) -> ProcessMaps:
    return parsed(maps(tgid, [mapping(0, 1, 0, name)], comm=name))


def names(history: MapsHistory, tgid: int, epoch: int) -> list[str]:
    return [m.comm for m in history.candidates(tgid, epoch)]


def test_mapping_excludes_its_end() -> None:
    found = parsed(
        maps(1, [mapping(0x3000, 0x4000, 0, "b"), mapping(0x1000, 0x2000, 0, "a")])
    )
    probes = [0, 0xFFF, 0x1000, 0x1FFF, 0x2000, 0x2FFF, 0x3000, 0x3FFF, 0x4000]
    at = found.find(np.array(probes, np.uint64))
    assert at.tolist() == [-1, -1, 0, 0, -1, -1, 1, 1, -1]
    assert [m.path for m in found.mappings] == ["a", "b"]


def test_later_maps_apply_to_later_buffers() -> None:
    history = MapsHistory()
    for tgid, name in ((1, "a"), (2, "other"), (1, "b"), (1, "c")):
        history.add(named(tgid, name))
    assert names(history, 1, epoch=0) == ["a"]
    assert names(history, 1, epoch=2) == ["a", "b"]
    assert names(history, 1, epoch=3) == ["b", "c"]
    assert names(history, 1, epoch=4) == ["c"]
    assert names(history, 9, epoch=4) == []


def test_maps_history_lists_mappings_with_epochs() -> None:
    history = MapsHistory()
    for tgid, name in ((2, "a"), (1, "b"), (2, "c")):
        history.add(named(tgid, name))
    found = [(epoch, maps.tgid, maps.comm) for epoch, maps in history.all()]
    assert found == [(1, 2, "a"), (2, 1, "b"), (3, 2, "c")]


def test_keep_drops_replaced_and_oldest_mappings() -> None:
    history = MapsHistory()
    for tgid, name in ((1, "a"), (2, "b"), (3, "c"), (1, "d")):
        history.add(named(tgid, name))
    assert history.keep(2) == 2
    # Process 1 changed its mappings after processes 2 and 3 did.
    assert [(epoch, maps.comm) for epoch, maps in history.all()] == [(3, "c"), (4, "d")]
    assert names(history, 1, epoch=4) == ["d"] and history.epoch == 4


def test_keep_counts_mappings_not_processes() -> None:
    history = MapsHistory()
    two = [mapping(0, 1, 0, "x"), mapping(1, 2, 0, "y")]
    history.add(parsed(maps(1, two)))
    history.add(named(2, "b"))
    assert history.keep(2) == 1 and history.processes() == {2: "b"}


def test_only_tgid_needs_a_single_process() -> None:
    history = MapsHistory()
    assert history.only_tgid() is None
    history.add(named(1, "a"))
    assert history.only_tgid() == 1
    history.add(named(2, "b"))
    assert history.only_tgid() is None
    assert history.processes() == {1: "a", 2: "b"}


@pytest.mark.parametrize(
    "build_id,path,same",
    [
        (None, "/a", True),
        (None, "/b", False),
        (bytes(4), "/b", True),
        (bytes(3), "/b", False),
        (bytes(3), "/a", True),
    ],
)
def test_mappings_of_a_file_are_recognised(
    build_id: Optional[bytes], path: str, same: bool
) -> None:
    one = Mapping(0, 1, 0, "/a", build_id)
    assert one.is_of(Mapping(5, 6, 5, path, build_id)) == same
    assert not one.is_of(Mapping(5, 6, 5, path, b"other"))


def test_mapping_has_its_protection() -> None:
    heap = mapping(0x1000, 0x2000, 0, "[heap]", prot="rw-p")
    code = mapping(0x3000, 0x4000, 0, "/x", prot="r-xs")
    old = mapping(0x5000, 0x6000, 0, "/y")
    del old["prot"]
    found = parsed(maps(1, [heap, code, old])).mappings
    assert [m.prot for m in found] == ["rw-p", "r-xs", "r-xp"]
    assert [m.executable for m in found] == [False, True, True]


@pytest.mark.parametrize(
    "path,anonymous",
    [
        ("", True),
        ("[anon:jit cache]", True),
        ("[anon_shmem:code]", True),
        ("/memfd:doublemapper", True),
        ("/dev/zero", True),
        ("/dev/zero (deleted)", True),
        ("/anon_hugepage", True),
        ("/SYSV0000dead", True),
        ("/SYSVinit", False),
        ("/dev/zero-copy", False),
        ("/anon_hugepages", False),
        ("[vdso]", False),
        ("[heap]", False),
        ("/usr/bin/node", False),
    ],
)
def test_memory_without_a_file_is_anonymous(path: str, anonymous: bool) -> None:
    assert is_anonymous(path) is anonymous


@pytest.mark.parametrize(
    "change",
    [
        *({"end": 0x1000}, {"start": -1}, {"path": 1}, {"build_id": "x"}),
        *({"offset": None}, {"prot": 5}, {"prot": "rwx"}, {"prot": "xwrp"}),
    ],
)
def test_bad_mapping_is_refused(change: Json) -> None:
    bad = {**mapping(0x1000, 0x2000, 0, "/x"), **change}
    with pytest.raises(PfmParseError, match=r"MAPS.maps\[0\]"):
        parsed(maps(1, [bad]))
