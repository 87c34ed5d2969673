# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write samples as perf.data records."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import every_format, perf_file
from helpers.exporting import called, exported
from helpers.programs import Program
from helpers.readers import opened
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import (
    UUID_OPROFILE,
    UUID_PEBS64,
    Sample,
    bufr,
    capture,
    contexts,
    json_chunk,
    mapped,
    mapping,
    oprofile,
    oprofile_words,
    pebs,
    pebs_capture,
    session,
    simple_capture,
    totals,
)
from pfmparse.analysis.columns import NOBODY
from pfmparse.exports.perf_samples import NOT_AVAILABLE, Events, sample_type

IP_TID_PERIOD_ID = 0x10103


def samples(file: Path, tmp_path: Path, *options: str) -> list[perf_file.Record]:
    """Return the SAMPLE records of an export."""
    out = exported(file, "perf-data", tmp_path / "perf.data", *options)
    return [r for r in perf_file.records(out) if r.kind == perf_file.SAMPLE]


@pytest.mark.parametrize(
    "name,bits",
    [
        ("default", 0x84),  # time and CPU
        ("pebs32", 0),
        ("pebs64", 0xC008),  # address, weight and data source
        ("oprofile", 0x80),
        ("callstack", 0xA4),
        ("histogram", 0),
    ],
)
def test_perf_sample_type_matches_the_format(
    name: str, bits: int, captures: dict[str, Path]
) -> None:
    source = opened(captures[name].read_bytes())
    assert sample_type([source]) == IP_TID_PERIOD_ID | bits


def test_perf_samples_have_recorded_words(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    found = samples(captures["flight"], tmp_path)
    points = every_format.points(program)
    assert len(found) == len(points)
    for number, (record, point) in enumerate(zip(found, points)):
        assert record.fields == {
            "id": point.pmd + 1,
            "ip": point.ip,
            "tid": every_format.TGID | point.tid << 32,
            "time": every_format.FIRST_TIME + 1000 * number,
            "cpu": point.cpu,
            "period": every_format.PERIODS[point.pmd],
        }
        assert record.misc == (1 if point.ip >= every_format.KERNEL else 2)


def test_perf_samples_have_recorded_memory_data(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    found = samples(captures["pebs64"], tmp_path)
    for record, point in zip(found, every_format.points(program)):
        source = point.source or NOT_AVAILABLE
        expected = {"addr": point.data, "weight": point.latency, "source": source}
        assert expected.items() <= record.fields.items()


def test_perf_samples_have_recorded_chains(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    found = samples(captures["callstack"], tmp_path)
    for record, point in zip(found, every_format.points(program)):
        assert record.chain is not None
        addresses = [word for word in record.chain if word < (1 << 64) - 4096]
        assert addresses == [point.ip, *point.callers]


def test_perf_chains_are_cut_at_the_records_limit(tmp_path: Path) -> None:
    file, out = tmp_path / "x.pfm", tmp_path / "perf.data"
    file.write_bytes(stack_capture([Stack(("hot", *["main"] * 9000))]))
    _, _, err = called("export", str(file), "--to", "perf-data", "-o", str(out))
    assert "does not store callers beyond 8000 in a call chain\n" in err
    (record,) = (r for r in perf_file.records(out) if r.kind == perf_file.SAMPLE)
    assert record.chain is not None
    # The chain's first two words are the context marker and the sample's own address.
    assert len(record.chain) == 2 + 8000


# The first format has no process IDs. The stream of the second one begins with samples
# of an unknown process.
NO_PROCESS = {
    UUID_PEBS64: pebs([{"ip": 0x1000}], UUID_PEBS64, 144),
    UUID_OPROFILE: oprofile(oprofile_words([("user",), ("at", 0x1000, 0)])),
}


@pytest.mark.parametrize("uuid", NO_PROCESS)
@pytest.mark.parametrize(
    ("tgids", "tgid"), [((), NOBODY), ((100,), 100), ((100, 101), NOBODY)]
)
def test_perf_samples_of_unknown_process_have_only_one(
    uuid: str, tgids: tuple[int, ...], tgid: int, tmp_path: Path
) -> None:
    everywhere = session(uuid=uuid)
    everywhere.update(mode="system-wide", contexts=contexts(1))
    everywhere["format"]["arg"] = ""
    maps = [mapped(mapping(0x1000, 0x2000, 0, "[vdso]"), tgid) for tgid in tgids]
    chunks = (*maps, bufr(NO_PROCESS[uuid]), json_chunk("DONE", totals(1)))
    file = tmp_path / "x.pfm"
    file.write_bytes(capture(json_chunk("SESS", everywhere), *chunks))
    (record,) = samples(file, tmp_path)
    assert record.fields["tid"] == tgid | tgid << 32


def test_perf_sample_periods_include_the_weight(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    found = samples(captures["histogram"], tmp_path)
    periods = [record.fields["period"] for record in found]
    assert periods == [
        (number + 1) * every_format.PERIODS[record.fields["id"] - 1]
        for number, record in enumerate(found)
    ]


def test_perf_sample_periods_are_recorded_sums(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    found = samples(captures["stacks"], tmp_path)
    assert [record.fields["period"] for record in found] == [
        every_format.stacks_periods(number, point)
        for number, point in enumerate(every_format.points(program))
    ]
    argv = ["export", str(captures["stacks"]), "--to", "perf-data"]
    _, _, err = called(*argv, "-o", str(tmp_path / "x"))
    assert "columns" not in err
    _, _, err = called(*argv, "-o", str(tmp_path / "x"), "--weight", "tid")
    assert "does not store columns periods\n" in err


def test_perf_sample_period_can_be_another_column(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    found = samples(captures["default"], tmp_path, "--weight", "cpu")
    assert all(r.fields["period"] == r.fields["cpu"] for r in found)


def test_perf_omits_raw_pebs_data_sources(tmp_path: Path) -> None:
    values = (1, 1 << 46, every_format.L1_HIT, 0)
    records = [{"ip": 0x1000, "dse": value} for value in values]
    file = tmp_path / "x.pfm"
    file.write_bytes(pebs_capture(records, 176, session(uuid=UUID_PEBS64)))
    found = [record.fields["source"] for record in samples(file, tmp_path)]
    assert found == [NOT_AVAILABLE] * 2 + [every_format.L1_HIT, NOT_AVAILABLE]


def test_perf_unknown_event_is_added_last_if_sampled() -> None:
    source = opened(simple_capture([Sample()]))
    events = Events([source, source])
    assert events.all() == [("event-0", 1000)]
    (batch,) = source.batches()
    assert events.ids(source, batch.samples).tolist() == [1]
    assert events.all() == [("event-0", 1000)]
    two = session(uuid=UUID_PEBS64)
    two["sets"][0]["pmds"].append({**two["sets"][0]["pmds"][0], "num": 1})
    data = pebs_capture([{"ip": 1}] * 3, 144, two)
    other = opened(data)
    events = Events([other])
    for batch in other.batches():
        events.ids(other, batch.samples)
    assert events.all()[-1] == ("[unknown]", 1)
