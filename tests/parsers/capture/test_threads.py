# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the JSON of THRD chunks, and find the threads of a whole capture."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.readers import read_capture
from helpers.sample_capture import ALL, DONE, FIRST, SECOND, SESS
from helpers.writers import capture, changed, json_chunk, maps, thrd, thread
from pfmparse.capture.threads import Thread, Threads, parse_threads
from pfmparse.errors import PfmParseError

DOCUMENT = {"threads": [thread(125, 123, "worker", ppid=100, start_ns=81230000000)]}


def of_capture(*chunks: bytes) -> Threads:
    samples, recording = read_capture(capture(SESS, FIRST, *chunks, SECOND, DONE))
    assert samples == ALL and not recording.problems
    return recording.source.threads


def test_thread_is_read_as_written() -> None:
    assert parse_threads(json.dumps(DOCUMENT).encode(), 0) == [
        Thread(125, 123, "worker", ppid=100, start_ns=81230000000)
    ]


def test_threads_have_names_and_processes() -> None:
    threads = of_capture(thrd(thread(125, 123, "worker"), thread(123, 123, "main")))
    assert threads.name(125) == "worker" and threads.process(125) == 123
    assert threads.name(7) is None and threads.process(7) is None
    assert threads.find(7) is None and len(threads) == 2
    assert [t.tid for t in threads] == [123, 125]


def test_idle_thread_is_named_swapper() -> None:
    threads = of_capture()
    assert (threads.name(0), threads.process(0)) == ("swapper", 0)
    assert list(threads) == []
    assert of_capture(thrd(thread(0, 0, "other"))).name(0) == "other"


def test_later_thread_names_replace_earlier_ones() -> None:
    threads = of_capture(
        thrd(thread(5, 5, "sh", ppid=2, start_ns=10)),
        json_chunk("MAPS", maps(5, [], comm="gzip")),
        thrd(thread(6, 5, "old"), thread(6, 6, "new")),
    )
    assert threads.find(5) == Thread(5, 5, "gzip", ppid=2, start_ns=10)
    assert threads.name(6) == "new" and threads.process(6) == 6


def test_reused_tid_becomes_a_process() -> None:
    threads = of_capture(
        thrd(thread(6, 5, "worker", ppid=2, start_ns=10)),
        json_chunk("MAPS", maps(6, [], comm="gzip")),
    )
    assert threads.find(6) == Thread(6, 6, "gzip")


def test_process_name_comes_from_maps_without_threads() -> None:
    threads = of_capture(json_chunk("MAPS", maps(100, [])))
    assert list(threads) == [Thread(100, 100, "hotloops")]


def test_total_number_of_threads_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.threads.MAX_THREADS", 3)
    two = thrd(thread(1, 1, "a"), thread(2, 1, "b"))
    _, recording = read_capture(capture(SESS, two, two, DONE))
    assert [p.message for p in recording.problems] == ["more than 3 threads"]
    assert len(recording.source.threads) == 2


@pytest.mark.parametrize(
    "path,value",
    [
        (["threads"], None),
        (["threads", 0], 5),
        (["threads", 0, "tid"], 1 << 32),
        (["threads", 0, "tgid"], -1),
        (["threads", 0, "ppid"], None),
        (["threads", 0, "comm"], 5),
        (["threads", 0, "start_ns"], 1 << 64),
    ],
)
def test_bad_value_names_its_path(path: list[Any], value: object) -> None:
    with pytest.raises(PfmParseError) as error:
        parse_threads(changed(DOCUMENT, path, value), 64)
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert error.value.message.startswith(f"THRD{''.join(steps)}: ")
    assert error.value.offset == 64


def test_threads_have_their_process_control_group() -> None:
    document: dict[str, Any] = {**DOCUMENT, "cgroup": "/system.slice"}
    assert parse_threads(json.dumps(document).encode(), 0)[0].cgroup == "/system.slice"
    threads = of_capture(
        json_chunk("THRD", {**document, "threads": [thread(9, 9, "a")]})
    )
    assert (threads.cgroup(9), threads.cgroup(1)) == ("/system.slice", None)
