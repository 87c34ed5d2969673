# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the JSON of the SESS chunk."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.writers import Json, cache, changed, pmd, processors, session
from pfmparse.capture.session import Machine, View, parse_session
from pfmparse.errors import PfmParseError

NEW = ("host", "boot_id", "processors")


def machine(document: Json) -> Machine:
    return parse_session(json.dumps(document).encode(), 0).machine


def with_caches(*caches: Json) -> Machine:
    document = session()
    document["machine"]["processors"] = [{**processors(), "caches": list(caches)}]
    return machine(document)


def test_machine_is_read_as_written() -> None:
    read, written = machine(session()), session()["machine"]
    assert (read.host, read.boot_id) == (written["host"], written["boot_id"])
    (kind,) = read.processors
    assert (kind.cpus, kind.khz) == ("0-1", 2800000)
    assert (kind.model, kind.id) == ("Example CPU @ 2.80GHz", "GenuineExample,6,85,7")
    assert [vars(cache) for cache in kind.caches] == processors()["caches"]


def test_old_capture_has_no_host_or_processors() -> None:
    document = session()
    for name in NEW:
        del document["machine"][name]
    read = machine(document)
    assert (read.host, read.boot_id, read.processors) == (None, None, ())
    assert read.cache_line is None


@pytest.mark.parametrize("name", ["model", "id", "khz"])
def test_unknown_processor_fields_are_null(name: str) -> None:
    document = session()
    document["machine"]["processors"][0][name] = None
    assert getattr(machine(document).processors[0], name) is None


def test_cache_line_is_the_largest_data_line() -> None:
    data = {**cache(1, "data", 1, 1), "line_size": 64}
    code = {**cache(1, "instruction", 1, 1), "line_size": 256}
    longer = {**cache(2, "unified", 1, 1), "line_size": 128}
    none = {**cache(3, "unified", 1, 1), "line_size": None}
    assert with_caches(data, code).cache_line == 64
    assert with_caches(none, data, longer, code).cache_line == 128
    assert with_caches(none, code).cache_line is None


@pytest.mark.parametrize(
    "path,value",
    [
        (["host"], 5),
        (["boot_id"], []),
        (["processors"], {}),
        (["processors", 0, "cpus"], None),
        (["processors", 0, "model"], 5),
        (["processors", 0, "id"], 5),
        (["processors", 0, "khz"], -1),
        (["processors", 0, "caches"], None),
        (["processors", 0, "caches", 0, "level"], None),
        (["processors", 0, "caches", 0, "type"], None),
        (["processors", 0, "caches", 0, "size"], "32K"),
        (["processors", 0, "caches", 0, "line_size"], 1 << 32),
        (["processors", 0, "caches", 0, "ways"], -1),
        (["processors", 0, "caches", 0, "shared_by"], True),
    ],
)
def test_bad_value_names_its_path(path: list[Any], value: object) -> None:
    with pytest.raises(PfmParseError) as error:
        parse_session(changed(session(), ["machine", *path], value), 64)
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert error.value.message.startswith(f"SESS.machine{''.join(steps)}: ")


VIEW = {"command": "mem", "options": {"view": "data", "top": "10"}}


def test_view_is_read_as_written() -> None:
    text = json.dumps({**session(), "view": VIEW}).encode()
    assert parse_session(text, 0).view == View("mem", {"view": "data", "top": "10"})


@pytest.mark.parametrize("members", [{}, {"view": None}])
def test_session_without_view_is_valid(members: dict[str, None]) -> None:
    text = json.dumps({**session(), **members}).encode()
    assert parse_session(text, 0).view is None


@pytest.mark.parametrize(
    "path,value",
    [
        (["view"], "mem"),
        (["view"], {}),
        (["view", "command"], 1),
        (["view", "options"], []),
        (["view", "options", "top"], 10),
        (["view", "options", "top"], ["10"]),
    ],
)
def test_invalid_view_in_session_is_refused(path: list[str], value: object) -> None:
    text = changed({**session(), "view": VIEW}, list(path), value)
    with pytest.raises(PfmParseError, match="SESS.view"):
        parse_session(text, 0)


def test_session_is_read_as_written() -> None:
    parsed = parse_session(json.dumps(session({3: [pmd(4, [7, 5])]})).encode(), 0)
    assert parsed.command == ("./hotloops", "--fast")
    assert parsed.machine.cpus == 2
    assert len(parsed.format.arg) == 64
    assert parsed.contexts[0].tid == 100 and parsed.contexts[0].cpu is None
    assert parsed.sets[0].id == 3
    assert parsed.sets[0].pmcs[0].value == 1 << 56
    assert parsed.sets[0].pmds[0].smpl_pmds == (5, 7)
    assert parsed.sets[0].pmds[0].long_reset == (1 << 64) - 1000


def test_upper_case_uuid_is_equal() -> None:
    text = changed(session(), ["format", "uuid"], session()["format"]["uuid"].upper())
    assert parse_session(text, 0).format.uuid == session()["format"]["uuid"]


def test_session_without_control_groups_is_valid() -> None:
    assert parse_session(json.dumps(session()).encode(), 0).cgroups == ()
    text = json.dumps({**session(), "cgroups": ["/a", "/b*"]}).encode()
    assert parse_session(text, 0).cgroups == ("/a", "/b*")


def test_unknown_members_are_ignored() -> None:
    text = json.dumps({**session(), "future": [1, 2]}).encode()
    assert parse_session(text, 0).mode == "thread"


@pytest.mark.parametrize(
    "path,value,named",
    [
        (["mode"], "fast", "SESS.mode"),
        (["mode"], 1, "SESS.mode"),
        (["version"], 2, "SESS.version"),
        (["command"], "ls", "SESS.command"),
        (["command"], [1], "SESS.command[0]"),
        (["cgroups"], "/x", "SESS.cgroups"),
        (["cgroups"], [1], "SESS.cgroups[0]"),
        (["start_ns"], -1, "SESS.start_ns"),
        (["start_ns"], 1 << 64, "SESS.start_ns"),
        (["start_ns"], 1.5, "SESS.start_ns"),
        (["start_ns"], True, "SESS.start_ns"),
        (["machine"], [], "SESS.machine"),
        (["machine", "cpus"], "2", "SESS.machine.cpus"),
        (["format", "uuid"], "default", "SESS.format.uuid"),
        (["format", "arg"], "xy", "SESS.format.arg"),
        (["contexts"], {}, "SESS.contexts"),
        (["contexts", 0, "cpu"], -1, "SESS.contexts[0].cpu"),
        (["sets", 0, "id"], 1 << 16, "SESS.sets[0].id"),
        (["sets"], session()["sets"] * 2, "SESS.sets"),
        (["sets", 0, "pmds"], [pmd(0), pmd(0)], "SESS.sets[0].pmds"),
        (["sets", 0, "pmds", 0, "num"], 320, "SESS.sets[0].pmds[0].num"),
        (["sets", 0, "pmcs", 0, "num"], 320, "SESS.sets[0].pmcs[0].num"),
        (["sets", 0, "pmds", 0, "sampling"], 1, "SESS.sets[0].pmds[0].sampling"),
        (["sets", 0, "pmds", 0, "smpl_pmds"], [1, 1], "SESS.sets[0].pmds[0].smpl_pmds"),
        (["sets", 0, "pmds", 0, "smpl_pmds"], [-1], "pmds[0].smpl_pmds[0]"),
    ],
)
def test_bad_session_value_names_its_path(
    path: list[Any], value: object, named: str
) -> None:
    with pytest.raises(PfmParseError) as error:
        parse_session(changed(session(), path, value), 40)
    assert named in error.value.message
    assert error.value.offset == 40


@pytest.mark.parametrize("name", sorted(session()))
def test_missing_member_of_the_session_is_named(name: str) -> None:
    document = session()
    del document[name]
    with pytest.raises(PfmParseError, match=f"missing member '{name}'"):
        parse_session(json.dumps(document).encode(), 0)


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"[", b"NaN", b"{}", b"[]", b"1" * 5000, b"[" * 100_000]
)
def test_invalid_session_is_refused(text: bytes) -> None:
    with pytest.raises(PfmParseError, match="SESS"):
        parse_session(text, 0)


def test_unknown_pmu_is_null() -> None:
    text = changed(session(), ["machine", "pmu"], None)
    assert parse_session(text, 0).machine.pmu is None


@pytest.mark.parametrize("kind", ["pmcs", "pmds"])
def test_register_319_is_the_last_valid_one(kind: str) -> None:
    text = changed(session(), ["sets", 0, kind, 0, "num"], 319)
    assert vars(parse_session(text, 0).sets[0])[kind][0].num == 319
