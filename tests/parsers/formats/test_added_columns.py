# SPDX-License-Identifier: MIT OR GPL-2.0
"""Add columns to samples: PMDs that hold sample data, and the threads of contexts."""

from __future__ import annotations

import json
from typing import Any, Iterator, Optional

import numpy as np
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
    simple_capture,
)
from pfmparse.analysis.selection import Selection
from pfmparse.capture.live import LiveCapture
from pfmparse.capture.session import Context, parse_session
from pfmparse.formats.added_columns import ContextThreads, SamplePmds
from pfmparse.formats.roles import Role
from pfmparse.formats.samples import Samples
from pfmparse.recording import Recording, open_raw

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


@pytest.mark.parametrize(
    ("number", "name"),
    [(262, "weight2"), (263, "weight3"), (265, "physical"), (266, "transaction")],
)
def test_sample_pmd_without_role_has_its_name(number: int, name: str) -> None:
    found = recorded([Sample(pmds=((number, 7),))], session({0: [pmd(0, [number])]}))
    assert found.column(name).tolist() == [7]


def test_samples_without_the_pmd_have_0() -> None:
    described = session({0: [pmd(0, [5]), pmd(1, [5, ADDRESS, LATENCY])]})
    samples = [
        Sample(ovfl_pmd=0, pmds=((5, 1),)),
        Sample(ovfl_pmd=1, pmds=((5, 2), (ADDRESS, 0x7000), (LATENCY, 30))),
    ]
    found = recorded(samples, described)
    assert found.role(Role.DATA_ADDRESS).tolist() == [0, 0x7000]
    assert found.role(Role.LATENCY).tolist() == [0, 30]
    # The recorded fields do not include the added column.
    assert "dla" not in found.fields()


@pytest.mark.parametrize("every", [False, True])
def test_samples_without_pmds_lack_those_of_all_events(every: bool) -> None:
    # If only one event records the PMD, the batch may have the other event's samples.
    described = session({0: [pmd(0, [LATENCY]), pmd(1, [LATENCY] if every else [])]})
    pmds = SamplePmds.of(parse_session(json.dumps(described).encode(), 0))
    assert pmds
    found = pmds.add_to(Samples(1, {"ip": np.array([16])}))
    assert list(found.derived) == ([] if every else ["lat"])


@pytest.mark.parametrize("role", [Role.WEIGHT, Role.SUM])
def test_summarised_samples_lack_pmds(role: Role) -> None:
    described = session({0: [pmd(0, [LATENCY]), pmd(1)]})
    pmds = SamplePmds.of(parse_session(json.dumps(described).encode(), 0))
    assert pmds
    found = pmds.add_to(Samples(1, {"n": np.array([16])}, roles={role: "n"}))
    assert not found.derived and not pmds.missing


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


def test_column_of_the_format_precedes_pmd_of_that_name() -> None:
    sess = parse_session(json.dumps(session({0: [pmd(0, [262])]})).encode(), 0)
    pmds = SamplePmds.of(sess)
    assert pmds
    found = pmds.add_to(Samples(1, {"weight2": np.array([16])}))
    assert not found.derived and found.column("weight2").tolist() == [16]


@pytest.mark.parametrize("name", ["addr", "dla"])
def test_column_with_the_role_precedes_pmds(name: str) -> None:
    described = parse_session(json.dumps(session({0: [pmd(0, [ADDRESS])]})).encode(), 0)
    pmds = SamplePmds.of(described)
    assert pmds
    found = pmds.add_to(Samples(1, {name: np.array([16])}))
    assert found.role(Role.DATA_ADDRESS).tolist() == [16]


# The thread and the process of each context.
CONTEXTS = {0: (100, 100), 1: (101, 100), 2: (200, 200)}


def silent() -> bytes:
    """Build a capture of three contexts, whose samples do not record their threads."""
    described = session({0: [pmd(0)]}, UUID_PEBS64)
    described["contexts"][0]["tgid"] = 100
    chunks = []
    for number, whose in CONTEXTS.items():
        chunks += [ctxt(number, *whose)] if number else []
        data = pebs([{"ip": number}], UUID_PEBS64, 144)
        chunks.append(bufr(data, context=number))
    return capture(json_chunk("SESS", described), *chunks)


def addresses(**what: Any) -> list[int]:
    """Return the addresses of the selected samples."""
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
def test_samples_without_thread_use_their_contexts(
    what: dict[str, list[int]], found: list[int]
) -> None:
    assert addresses(**what) == found


def test_recorded_thread_overrides_the_contexts() -> None:
    chunks = [ctxt(1, 101, 100), bufr(buffer([Sample(pid=7, tgid=5)]), context=1)]
    data = capture(json_chunk("SESS", session({0: [pmd(0)]})), *chunks)
    (batch,) = opened(data).batches()
    assert batch.samples.role(Role.THREAD).tolist() == [7]
    assert batch.samples.role(Role.PROCESS).tolist() == [5]


def test_raw_buffer_of_several_contexts_has_no_thread() -> None:
    described = session({0: [pmd(0)]}, UUID_PEBS64)
    described["contexts"] = [{**described["contexts"][0], "id": n} for n in (5, 6)]
    data = pebs([{"ip": 1}], UUID_PEBS64, 144)
    (batch,) = open_raw(data, json.dumps(described).encode()).batches()
    assert batch.samples.name_of(Role.THREAD) is None


def test_buffers_that_threads_share_have_no_thread() -> None:
    described = session({0: [pmd(0)]}, UUID_PEBS64)
    described["contexts"] = [
        {"id": n, "tid": None, "tgid": None, "cpu": n, "buf_size": 4096} for n in (0, 1)
    ]
    data = pebs([{"ip": 1}], UUID_PEBS64, 144)
    (batch,) = opened(capture(json_chunk("SESS", described), bufr(data))).batches()
    assert batch.samples.name_of(Role.THREAD) is None
    assert batch.samples.name_of(Role.PROCESS) is None


def of_contexts(mode: str, count: int) -> Optional[ContextThreads]:
    """Return the thread columns of a capture with ``count`` contexts, or None."""
    contexts = {number: Context(number, 9, None, 0) for number in range(count)}
    return ContextThreads.of(mode, contexts, complete=True)


def test_one_context_or_cpus_need_no_thread_columns() -> None:
    assert of_contexts("thread", 1) is None
    assert of_contexts("system-wide", 2) is None
    assert of_contexts("thread", 2) is not None


def test_live_samples_get_threads_of_new_contexts() -> None:
    live = LiveCapture()
    recording = None
    found = []
    # The first context is in the session, so it has no CTXT chunk.
    for data in pieces_of(silent()):
        assert list(live.ticks(data)) == []
        recording = recording or Recording(live)
        for batch in recording.batches():
            found += batch.samples.role(Role.THREAD).tolist()
    assert found == [tid for tid, _ in CONTEXTS.values()]


def pieces_of(data: bytes) -> Iterator[bytes]:
    """Yield a capture in two parts; the first part ends after the first buffer."""
    middle = data.index(ctxt(1, *CONTEXTS[1]))
    yield data[:middle]
    yield data[middle:]
