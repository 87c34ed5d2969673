# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode records in a debug store area, in both PEBS formats."""

from __future__ import annotations

from pathlib import Path
from typing import Sequence

import numpy as np
import pytest
from helpers.cli import rows, told
from helpers.readers import Json, decode_buffer, decoder, read_capture
from helpers.writers import (
    PEBS_RECORDS,
    U64_MAX,
    UUID_PEBS32,
    UUID_PEBS64,
    bufr,
    capture,
    json_chunk,
    pebs,
    pebs_capture,
    pebs_header_size,
    pmd,
    session,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.__main__ import main
from pfmparse.errors import PfmParseError

LAYOUTS = pytest.mark.parametrize("uuid,size", list(PEBS_RECORDS))


def record_of(uuid: str, size: int, seed: int) -> dict[str, int]:
    """Build a record with a different value in each field."""
    names = PEBS_RECORDS[uuid, size]
    return {name: 1000 * seed + at for at, name in enumerate(names)}


def as_dict(uuid: str, size: int, record: dict[str, int]) -> Json:
    """Return what dump --json prints for a record."""
    return {**{n: record.get(n, 0) for n in PEBS_RECORDS[uuid, size]}, "pmds": {}}


@LAYOUTS
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_pebs_records_are_decoded(uuid: str, size: int, count: int) -> None:
    records = [record_of(uuid, size, seed) for seed in range(count)]
    decoded, problem = decode_buffer(pebs(records, uuid, size), session(uuid=uuid))
    assert decoded == [as_dict(uuid, size, record) for record in records]
    assert problem is None


@LAYOUTS
def test_extreme_values_stay_exact(uuid: str, size: int) -> None:
    top = (1 << 32) - 1 if uuid == UUID_PEBS32 else U64_MAX
    record = {name: top for name in PEBS_RECORDS[uuid, size]}
    decoded, _ = decode_buffer(pebs([record], uuid, size), session(uuid=uuid))
    assert decoded == [as_dict(uuid, size, record)]


@LAYOUTS
@pytest.mark.parametrize("start_offs", [0, 4, 1000])
def test_pebs_records_start_at_the_header_offset(
    uuid: str, size: int, start_offs: int
) -> None:
    records = [record_of(uuid, size, seed) for seed in range(3)]
    data = pebs(records, uuid, size, start_offs=start_offs)
    decoded, problem = decode_buffer(data, session(uuid=uuid))
    assert decoded == [as_dict(uuid, size, record) for record in records]
    assert problem is None


# Proves H28
@LAYOUTS
def test_pebs_data_beyond_the_index_is_ignored(uuid: str, size: int) -> None:
    records = [record_of(uuid, size, seed) for seed in range(3)]
    index = 256 + 2 * size
    data = pebs(records, uuid, size, index=index) + b"\xa5" * 1000
    decoded, problem = decode_buffer(data, session(uuid=uuid))
    assert len(decoded) == 2 and problem is None


# Offsets of the header fields that a test changes, for both formats.
OFFSETS32 = {"version": 16, "entry_size": 24, "base": 60, "index": 64, "max": 68}
OFFSETS64 = {"version": 24, "entry_size": 36, "base": 88, "index": 96, "max": 104}


@pytest.mark.parametrize("uuid,size", [(UUID_PEBS32, 40), (UUID_PEBS64, 144)])
@pytest.mark.parametrize(
    "fields,broken",
    [
        ({"version": 2 << 16}, "version"),
        ({"entry_size": 0}, "entry_size"),
        ({"entry_size": 41}, "entry_size"),
        ({"base": 257}, "base"),
        ({"base": (1 << 32) - 1}, "base"),
        ({"index": 255}, "index"),
        ({"index": (1 << 16) + 1}, "index"),
        ({"index": (1 << 32) - 1}, "index"),
        ({"max": (1 << 16) + 1}, "max"),
        ({"buf_size": 300}, "max"),
    ],
)
def test_pebs_bad_header_has_the_field_offset(
    uuid: str, size: int, fields: dict[str, int], broken: str
) -> None:
    data = pebs([], uuid, size, **fields)
    with pytest.raises(PfmParseError) as error:
        decode_buffer(data, session(uuid=uuid))
    offsets = OFFSETS32 if uuid == UUID_PEBS32 else OFFSETS64
    assert error.value.offset == offsets[broken]
    assert not error.value.truncated


@LAYOUTS
def test_pebs_index_within_a_record_is_a_problem(uuid: str, size: int) -> None:
    records = [record_of(uuid, size, seed) for seed in range(3)]
    data = pebs(records, uuid, size, index=256 + 2 * size + 8)
    decoded, problem = decode_buffer(data, session(uuid=uuid))
    assert len(decoded) == 2
    assert problem is not None and problem.offset == 256 + 2 * size


# Proves H27
@LAYOUTS
def test_pebs_prefix_gives_its_complete_records(uuid: str, size: int) -> None:
    records = [record_of(uuid, size, seed) for seed in range(3)]
    data, sess = pebs(records, uuid, size), session(uuid=uuid)
    for end in range(len(data)):
        if end < pebs_header_size(uuid):
            with pytest.raises(PfmParseError) as error:
                decode_buffer(data[:end], sess)
            assert error.value.truncated and error.value.offset == end
            continue
        whole = max(0, end - 256) // size
        decoded, problem = decode_buffer(data[:end], sess)
        assert decoded == [as_dict(uuid, size, r) for r in records[:whole]]
        assert problem is not None and problem.truncated and problem.offset == end


# Proves H26
@LAYOUTS
@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data())
def test_pebs_mutated_buffer_fails_cleanly(
    uuid: str, size: int, data: st.DataObject
) -> None:
    records = [record_of(uuid, size, seed) for seed in range(5)]
    image = bytearray(pebs(records, uuid, size))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, pebs_header_size(uuid) + 8))
        image[at] = data.draw(st.integers(0, 255))
    try:
        decoded, _ = decode_buffer(bytes(image), session(uuid=uuid))
    except PfmParseError:
        return
    assert len(decoded) <= len(image) // 40


def test_pebs_samples_are_views_of_the_buffer() -> None:
    records = [record_of(UUID_PEBS64, 200, seed) for seed in range(3)]
    data = np.frombuffer(pebs(records, UUID_PEBS64, 200), np.uint8)
    samples = decoder(session(uuid=UUID_PEBS64))(data.data).regions[0].samples
    assert all(np.shares_memory(c, data) for c in samples.columns.values())


@LAYOUTS
def test_pebs_lost_and_imprecise_records_are_counted(uuid: str, size: int) -> None:
    sess = json_chunk("SESS", session(uuid=uuid))
    first = pebs([record_of(uuid, size, 1)] * 2, uuid, size, dropped=1, lost=2, flags=1)
    second = pebs([record_of(uuid, size, 2)], uuid, size, dropped=3, lost=4)
    _, recording = read_capture(capture(sess, bufr(first), bufr(second)))
    assert recording.lost_in_buffers() == {"dropped": 3, "no_room": 4}
    assert recording.imprecise == 2


def file_of(
    tmp_path: Path, records: Sequence[dict[str, int]], size: int, sess: Json
) -> str:
    """Write a capture of these records and return its name."""
    path = tmp_path / "x.pfm"
    path.write_bytes(pebs_capture(records, size, sess))
    return str(path)


@LAYOUTS
def test_pebs_report_counts_by_ip_and_object(
    uuid: str, size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"ip": ip} for ip in (0x1000, 0x1000, 0x3000)]
    path = file_of(tmp_path, records, size, session(uuid=uuid))
    assert rows(capsys, "ip", path) == {"0x1000": 2, "0x3000": 1}
    # PEBS records contain no process ID, so samples belong to the only known process.
    assert rows(capsys, "function", path) == {"[vdso]": 2, "[unknown]": 1}
    assert rows(capsys, "image", path) == {"[vdso]": 2, "[unknown]": 1}
    assert told(capsys, "report", path)["imprecise"] == 2
    main(["report", path])
    assert "imprecise samples: 2" in capsys.readouterr().out
    main(["info", path])
    assert "imprecise samples: 2" in capsys.readouterr().out


def test_pebs_report_prefers_the_real_ip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"ip": 0x1004, "real_ip": 0x1000}, {"ip": 0x1004}, {"real_ip": 0x1000}]
    path = file_of(tmp_path, records, 192, session(uuid=UUID_PEBS64))
    assert rows(capsys, "ip", path) == {"0x1000": 2, "0x1004": 1}


def test_pebs_report_by_address_latency_and_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    l1, ram = 0x2 | 0xA << 5, 0x2 | 0x2 << 5 | 0xD << 33 | 1 << 37
    records = [
        {"dla": 0x1008, "lat": 4, "dse": l1},
        {"dla": 0x1008, "lat": 4, "dse": l1 | 1 << 19},
        {"dla": 0xFFFF888000000000, "lat": 400, "dse": ram},
        {"dla": 0x7000, "lat": 5, "dse": 7},
    ]
    path = file_of(tmp_path, records, 176, session(uuid=UUID_PEBS64))
    report = told(capsys, "report", "--by", "data-address", path)
    assert [(r["address"], r["object"], r["count"]) for r in report["rows"]] == [
        (0x1008, "[vdso]", 2),
        (0x7000, "[unknown]", 1),
        (0xFFFF888000000000, "[kernel]", 1),
    ]
    assert rows(capsys, "latency", path) == {4: 2, 5: 1, 400: 1}
    mean = told(capsys, "report", "--by", "latency", path)["mean_latency"]
    assert mean == 413 / 4
    assert rows(capsys, "data-source", path) == {
        "L1 hit": 2,
        "RAM hit (remote)": 1,
        "0x7": 1,
    }
    main(["report", "--by", "latency", "--top", "1", path])
    assert "mean latency: 103.25" in capsys.readouterr().out


@pytest.mark.parametrize("by", ["data-address", "latency", "data-source", "cpu"])
def test_pebs_report_by_missing_field_is_refused(
    by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file_of(tmp_path, [{}], 144, session(uuid=UUID_PEBS64))
    assert main(["report", "--by", by, path]) == 1
    assert "the samples have no" in capsys.readouterr().err


def test_pebs_status_identifies_the_pmd(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {0: [pmd(0), pmd(3), pmd(5, sampling=False)], 1: [pmd(2), pmd(63), pmd(319)]}
    statuses = [1, 1 << 3, 1 << 3 | 1 << 2, 1 << 63, 1 << 5, 0, U64_MAX]
    records = [{"status": status} for status in statuses]
    path = file_of(tmp_path, records, 176, session(sets, UUID_PEBS64))
    report = told(capsys, "report", "--by", "pmd", path)
    assert {(r["set"], r["key"], r["event"]): r["count"] for r in report["rows"]} == {
        (0, 0, "event-0"): 2,
        (0, 3, "event-3"): 1,
        (1, 2, "event-2"): 1,
        (1, 63, "event-63"): 1,
        (None, "[unknown]", None): 2,
    }


def test_pebs_status_is_ambiguous_for_pmd_in_two_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {0: [pmd(0)], 1: [pmd(0)]}
    path = file_of(tmp_path, [{"status": 1}], 176, session(sets, UUID_PEBS64))
    assert rows(capsys, "pmd", path) == {"[unknown]": 1}


@LAYOUTS
def test_pebs_without_status_uses_the_only_pmd(
    uuid: str, size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session({7: [pmd(4), pmd(5, sampling=False)]}, uuid)
    path = file_of(tmp_path, [{}, {}], size, sess)
    report = told(capsys, "report", "--by", "pmd", path)
    assert [(r["set"], r["key"], r["count"]) for r in report["rows"]] == [(7, 4, 2)]


def test_pebs_without_status_refuses_report_by_pmd(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sess = session({0: [pmd(0), pmd(1)]}, UUID_PEBS64)
    path = file_of(tmp_path, [{}], 144, sess)
    assert main(["report", "--by", "pmd", path]) == 1
    assert "the samples have no pmd" in capsys.readouterr().err


def test_pebs_dump_has_the_registers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [record_of(UUID_PEBS64, 200, 1)]
    path = file_of(tmp_path, records, 200, session(uuid=UUID_PEBS64))
    assert told(capsys, "dump", path) == as_dict(UUID_PEBS64, 200, records[0])
    main(["dump", path])
    words = capsys.readouterr().out.split()
    assert {f"r15={records[0]['r15']:#x}", f"lat={records[0]['lat']}"} <= set(words)
