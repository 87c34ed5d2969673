# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples that do not say whose they are, in captures of several threads."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.readers import opened
from helpers.writers import (
    UUID_PEBS64,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    ctxt,
    json_chunk,
    pebs,
    pmd,
    session,
)
from pfmparse.analysis.selection import Selection
from pfmparse.capture.session import Session, parse_session
from pfmparse.context_threads import ContextThreads
from pfmparse.formats.roles import Role

CONTEXTS = {0: (100, 100), 1: (101, 100), 2: (200, 200)}  # threads and processes


def silent() -> bytes:
    """A capture of three threads; samples of each are at its own address."""
    described = session({0: [pmd(0)]}, UUID_PEBS64)
    described["contexts"][0]["tgid"] = 100
    chunks = [ctxt(number, *whose) for number, whose in CONTEXTS.items() if number]
    for number in CONTEXTS:
        data = pebs([{"ip": number}], UUID_PEBS64, 144)
        chunks.append(bufr(data, context=number))
    return capture(json_chunk("SESS", described), *chunks)


def addresses(**what: Any) -> list[int]:
    """The addresses of the samples that are selected."""
    batches = opened(silent(), selection=Selection(**what)).batches()
    return [int(ip) for batch in batches for ip in batch.samples.role(Role.ADDRESS)]


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ({"tids": [101]}, [1]),
        ({"tids": [100, 200]}, [0, 2]),
        ({"pids": [100]}, [0, 1]),
        ({"pids": [200], "tids": [100]}, []),
    ],
)
def test_samples_that_do_not_say_are_of_their_contexts_thread(
    what: dict[str, list[int]], found: list[int]
) -> None:
    assert addresses(**what) == found


def test_samples_that_say_whose_they_are_are_believed() -> None:
    chunks = [ctxt(1, 101, 100), bufr(buffer([Sample(pid=7, tgid=5)]), context=1)]
    data = capture(json_chunk("SESS", session({0: [pmd(0)]})), *chunks)
    (batch,) = opened(data).batches()
    assert batch.samples.role(Role.THREAD).tolist() == [7]
    assert batch.samples.role(Role.PROCESS).tolist() == [5]


def described(**changes: object) -> Session:
    document: Json = {**session(), **changes}
    return parse_session(capture_text(document), 0)


def capture_text(document: Json) -> bytes:
    return json_chunk("SESS", document)[24:].rstrip(b"\0")


def test_one_context_or_cpus_need_no_columns() -> None:
    assert ContextThreads.of(described()) is None
    cpus = [{"id": n, "tid": 9, "cpu": n, "buf_size": 0} for n in range(2)]
    assert ContextThreads.of(described(mode="system-wide", contexts=cpus)) is None
