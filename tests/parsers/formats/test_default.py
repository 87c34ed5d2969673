# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the default format (specification 3.6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.readers import decode_buffer, decoder
from helpers.writers import (
    HDR_SIZE,
    IIP_HDR,
    NO_HDR,
    RAW_TIME,
    U64_MAX,
    UUID_2_2,
    UUID_IA64,
    Json,
    Sample,
    buffer,
    header,
    pmd,
    session,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.errors import PfmParseError

LAYOUTS = pytest.mark.parametrize("uuid", [UUID_2_2, UUID_IA64])
FLAGS = pytest.mark.parametrize("flags", [0, NO_HDR, IIP_HDR])
ONE_SIZE = {0: [pmd(4, [5, 7]), pmd(5, [], False), pmd(7, [], False)]}
TWO_LISTS = {0: [pmd(4, [5]), pmd(5, [7])]}
MANY_SIZES = {0: [pmd(0), pmd(4, [5, 7])], 3: [pmd(4, [1, 2, 3]), pmd(200, [319])]}


def of_kind(sets: dict[int, list[Json]], which: int, seed: int) -> Sample:
    """Build a sample of the sampling PMD with index ``which`` in these sets."""
    kinds = [(n, p) for n, pmds in sets.items() for p in pmds if p["sampling"]]
    number, recorder = kinds[which % len(kinds)]
    return Sample(
        pid=seed % 1000,
        ovfl_pmd=recorder["num"],
        last_reset_val=U64_MAX - seed,
        ip=0x400000 + seed,
        tstamp=seed,
        cpu=seed % 4,
        set=number,
        tgid=seed % 500,
        pmds=tuple((i, (seed * i) & U64_MAX) for i in recorder["smpl_pmds"]),
    )


# Proves 3.7.7-04
@LAYOUTS
@pytest.mark.parametrize("sets", [ONE_SIZE, TWO_LISTS, MANY_SIZES])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_entries_are_decoded(
    uuid: str, sets: dict[int, list[Json]], count: int
) -> None:
    samples = [of_kind(sets, which=7 * i, seed=i) for i in range(count)]
    decoded, problem = decode_buffer(buffer(samples, uuid), session(sets, uuid))
    assert decoded == [sample.as_dict() for sample in samples]
    assert problem is None


@LAYOUTS
@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1 << 30)), max_size=30),
    st.binary(max_size=100),
)
def test_any_sequence_of_sizes_is_decoded(
    uuid: str, kinds: list[tuple[int, int]], unused: bytes
) -> None:
    samples = [of_kind(MANY_SIZES, which, seed) for which, seed in kinds]
    data = buffer(samples, uuid) + unused
    decoded, problem = decode_buffer(data, session(MANY_SIZES, uuid))
    assert decoded == [sample.as_dict() for sample in samples]
    assert problem is None


@pytest.mark.parametrize("flags", [NO_HDR, IIP_HDR])
def test_short_entries_have_only_their_fields(flags: int) -> None:
    samples = [of_kind(ONE_SIZE, 0, seed) for seed in range(20)]
    decoded, problem = decode_buffer(buffer(samples, flags=flags), session(ONE_SIZE))
    assert decoded == [sample.as_dict(flags) for sample in samples]
    assert problem is None


def test_iip_entries_need_no_pmds() -> None:
    samples = [Sample(ip=ip) for ip in (1, U64_MAX)]
    decoded, _ = decode_buffer(buffer(samples, flags=IIP_HDR), session())
    assert decoded == [{"ip": 1, "pmds": {}}, {"ip": U64_MAX, "pmds": {}}]


@pytest.mark.parametrize(
    "flags,sets",
    [
        (NO_HDR, TWO_LISTS),  # entries do not say which PMDs they list
        (IIP_HDR, MANY_SIZES),
        (IIP_HDR, {0: [pmd(0, [], False)]}),  # no sampling PMD
        (NO_HDR, {0: [pmd(0)]}),  # entries of 0 bytes
    ],
)
def test_ambiguous_short_entries_are_refused(
    flags: int, sets: dict[int, list[Json]]
) -> None:
    with pytest.raises(PfmParseError) as error:
        decode_buffer(buffer([], flags=flags), session(sets))
    assert error.value.offset == 44


def test_extreme_values_stay_exact() -> None:
    sample = Sample(
        pid=(1 << 32) - 1,
        ovfl_pmd=319,
        last_reset_val=U64_MAX,
        ip=U64_MAX,
        tstamp=U64_MAX,
        cpu=(1 << 16) - 1,
        set=(1 << 16) - 1,
        tgid=(1 << 32) - 1,
        pmds=((0, U64_MAX),),
    )
    sets = {(1 << 16) - 1: [pmd(319, [0])]}
    assert decode_buffer(buffer([sample]), session(sets))[0] == [sample.as_dict()]


@pytest.mark.parametrize("sets", [ONE_SIZE, MANY_SIZES])
def test_raw_time_stamps_are_converted(sets: dict[int, list[Json]]) -> None:
    raw = [of_kind(sets, 0, seed) for seed in range(9)]
    raw += [replace(raw[0], tstamp=tstamp) for tstamp in (0, 1, U64_MAX)]
    zero, mult, shift = U64_MAX - 9, 0xFFFFFFFF, 32
    data = buffer(raw, flags=RAW_TIME, time_zero=zero, time_mult=mult, time_shift=shift)
    decoded, problem = decode_buffer(data, session(sets))
    assert problem is None
    times = [(zero + (sample.tstamp * mult >> shift)) & U64_MAX for sample in raw]
    assert [sample["tstamp"] for sample in decoded] == times
    assert [sample["pmds"] for sample in decoded] == [s.as_dict()["pmds"] for s in raw]


def test_smpl_pmds_are_sorted_by_index() -> None:
    sample = Sample(pmds=((5, 55), (7, 77)))
    sess = session({0: [pmd(0, [7, 5])]})
    assert decode_buffer(buffer([sample]), sess)[0] == [sample.as_dict()]


@pytest.mark.parametrize(
    "uuid,fields,offset",
    [
        (UUID_2_2, {"version": 2 << 16}, 40),
        (UUID_IA64, {"version": 1 << 16}, 40),
        (UUID_2_2, {"flags": NO_HDR | IIP_HDR}, 44),
        (UUID_2_2, {"flags": 8}, 44),
        (UUID_2_2, {"flags": RAW_TIME | IIP_HDR, "time_mult": 1}, 44),
        (UUID_2_2, {"flags": RAW_TIME}, 56),
        (UUID_2_2, {"flags": RAW_TIME, "time_mult": 1, "time_shift": 33}, 60),
        (UUID_2_2, {"cur_offs": 127}, 8),
        (UUID_IA64, {"cur_offs": 127}, 8),
        (UUID_2_2, {"cur_offs": 1 << 63}, 8),
        (UUID_2_2, {"buf_size": 100}, 8),
        (UUID_IA64, {"buf_size": 100}, 8),
    ],
)
def test_default_bad_header_has_the_field_offset(
    uuid: str, fields: dict[str, int], offset: int
) -> None:
    others = {name: fields[name] for name in fields if name != "cur_offs"}
    data = header(0, fields.get("cur_offs", HDR_SIZE), uuid, **others)
    with pytest.raises(PfmParseError) as error:
        decode_buffer(data, session(uuid=uuid))
    assert error.value.offset == offset


@pytest.mark.parametrize("sets", [ONE_SIZE, MANY_SIZES])
@pytest.mark.parametrize("wrong", [{"ovfl_pmd": 9}, {"set": 1}])
def test_entry_of_non_sampling_pmd_ends_the_samples(
    sets: dict[int, list[Json]], wrong: dict[str, int]
) -> None:
    good = [of_kind(sets, 0, seed) for seed in range(3)]
    bad = Sample(**{**vars(good[0]), **wrong})
    decoded, problem = decode_buffer(buffer([*good, bad, *good]), session(sets))
    assert decoded == [sample.as_dict() for sample in good]
    assert problem is not None and not problem.truncated
    assert problem.offset == len(buffer(good))


@pytest.mark.parametrize("sets", [ONE_SIZE, MANY_SIZES])
@pytest.mark.parametrize("count", [0, 4, 6, 1 << 60, U64_MAX])
def test_count_must_agree_with_cur_offs(
    sets: dict[int, list[Json]], count: int
) -> None:
    samples = [of_kind(sets, seed, seed) for seed in range(5)]
    data = buffer(samples, count=count)
    decoded, problem = decode_buffer(data, session(sets))
    assert decoded == [sample.as_dict() for sample in samples[: min(count, 5)]]
    assert problem is not None and "hdr_count" in problem.message


# Proves H28
def test_entries_beyond_the_count_are_ignored() -> None:
    torn = buffer([Sample(ip=1), Sample(ip=2)], count=1, cur_offs=HDR_SIZE + 40)
    decoded, problem = decode_buffer(torn, session())
    assert [sample["ip"] for sample in decoded] == [1]
    assert problem is None


# Proves H27
@LAYOUTS
@pytest.mark.parametrize("sets", [ONE_SIZE, MANY_SIZES])
def test_default_prefix_gives_its_complete_entries(
    uuid: str, sets: dict[int, list[Json]]
) -> None:
    samples = [of_kind(sets, seed, seed) for seed in range(6)]
    ends = [len(buffer(samples[:n], uuid)) for n in range(7)]
    data, sess = buffer(samples, uuid), session(sets, uuid)
    for size in range(len(data)):
        if size < HDR_SIZE:
            with pytest.raises(PfmParseError) as error:
                decode_buffer(data[:size], sess)
            assert error.value.truncated and error.value.offset == size
            continue
        whole = sum(end <= size for end in ends[1:])
        decoded, problem = decode_buffer(data[:size], sess)
        assert decoded == [sample.as_dict() for sample in samples[:whole]]
        assert problem is not None and problem.truncated and problem.offset == size


# Proves H26
@FLAGS
@pytest.mark.parametrize("sets", [ONE_SIZE, MANY_SIZES])
@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data())
def test_default_mutated_buffer_fails_cleanly(
    flags: int, sets: dict[int, list[Json]], data: st.DataObject
) -> None:
    sets = ONE_SIZE if flags else sets
    image = bytearray(
        buffer([of_kind(sets, seed, seed) for seed in range(5)], flags=flags)
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(image) - 1))
        image[at] = data.draw(st.integers(0, 255))
    try:
        decoded, _ = decode_buffer(bytes(image), session(sets))
    except PfmParseError:
        return
    assert len(decoded) <= (len(image) - HDR_SIZE) // 8


def test_default_equal_size_samples_are_views() -> None:
    data = np.frombuffer(buffer([of_kind(ONE_SIZE, 0, 1)] * 3), np.uint8)
    region = decoder(session(ONE_SIZE))(data.data).regions[0]
    assert np.shares_memory(region.samples.columns["ip"], data)
    assert np.shares_memory(region.samples.groups[0].values, data)
