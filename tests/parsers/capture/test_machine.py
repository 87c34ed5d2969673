# SPDX-License-Identifier: MIT OR GPL-2.0
"""The machine in the JSON of the SESS chunk."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.writers import Json, cache, changed, processors, session
from pfmparse.capture.machine import Machine
from pfmparse.capture.session import parse_session
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
