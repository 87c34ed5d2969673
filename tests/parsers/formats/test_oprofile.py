# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode the OProfile format (perfmon_oprofile_smpl.h)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Sequence

import numpy as np
import pytest
from helpers.cli import rows, told
from helpers.oprofile_stream import (
    NOBODY,
    STREAM,
    Step,
    expected,
    sess,
    with_callers,
    without_callers,
)
from helpers.readers import Json, all_samples, decoder, read_capture
from helpers.writers import (
    OPROFILE_CODES,
    U64_MAX,
    bufr,
    capture,
    chunk,
    cook,
    json_chunk,
    mapping,
    maps,
    oprofile,
    oprofile_words,
    pmd,
    session,
    totals,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.__main__ import main
from pfmparse.formats.decoding import Decoded, Decoder
from pfmparse.formats.oprofile import LONGEST_TRACE

TOP = U64_MAX
ARGUMENTS = {"ctx": 2, "cpu": 1, "cookie": 1, "tgid": 1}


def told_by(decoded: Decoded) -> list[Json]:
    return with_callers(all_samples(decoded))


def fed(decode: Decoder, words: Sequence[int]) -> list[Json]:
    decoded = decode(oprofile(words))
    assert decoded.problems == ()
    return told_by(decoded)


def test_oprofile_escapes_apply_to_later_samples() -> None:
    assert fed(decoder(sess()), oprofile_words(STREAM)) == expected(STREAM)


@pytest.mark.parametrize("arch", ["i686", "armv7l"])
def test_oprofile_words_have_4_bytes_on_32_bit(arch: str) -> None:
    steps: list[Step] = [
        ("cpu", 3),
        ("cookie", NOBODY),
        ("at", 0xC0001000, 5),
        ("cookie", 9),
        ("at", 16, NOBODY),
        ("at", 17, 5),
    ]
    decoded = decoder(sess(arch))(oprofile(oprofile_words(steps, 32), 32))
    assert told_by(decoded) == expected(steps, 32)
    assert decoded.problems == ()


@pytest.mark.parametrize("arch", ["aarch64", "arm64", "ia64", "ppc64le", "s390x"])
def test_oprofile_words_have_8_bytes_on_64_bit(arch: str) -> None:
    assert fed(decoder(sess(arch)), oprofile_words(STREAM)) == expected(STREAM)


def test_oprofile_stream_may_be_split_at_any_word() -> None:
    words = oprofile_words([*STREAM, ("trace",), *STREAM[4:6], ("end",), *STREAM])
    steps = [*STREAM, ("trace",), *STREAM[4:6], ("end",), *STREAM]
    for cut in range(len(words) + 1):
        decode = decoder(sess())
        samples = fed(decode, words[:cut]) + fed(decode, words[cut:])
        assert samples == expected(steps)
    decode = decoder(sess())
    assert [s for word in words for s in fed(decode, [word])] == expected(steps)


def test_oprofile_callers_are_not_samples() -> None:
    caller = ("at", 0x10, 0)
    steps: list[Step] = [
        ("cpu", 1),
        ("at", 1, 1),
        ("trace",),
        ("at", 2, 1),
        caller,
        ("cookie", 9),
        caller,
        ("kernel",),
        caller,
        ("end",),
        ("at", 3, 1),
        ("trace",),
        ("user",),
        ("at", 4, 1),
        ("end",),
        ("trace",),
        ("end",),
        ("trace",),
        ("at", 5, 1),
        caller,
        ("trace",),
        ("at", 6, 1),
        caller,
    ]
    samples = fed(decoder(sess()), oprofile_words(steps))
    # Sample 6 is missing because its trace may continue in the next chunk.
    assert [sample["offset"] for sample in samples] == [1, 2, 3, 4, 5]
    assert samples == expected(steps)


TRACED: list[Step] = [
    ("cpu", 1),
    ("tgid", 200),
    ("user",),
    ("cookie", 5),
    ("at", 1, 1),
    ("trace",),
    ("at", 2, 1),
    ("at", 0x11, 0),
    ("cookie", 6),
    ("at", 0x12, 0),
    ("cookie", 0),
    ("at", 0x7F0000001000, 0),
    ("end",),
    ("cookie", 5),
    ("at", 3, 1),
]


def test_oprofile_callers_have_their_cookies() -> None:
    decoded = decoder(sess())(oprofile(oprofile_words(TRACED)))
    chains = decoded.regions[0].samples.chains
    assert chains is not None
    assert chains.to_lists() == [[], [0x11, 0x12, 0x7F0000001000], []]
    assert chains.files_to_lists() == [[], [5, 6, 0], []]
    assert chains.in_kernel().tolist() == [False, False, False]


def test_oprofile_unterminated_trace_is_limited() -> None:
    decode = decoder(sess())
    head = oprofile_words([("cpu", 1), ("trace",), ("at", 1, 1)])
    words = [*head, *[7, 0] * (LONGEST_TRACE // 2)]
    (sample,) = fed(decode, words)
    assert sample["offset"] == 1 and len(sample["callers"]) == LONGEST_TRACE // 2
    steps: list[Step] = [("at", 8, 0), ("end",), ("at", 2, 1)]
    (sample,) = fed(decode, oprofile_words(steps))
    assert sample["offset"] == 2 and sample["callers"] == []


@pytest.mark.parametrize(
    "steps",
    [
        [("cookie", TOP), ("at", 1, 1)],
        [("ctx", 5, TOP), ("at", 1, 1)],
        [("ctx", TOP, TOP), ("cookie", TOP), ("at", 1, 1)],
        [("cpu", 0), ("at", 1, TOP), ("at", 2, 3), ("cpu", 1), ("at", 4, TOP)],
        [("cpu", 0), ("at", 1, TOP), ("cpu", 1), ("at", 2, TOP), ("cookie", TOP)],
        [("cpu", 0), ("at", 1, TOP), ("at", 2, 3), ("at", 5, 6)],
    ],
)
def test_oprofile_argument_is_not_taken_for_escape(steps: list[Step]) -> None:
    assert fed(decoder(sess()), oprofile_words(steps)) == expected(steps)


STEPS = st.one_of(
    st.tuples(st.just("at"), st.integers(0, TOP - 1), st.sampled_from([0, 1, TOP])),
    st.sampled_from(sorted(OPROFILE_CODES)).flatmap(
        lambda name: st.tuples(
            st.just(name),
            *(
                st.sampled_from([0, 1, 2, 8, TOP])
                for _ in range(ARGUMENTS.get(name, 0))
            ),
        )
    ),
)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.lists(STEPS, max_size=40), st.lists(st.integers(0, 150), max_size=4))
def test_oprofile_decodes_any_stream_in_any_chunks(
    steps: list[Step], cuts: list[int]
) -> None:
    steps = [("cpu", 0), *steps]
    words, decode, samples = oprofile_words(steps), decoder(sess()), []
    start = 0
    for end in [*sorted(cuts), len(words)]:
        samples += fed(decode, words[start:end])
        start = max(start, end)
    assert samples == expected(steps)


def test_oprofile_skips_words_before_first_escape() -> None:
    words = [1, 2, 3, *oprofile_words(STREAM)]
    assert fed(decoder(sess()), words) == expected(STREAM)
    assert fed(decoder(sess()), [1, 2, 3, 4]) == []


@pytest.mark.parametrize("code", [0, 6, 10, 1 << 63])
def test_oprofile_unknown_escape_skips_to_known_one(code: int) -> None:
    first, second = oprofile_words(STREAM[:6]), oprofile_words(STREAM[11:])
    words = [*first, TOP, code, 77, 78, 79, *second]
    decoded = decoder(sess())(oprofile(words))
    assert told_by(decoded) == [
        *expected(STREAM[:6]),
        {**expected(STREAM)[-1], "kernel": 0},
    ]
    assert [p.offset for p in decoded.problems] == [8 * len(first)]
    assert f"unknown escape {code}" in decoded.problems[0].message


@pytest.mark.parametrize("code", [6, 1 << 63])
def test_oprofile_skips_unknown_escape_across_chunks(code: int) -> None:
    first, second = oprofile_words(STREAM[:6]), oprofile_words(STREAM[11:])
    decode = decoder(sess())
    assert len(fed(decode, [*first, TOP])) == 2
    decoded = decode(oprofile([code, 77]))
    assert told_by(decoded) == [] and len(decoded.problems) == 1
    assert decoded.problems[0].offset == 0
    assert [s["offset"] for s in fed(decode, [78, 79, *second])] == [0x7F0000001000]


def test_oprofile_partial_word_is_a_truncation() -> None:
    data = oprofile(oprofile_words(STREAM))
    decoded = decoder(sess())(data[:-3])
    assert told_by(decoded) == expected(STREAM)[:-1]
    assert [(p.offset, p.truncated) for p in decoded.problems] == [
        (len(data) - 8, True)
    ]


# Proves H27
def test_oprofile_prefix_gives_samples_before_the_cut() -> None:
    data = oprofile(oprofile_words(STREAM))
    ends = [
        8 * len(oprofile_words(STREAM[: n + 1]))
        for n, step in enumerate(STREAM)
        if step[0] == "at"
    ]
    for size in range(len(data)):
        decoded = decoder(sess())(data[:size])
        whole = sum(end <= size for end in ends)
        assert told_by(decoded) == expected(STREAM)[:whole]
        assert all(p.truncated for p in decoded.problems)


# Proves H26
@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.data())
def test_mutated_stream_gives_samples(data: st.DataObject) -> None:
    words = oprofile_words(STREAM * 3)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at] = data.draw(st.sampled_from([0, 1, 2, 6, 8, 9, 10, TOP]))
    image, decode = oprofile(words), decoder(sess())
    cut = data.draw(st.integers(0, len(image)))
    found = [decode(image[:cut]), decode(image[cut:])]
    assert sum(len(told_by(decoded)) for decoded in found) <= len(words) // 2


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(st.binary(max_size=80), max_size=4), st.sampled_from([b"", b"\xff"]))
def test_arbitrary_bytes_give_samples(chunks: list[bytes], fill: bytes) -> None:
    decode = decoder(sess("i686"))
    for data in chunks:
        decoded = decode(data.replace(b"\0", 4 * fill) if fill else data)
        assert all(problem.offset <= 4 * len(data) for problem in decoded.problems)


def test_oprofile_resumes_at_escape_after_lost_chunk() -> None:
    words = oprofile_words(STREAM)
    parts = [bufr(oprofile(part)) for part in (words[:15], words[15:18], words[18:])]
    bad = bytearray(parts[1])
    bad[60] ^= 1
    for broken in (bytes(bad), chunk("BUFR", b"short")):
        file = capture(json_chunk("SESS", sess()), parts[0], broken, parts[2])
        samples, recording = read_capture(file)
        offsets = [sample["offset"] for sample in samples]
        # The lost chunk contains the second sample, and half of the escape code before
        # the third.
        assert offsets == [0x1000, 0x2000, 0x7F0000001000]
        assert [sample["pid"] for sample in samples] == [101, NOBODY, 201]
        assert not recording.useless


CALL = 0x7F0000001000
CODE = mapping(0x7F0000000000, 0x7F0000002000, 0, "[anon]")
FILES = [(5, "/bin/x", None), (7, "/bin/app", "ab"), (6, "/lib/y", "8c1f")]


@pytest.fixture(params=["before", "after", "split"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the path of a capture of STREAM.

    The chunks with FILES precede the buffer, follow it, or do both.
    """
    cookies: dict[str, tuple[list[bytes], list[bytes]]] = {
        "before": ([cook(FILES)], []),
        "after": ([], [cook(FILES)]),
        "split": ([cook(FILES[:1])], [cook(FILES[1:]), cook([])]),
    }
    first, last = cookies[request.param]
    described = sess()
    described["sets"] = session({0: [pmd(0), pmd(1)]})["sets"]
    for at, eventid in enumerate((1, 2)):
        described["sets"][0]["pmds"][at]["eventid"] = eventid
    path = tmp_path / "x.pfm"
    path.write_bytes(
        capture(
            json_chunk("SESS", described),
            json_chunk("MAPS", maps(200, [CODE])),
            chunk("KSYM", b"ffffffff81000000 T schedule\n"),
            *first,
            bufr(oprofile(oprofile_words(STREAM))),
            *last,
            json_chunk("DONE", totals(5)),
        )
    )
    return str(path)


def test_oprofile_reports_resolve_all_addresses(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rows(capsys, "image", file) == {
        "/bin/x": 2,
        "/lib/y": 1,
        "[kernel]": 1,
        "[anon]": 1,
    }
    assert rows(capsys, "function", file, warns=True) == {
        "/bin/x": 2,
        "/lib/y": 1,
        "schedule": 1,
        "[anon]": 1,
    }
    assert rows(capsys, "ip", file, warns=True) == {
        "0x1000": 1,
        "0x1008": 1,
        "0x2000": 1,
        "0xffffffff81000010": 1,
        "0x7f0000001000": 1,
    }


def written(tmp_path: Path, steps: Sequence[Step]) -> str:
    """Write a capture of a stream, with the cookies of FILES; return the path."""
    path = tmp_path / "traced.pfm"
    head = (json_chunk("SESS", sess()), json_chunk("MAPS", maps(200, [CODE])))
    data = bufr(oprofile(oprofile_words(steps)))
    path.write_bytes(capture(*head, cook(FILES), data))
    return str(path)


def test_oprofile_callers_are_resolved_by_cookie(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    anon: list[Step] = [("trace",), ("at", 9, 1), ("cookie", 0), ("at", CALL, 0)]
    file = written(tmp_path, [*TRACED, *anon, ("end",)])
    found = rows(capsys, "caller", file, warns=True)
    assert found == {"/bin/x": 1, "[anon]": 1, "[unknown]": 2}


def test_oprofile_report_without_traces_has_no_callers(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--by", "caller", file]) == 1
    assert "the samples have no call chains" in capsys.readouterr().err


def test_oprofile_dump_has_callers_and_cookies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["dump", written(tmp_path, TRACED)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("callers=0x11,0x12,0x7f0000001000 caller_cookies=5,6,0")


def test_oprofile_reports_by_escape_and_sample_fields(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rows(capsys, "kernel", file) == {"user": 4, "kernel": 1}
    assert rows(capsys, "tid", file) == {101: 4, 201: 1}
    assert rows(capsys, "cpu", file) == {1: 4, 0: 1}
    report = told(capsys, "report", "--by", "event", file)
    assert [(r["key"], r["event"], r["count"]) for r in report["rows"]] == [
        (1, "event-0", 4),
        (2, "event-1", 1),
    ]


@pytest.mark.parametrize("by", ["pmd", "latency", "data-address"])
def test_oprofile_report_by_missing_field_is_refused(
    by: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--by", by, file]) == 1
    assert "the samples have no" in capsys.readouterr().err


def test_oprofile_event_outside_session_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    words = oprofile_words([("cpu", 0), ("at", 1, 99)])
    path.write_bytes(capture(json_chunk("SESS", sess()), bufr(oprofile(words))))
    report = told(capsys, "report", "--by", "event", str(path), warns=True)
    assert [(r["key"], r["event"]) for r in report["rows"]] == [(99, None)]


def test_oprofile_undescribed_cookie_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    steps = [("cookie", TOP), ("at", 1, 1), ("cookie", 44), ("at", 1 << 63, 1)]
    data = bufr(oprofile(oprofile_words(steps)))
    path.write_bytes(capture(json_chunk("SESS", sess()), cook(FILES), data))
    assert rows(capsys, "image", str(path), warns=True) == {"[unknown]": 2}


def test_oprofile_info_and_dump_agree(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = told(capsys, "info", file)
    assert described["format"]["name"] == "OProfile"
    assert described["format"]["arg"] == {}
    assert described["samples"] == 5
    main(["dump", "--json", file])
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines] == without_callers(expected(STREAM))


def test_oprofile_columns_have_minimal_types() -> None:
    samples = decoder(sess())(oprofile(oprofile_words(STREAM))).regions[0].samples
    array = samples.to_array()
    assert array.dtype["offset"] == np.dtype("<u8")
    assert array["kernel"].tolist() == [0, 0, 1, 0, 0]
