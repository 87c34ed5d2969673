# SPDX-License-Identifier: MIT OR GPL-2.0
"""Count samples by function, address, line, image and data address."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from helpers.readers import opened, reported
from helpers.writers import (
    IIP_HDR,
    UUID_IA64,
    UUID_OPROFILE,
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    clck,
    code_of,
    cook,
    jitm,
    json_chunk,
    mapped,
    mapping,
    oprofile,
    oprofile_words,
    pebs_capture,
    proc,
    session,
)
from numpy.typing import NDArray
from pfmparse import Batch, Chains, Role, Samples
from pfmparse.analysis.keys import key
from pfmparse.analysis.places import Places
from pfmparse.analysis.sums import Sums
from pfmparse.commands import report_rows
from pfmparse.symbols.location import Detail, SymbolOptions


def test_image_report_needs_no_object_file() -> None:
    where = mapping(0x1000, 0x2000, 0, "/gone", "ab")
    data = captured([Sample(ip=0x1800), Sample(ip=0x1900)], mapped(where))
    warnings = list[str]()
    source = opened(data, "image", warn=warnings.append)
    (row,) = report_rows.make([source], report_rows.Options(["image"])).rows
    assert (row.values[0].key, row.samples, warnings) == ("/gone", 2, [])


ANON = mapping(0x1000, 0x3000, 0, "[anon]")


def test_only_address_reports_split_one_location() -> None:
    samples = [Sample(ip=ip) for ip in (0x1000, 0x2000, 0x1000)]
    data = captured(samples, mapped(ANON))
    assert reported(data, "function").rows == [("[anon]", None, "[anon]", 3)]
    assert reported(data, "ip").rows == [
        ("0x1000", None, "[anon]", 2),
        ("0x2000", None, "[anon]", 1),
    ]


def test_address_uses_the_mappings_of_its_epoch() -> None:
    other = {**ANON, "path": "[later]"}
    one = bufr(buffer([Sample(ip=0x1000)]))
    chunks = [mapped(ANON), one, mapped(ANON), mapped(other), one, one]
    data = capture(json_chunk("SESS", session()), *chunks)
    assert reported(data).rows == [
        ("[later]", None, "[later]", 2),
        ("[anon]", None, "[anon]", 1),
    ]


def test_address_uses_the_mappings_of_its_process() -> None:
    samples = [Sample(ip=0x1000, tgid=tgid) for tgid in (100, 200, 300)]
    other = {**ANON, "path": "[other]"}
    data = captured(samples, mapped(ANON, 100), mapped(other, 200))
    assert {row[0] for row in reported(data).rows} == {"[anon]", "[other]", "[unknown]"}


def test_negative_pid_finds_its_mappings() -> None:
    described = session(uuid=UUID_IA64)
    data = capture(
        json_chunk("SESS", described),
        mapped(ANON, (1 << 32) - 5),
        mapped(ANON, 7),
        bufr(buffer([Sample(ip=0x1000, tgid=-5)], UUID_IA64)),
    )
    assert [row[0] for row in reported(data).rows] == ["[anon]"]


def test_kernel_samples_ignore_process_mappings() -> None:
    steps = [("tgid", 100), ("cookie", 0), ("at", 0x1000, 1)]
    steps += [("kernel",), ("at", 0x1000, 1), ("at", 1 << 63, 1)]
    data = capture(
        json_chunk("SESS", session(uuid=UUID_OPROFILE)),
        mapped(ANON),
        bufr(oprofile(oprofile_words(steps))),
    )
    assert [(row[0], row[3]) for row in reported(data).rows] == [
        ("[anon]", 1),
        ("[kernel]", 1),
        ("[unknown]", 1),
    ]


def test_data_address_report_ignores_code_addresses() -> None:
    records = [{"ip": 0x1000, "dla": dla} for dla in (0x2000, 0x2000, 0x9000)]
    data = pebs_capture(records, 176, session(uuid=UUID_PEBS64))
    assert reported(data, "data-address").rows == [
        ("0x2000", None, "[unknown]", 2),
        ("0x9000", None, "[unknown]", 1),
    ]


def test_report_prefers_the_precise_address() -> None:
    records = [{"ip": 0x1004, "real_ip": 0x1000}, {"ip": 0x1008}]
    data = pebs_capture(records, 192, session(uuid=UUID_PEBS64))
    assert [row[0] for row in reported(data, "ip").rows] == ["0x1000", "0x1008"]


def test_samples_without_process_use_current_mappings() -> None:
    other = {**ANON, "path": "[later]"}
    one = bufr(buffer([Sample(ip=0x1000)], flags=IIP_HDR))
    chunks = [mapped(ANON), one, mapped(ANON), mapped(other), one, one]
    data = capture(json_chunk("SESS", session()), *chunks)
    assert [(row[0], row[3]) for row in reported(data).rows] == [
        ("[later]", 2),
        ("[anon]", 1),
    ]


def located(by: str, samples: Samples, *chunks: bytes) -> dict[object, int]:
    """Count samples by location in a capture with these chunks."""
    source = opened(captured([], *chunks), by)
    located_by = key(by, source)
    ids = located_by.ids(Batch(samples, source.recording.source.maps.epoch))
    sums = Sums()
    sums.add(ids, samples.weights())
    values, counts = located_by.values(), dict[object, int]()
    for value, count in zip(values, sums.result(len(values))):
        counts[value.key] = counts.get(value.key, 0) + count
    return counts


def array(*values: int) -> NDArray[np.uint64]:
    """Build a column."""
    return np.array(values, np.uint64)


def test_location_counts_sum_weights() -> None:
    columns = {"pc": array(0x1000, 0x2000, 0x9000), "n": array(5, 6, 7)}
    samples = Samples(3, columns, roles={Role.ADDRESS: "pc", Role.WEIGHT: "n"})
    assert located("function", samples, mapped(ANON)) == {"[anon]": 11, "[unknown]": 7}
    assert located("ip", samples) == {"0x1000": 5, "0x2000": 6, "0x9000": 7}


@pytest.mark.parametrize("cookies", [(3, 3, 3), (3, 0, 3)])
def test_cookie_location_counts_sum_weights(cookies: tuple[int, ...]) -> None:
    columns = {
        "ip": array(1, 2, 1),
        "cookie": array(*cookies),
        "weight": array(5, 6, 7),
    }
    assert located("ip", Samples(3, columns)) == {"0x1": 12, "0x2": 6}


def test_caller_is_counted_at_its_call() -> None:
    # The first caller's return address is the end of the mapping, so the call is the
    # last instruction in the mapping.
    chains = Chains.of_table(
        np.array([[0x3000, 1], [0x1000, 1], [1 << 63, 1], [9, 9]], np.uint64),
        np.array([2, 1, 1, 0]),
    )
    columns = {
        "ip": array(5, 5, 5, 5),
        "kernel": array(0, 1, 1, 0),
        "cookie": array(1, 1, 1, 1),
    }
    samples = Samples(4, {**columns, "weight": array(1, 10, 100, 1000)}, chains=chains)
    assert located("caller", samples, mapped(ANON)) == {"[anon]": 1, "[unknown]": 1110}


def test_branch_to_code_of_the_kernel_has_a_name() -> None:
    start = 1 << 63
    source = opened(captured([], proc(code_of(4, start, start + 8, "generated"))))
    batch = Batch(Samples(1, {"branch_to": array(start), "tstamp": array(5)}), 0)
    source.places.branches(batch, Role.BRANCH_TO)
    assert [where.symbol for where in source.places.locations()] == ["generated"]


def test_offset_in_a_file_is_not_code_of_the_kernel() -> None:
    start = 1 << 63
    samples = Samples(1, {"ip": array(start), "cookie": array(3)})
    events = proc(code_of(4, start, start + 8, "generated"))
    found = located("image", samples, cook([(3, "/bin/x", None)]), events)
    assert found == {"/bin/x": 1}


def test_forgotten_code_of_the_kernel_keeps_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pfmparse.capture.kallsyms.MAX_CODE", 16)
    start = 1 << 63
    events = [
        code_of(n, start + n, start + n + 1, f"f{n}", gone=gone)
        for n, gone in ((0, False), (0, True), (2, False))
    ]
    source = opened(captured([], proc(*events)))
    batch = Batch(Samples(2, {"branch_to": array(start, start + 2)}), 0)
    old, last = source.places.branches(batch, Role.BRANCH_TO).tolist()
    code = source.recording.source.kernel_code
    assert code is not None
    code.forget()
    assert source.places.branches(batch, Role.BRANCH_TO).tolist() != [old, last]
    assert source.places.branches(batch, Role.BRANCH_TO)[1] == last
    found = source.places.locations()
    assert (found[old].symbol, found[last].symbol) == ("f0", "f2")


# Two functions at the same address, from 6000 and 7000 ns on CLOCK_MONOTONIC on. This
# clock is 1000 ns ahead of the samples' clock.
REPLACED = jitm(100, f"{6000:x} 1000 100 1 old\n{7000:x} 1000 100 2 new\n", kind="JITD")
CLOCK = clck(5000, 0)
BEFORE, BETWEEN, AFTER = 4000, 5999, 6000


def test_replaced_function_is_named_at_its_time() -> None:
    columns = {
        "ip": array(0x1000, 0x1008, 0x1008, 0x1000, 0x1100),
        "tstamp": array(BEFORE, BETWEEN, AFTER, AFTER, AFTER),
        "tgid": array(100, 100, 100, 100, 100),
        "weight": array(1, 10, 100, 1000, 10000),
    }
    chunks = mapped(ANON), REPLACED
    expected = {"old": 10, "new": 1100, "[anon]": 10001}
    assert located("function", Samples(5, columns), *chunks, CLOCK) == expected
    # Without times that can be compared, the last function counts.
    last = {"new": 1111, "[anon]": 10000}
    assert located("function", Samples(5, columns), *chunks) == last
    del columns["tstamp"]
    assert located("function", Samples(5, columns), *chunks, CLOCK) == last


def test_replaced_function_is_found_without_process() -> None:
    columns = {"ip": array(0x1000, 0x1000), "tstamp": array(BETWEEN, AFTER)}
    chunks = mapped(ANON), REPLACED, CLOCK
    assert located("function", Samples(2, columns), *chunks) == {"old": 1, "new": 1}


def test_mapped_file_precedes_replaced_function() -> None:
    columns = {"ip": array(0x1000), "tstamp": array(AFTER), "tgid": array(100)}
    file = mapped(mapping(0x1000, 0x3000, 0, "/gone", "ab"))
    assert located("function", Samples(1, columns), file, REPLACED, CLOCK) == {
        "/gone": 1
    }


def test_file_of_cookie_has_no_replaced_functions() -> None:
    columns = {
        "ip": array(0x1000, 0x1000),
        "tstamp": array(AFTER, AFTER),
        "cookie": array(5, 0),
        "tgid": array(100, 100),
    }
    # The ID of the first cookie is 0, but the ID of a process may be 0, too.
    other = jitm(0, "1 1000 100 1 other\n1 1000 100 2 another\n", kind="JITD")
    chunks = mapped(ANON), REPLACED, other, CLOCK
    assert located("function", Samples(2, columns), *chunks) == {
        "new": 1,
        "[unknown]": 1,
    }


def test_replaced_callers_have_the_times_of_their_samples() -> None:
    source = opened(captured([], mapped(ANON), REPLACED, CLOCK), "caller").recording
    places = Places(source, SymbolOptions(), Detail.FUNCTION, print)
    columns = {
        "ip": array(5, 5, 5),
        "tstamp": array(AFTER, BETWEEN, AFTER),
        "tgid": array(100, 100, 100),
    }
    batch = Batch(Samples(3, columns), source.source.maps.epoch)
    ids = places.calls(batch, np.array([1, 2]), array(0x1100, 0x1100))
    assert [places.locations()[at].symbol for at in ids] == ["old", "new"]


def test_later_chunks_keep_names_of_generated_functions() -> None:
    alone = jitm(100, f"{6000:x} 2000 100 3 alone\n", kind="JITD")
    many = jitm(100, "5000 10 a\n6000 10 b\n")
    data = captured([], mapped(ANON), many, REPLACED, alone, CLOCK)
    source = opened(data, "function").recording
    places = Places(source, SymbolOptions(), Detail.FUNCTION, print)
    columns = {
        "ip": array(0x1000, 0x1000, 0x2000, 0x2000),
        "tstamp": array(BETWEEN, AFTER, BETWEEN, AFTER),
        "tgid": array(100, 100, 100, 100),
    }
    ids = places.own(Batch(Samples(4, columns), source.source.maps.epoch))
    # Nothing replaced the third function: its address is one place from its time on.
    assert ids[2] == ids[3] and len(places) == 3
    head = struct.pack("<II", 100, 0)
    source.source.jit.add("JITM", head, 0)
    source.source.jit.add("JITD", head + b"1 1000 100 0 older\n", 0)
    found = [places.locations()[at].symbol for at in ids]
    assert found == ["old", "new", "alone", "alone"]
