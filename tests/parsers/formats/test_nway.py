# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the n-way format (perfmon_nway_smpl.h)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Optional, Sequence

import numpy as np
import pytest
from helpers.cli import printed, told
from helpers.readers import Json, all_samples, decode_buffer, decoder, read_capture
from helpers.writers import (
    FILLING,
    FREE,
    READY,
    U64_MAX,
    UUID_NWAY,
    NwayRegion,
    Sample,
    bufr,
    capture,
    entry,
    json_chunk,
    nway,
    nway_header,
    pmd,
    session,
    totals,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.errors import PfmParseError
from pfmparse.formats.decoding import Decoder

ONE_SIZE = {0: [pmd(0, [5, 7])]}
MANY_SIZES = {0: [pmd(0), pmd(4, [5, 7])], 3: [pmd(4, [1])]}
SETS = pytest.mark.parametrize("sets", [ONE_SIZE, MANY_SIZES])


def sess(sets: Optional[dict[int, list[Json]]] = None) -> Json:
    return session(sets, UUID_NWAY)


def samples_of(sets: dict[int, list[Json]], seeds: Sequence[int]) -> tuple[Sample, ...]:
    """Build a sample for each seed, which selects one of the PMDs of these sets."""
    kinds = [(n, p) for n, pmds in sets.items() for p in pmds]
    made = []
    for seed in seeds:
        number, recorder = kinds[seed % len(kinds)]
        values = tuple((i, seed * i) for i in recorder["smpl_pmds"])
        made.append(Sample(ip=seed, set=number, ovfl_pmd=recorder["num"], pmds=values))
    return tuple(made)


def ips(*seeds: int) -> tuple[Sample, ...]:
    return tuple(Sample(ip=seed) for seed in seeds)


def fed(decode: Decoder, *regions: NwayRegion) -> list[int]:
    """Return the ip of each sample that the decoder finds in these regions."""
    decoded = decode(nway(regions))
    assert decoded.problems == ()
    return [sample["ip"] for sample in all_samples(decoded)]


@SETS
@pytest.mark.parametrize("number", [2, 3, 64])
def test_nway_regions_are_decoded_in_fill_order(
    sets: dict[int, list[Json]], number: int
) -> None:
    regions = [
        NwayRegion(
            # The newest region is in the middle of the buffer.
            seq=1 + (n + number // 2) % number,
            state=READY,
            samples=samples_of(sets, range(10 * n, 10 * n + n % 7)),
        )
        for n in range(number)
    ]
    decoded, problem = decode_buffer(nway(regions), sess(sets))
    assert problem is None
    assert decoded == [
        sample.as_dict()
        for region in sorted(regions, key=lambda r: r.seq)
        for sample in region.samples
    ]


def test_nway_free_and_unused_regions_are_skipped() -> None:
    regions = [
        NwayRegion(5, FREE, ips(1)),
        NwayRegion(0, FILLING, ips(2)),
        NwayRegion(0, FREE),
        NwayRegion(6, FILLING, ips(3)),
    ]
    assert fed(decoder(sess()), *regions) == [3]


def test_nway_regions_keep_their_number() -> None:
    regions = [NwayRegion(2, READY, ips(1)), NwayRegion(1, READY, ips(2))]
    decoded = decoder(sess())(nway(regions))
    assert [region.number for region in decoded.regions] == [1, 0]


def test_nway_saved_region_is_not_decoded_again() -> None:
    decode = decoder(sess())
    regions = [NwayRegion(1, READY, ips(1, 2)), NwayRegion(2, READY, ips(3))]
    assert fed(decode, *regions) == [1, 2, 3]
    assert fed(decode, *regions) == []


@SETS
def test_nway_growing_region_adds_new_samples(
    sets: dict[int, list[Json]],
) -> None:
    decode, samples = decoder(sess(sets)), samples_of(sets, range(9))
    steps = [(0, FILLING, 0), (3, FILLING, 0), (3, FILLING, 3), (9, READY, 3)]
    for end, state, before in steps:
        decoded = decode(nway([NwayRegion(1, state, samples[:end]), NwayRegion()]))
        new = [sample.as_dict() for sample in samples[before:end]]
        assert all_samples(decoded) == new
        assert decoded.problems == ()


def test_nway_refilled_region_is_decoded_from_start() -> None:
    decode = decoder(sess())
    assert fed(decode, NwayRegion(1, READY, ips(1, 2)), NwayRegion()) == [1, 2]
    assert fed(decode, NwayRegion(3, FILLING, ips(7)), NwayRegion()) == [7]


def test_nway_decreasing_sequence_is_a_problem() -> None:
    decode = decoder(sess())
    fed(decode, NwayRegion(9, READY, ips(1)), NwayRegion())
    older = [NwayRegion(8, READY, ips(2)), NwayRegion(10, READY, ips(3))]
    decoded = decode(nway(older))
    assert [sample["ip"] for sample in all_samples(decoded)] == [3]
    assert [p.offset for p in decoded.problems] == [128]
    assert "8 is less than 9, its value in the prev" in decoded.problems[0].message


# Proves H28
def test_nway_size_may_be_ahead_of_count_while_filling() -> None:
    region = NwayRegion(1, FILLING, ips(1, 2), count=1)
    decoded, problem = decode_buffer(nway([region, NwayRegion()]), sess())
    assert [sample["ip"] for sample in decoded] == [1]
    assert problem is None


@SETS
@pytest.mark.parametrize("count", [0, 4, 6, U64_MAX])
def test_nway_count_must_agree_with_size(
    sets: dict[int, list[Json]], count: int
) -> None:
    samples = samples_of(sets, range(5))
    bad = NwayRegion(1, READY, samples, count=count)
    good = NwayRegion(2, READY, samples[:1])
    decoded, problem = decode_buffer(nway([bad, good]), sess(sets))
    kept = [*samples[: min(count, 5)], samples[0]]
    assert decoded == [sample.as_dict() for sample in kept]
    if count:
        assert problem is not None and "region 0" in problem.message


@SETS
def test_nway_bad_entry_ends_its_region_only(
    sets: dict[int, list[Json]],
) -> None:
    samples = samples_of(sets, range(4))
    wrong = replace(samples[0], ovfl_pmd=9)
    regions = [
        NwayRegion(1, READY, (*samples[:2], wrong, *samples[2:])),
        NwayRegion(2, READY, samples),
    ]
    decoded, problem = decode_buffer(nway(regions), sess(sets))
    assert decoded == [s.as_dict() for s in (*samples[:2], *samples)]
    assert problem is not None and not problem.truncated
    first = 128 + 2 * 64
    assert problem.offset == first + sum(len(entry(s)) for s in samples[:2])


@SETS
def test_nway_bad_entry_in_one_of_many_buffers(
    sets: dict[int, list[Json]],
) -> None:
    samples = samples_of(sets, range(4))
    wrong = replace(samples[0], ovfl_pmd=9)
    held = [samples, (*samples[:2], wrong), samples]
    buffers = [
        bufr(nway([NwayRegion(seq, READY, some), NwayRegion()]))
        for seq, some in enumerate(held, 1)
    ]
    found, recording = read_capture(
        capture(json_chunk("SESS", sess(sets)), *buffers, json_chunk("DONE", totals(9)))
    )
    kept = (*samples, *samples[:2], *samples)
    assert found == [sample.as_dict() for sample in kept]
    (problem,) = recording.problems
    assert "region 0: entry 2 has a PMD that does not sample" in problem.message


@pytest.mark.parametrize(
    "fields,offset",
    [
        ({"version": 2 << 16}, 36),
        ({"num_regions": 1}, 32),
        ({"num_regions": 65}, 32),
        ({"num_regions": (1 << 32) - 1}, 32),
        ({"region_size": 1025}, 16),
        ({"region_size": 1 << 63, "buf_size": 1 << 20}, 0),
        ({"region_offs": 128}, 8),
        ({"region_offs": 128 + 2 * 64 + 4}, 8),
        ({"buf_size": 1024}, 0),
    ],
)
def test_nway_bad_header_has_the_field_offset(
    fields: dict[str, int], offset: int
) -> None:
    values = {"regions": 2, "region_size": 1024, **fields}
    data = nway_header(**values) + bytes(4096)
    with pytest.raises(PfmParseError) as error:
        decode_buffer(data, sess())
    assert error.value.offset == offset and not error.value.truncated


@pytest.mark.parametrize(
    "bad,offset",
    [
        (NwayRegion(1, 3, ips(1)), 128 + 64 + 8),
        (NwayRegion(1, READY, ips(1), size=1025), 128 + 64 + 24),
        (NwayRegion(1, READY, ips(1), size=U64_MAX), 128 + 64 + 24),
    ],
)
def test_nway_bad_region_header_reports_the_field(bad: NwayRegion, offset: int) -> None:
    decoded, problem = decode_buffer(nway([NwayRegion(2, READY, ips(5)), bad]), sess())
    assert [sample["ip"] for sample in decoded] == [5]
    assert problem is not None and problem.offset == offset
    assert "region 1" in problem.message


# Proves H27
@SETS
def test_nway_prefix_gives_its_complete_entries(sets: dict[int, list[Json]]) -> None:
    samples = samples_of(sets, range(12))
    regions = [NwayRegion(2, READY, samples[:7]), NwayRegion(1, FILLING, samples[7:])]
    data, first = nway(regions, region_size=512), 128 + 2 * 64
    ends = []
    for number, region in enumerate(regions):
        end = first + number * 512
        for sample in region.samples:
            end += len(entry(sample))
            ends.append(end)
    for size in range(len(data)):
        if size < first:
            with pytest.raises(PfmParseError) as error:
                decode_buffer(data[:size], sess(sets))
            assert error.value.truncated and error.value.offset == size
            continue
        whole = [s for s, end in zip(samples, ends) if end <= size]
        decoded, problem = decode_buffer(data[:size], sess(sets))
        assert sorted(d["ip"] for d in decoded) == [s.ip for s in whole]
        if len(whole) < len(samples):
            assert problem is not None and problem.truncated
            assert problem.offset == size


# Proves H26
@SETS
@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.data())
def test_nway_mutated_buffer_fails_cleanly(
    sets: dict[int, list[Json]], data: st.DataObject
) -> None:
    decode = decoder(sess(sets))
    regions = [
        NwayRegion(3, READY, samples_of(sets, range(4))),
        NwayRegion(4, FILLING, samples_of(sets, range(3))),
        NwayRegion(2, FREE, samples_of(sets, range(2))),
    ]
    good = nway(regions, region_size=512)
    for _ in range(2):
        image = bytearray(good)
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, 128 + 3 * 64 + 200))
            image[at] = data.draw(st.integers(0, 255))
        try:
            decoded = decode(bytes(image[: data.draw(st.integers(0, len(image)))]))
        except PfmParseError:
            continue
        assert len(all_samples(decoded)) <= len(image) // 40


def test_nway_equal_size_samples_are_views() -> None:
    region = NwayRegion(1, READY, samples_of(ONE_SIZE, range(3)))
    data = np.frombuffer(nway([region, NwayRegion()]), np.uint8)
    samples = decoder(sess(ONE_SIZE))(data.data).regions[0].samples
    assert np.shares_memory(samples.columns["ip"], data)
    assert np.shares_memory(samples.groups[0].values, data)


def test_info_cannot_describe_an_argument_of_other_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = sess()
    described["format"]["arg"] = "0a0b"
    path = tmp_path / "x.pfm"
    path.write_bytes(
        capture(json_chunk("SESS", described), json_chunk("DONE", totals(0)))
    )
    assert told(capsys, "info", str(path))["format"]["arg"] is None


def test_info_decodes_the_argument(
    nway_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "info", nway_file)["format"]["arg"] == {
        "buf_size": 4096,
        "buf_flags": 1,
        "num_regions": 2,
        "mask_when_full": True,
    }
    assert "argument: buf_size 4096" in printed(capsys, "info", nway_file)
