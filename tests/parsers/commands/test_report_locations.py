# SPDX-License-Identifier: MIT OR GPL-2.0
"""Reports by function, address, line, image and data address."""

from __future__ import annotations

import io

from helpers.readers import reported
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
    json_chunk,
    mapped,
    mapping,
    oprofile,
    oprofile_words,
    pebs_capture,
    session,
)
from pfmparse.commands import report
from pfmparse.recording import open_capture


def test_images_need_no_file() -> None:
    where = mapping(0x1000, 0x2000, 0, "/gone", "ab")
    data = captured([Sample(ip=0x1800), Sample(ip=0x1900)], mapped(where))
    recording, warnings = open_capture(io.BytesIO(data)), list[str]()
    options = report.Options("image", None, [])
    made = report.make(recording, options, warnings.append)
    assert [(row.key, row.count) for row in made.rows] == [("/gone", 2)]
    assert warnings == []


ANON = mapping(0x1000, 0x3000, 0, "[anon]")


def test_equal_locations_are_one_row_unless_addresses_count() -> None:
    samples = [Sample(ip=ip) for ip in (0x1000, 0x2000, 0x1000)]
    data = captured(samples, mapped(ANON))
    assert reported(data, "function").rows == [("[anon]", None, "[anon]", 3)]
    assert reported(data, "ip").rows == [
        ("0x1000", None, "[anon]", 2),
        ("0x2000", None, "[anon]", 1),
    ]


def test_address_has_the_mappings_of_its_time() -> None:
    other = {**ANON, "path": "[later]"}
    one = bufr(buffer([Sample(ip=0x1000)]))
    chunks = [mapped(ANON), one, mapped(ANON), mapped(other), one, one]
    data = capture(json_chunk("SESS", session()), *chunks)
    assert reported(data).rows == [
        ("[later]", None, "[later]", 2),
        ("[anon]", None, "[anon]", 1),
    ]


def test_address_has_the_mappings_of_its_process() -> None:
    samples = [Sample(ip=0x1000, tgid=tgid) for tgid in (100, 200, 300)]
    other = {**ANON, "path": "[other]"}
    data = captured(samples, mapped(ANON, 100), mapped(other, 200))
    assert {row[0] for row in reported(data).rows} == {"[anon]", "[other]", "[unknown]"}


def test_negative_process_keeps_its_mappings() -> None:
    described = session(uuid=UUID_IA64)
    data = capture(
        json_chunk("SESS", described),
        mapped(ANON, (1 << 32) - 5),
        mapped(ANON, 7),
        bufr(buffer([Sample(ip=0x1000, tgid=-5)], UUID_IA64)),
    )
    assert [row[0] for row in reported(data).rows] == ["[anon]"]


def test_kernel_level_has_no_mappings_of_a_process() -> None:
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


def test_data_addresses_are_counted_instead_of_code() -> None:
    records = [{"ip": 0x1000, "dla": dla} for dla in (0x2000, 0x2000, 0x9000)]
    data = pebs_capture(records, 176, session(uuid=UUID_PEBS64))
    assert reported(data, "data-address").rows == [
        ("0x2000", None, "[unknown]", 2),
        ("0x9000", None, "[unknown]", 1),
    ]


def test_address_of_the_event_is_preferred() -> None:
    records = [{"ip": 0x1004, "real_ip": 0x1000}, {"ip": 0x1008}]
    data = pebs_capture(records, 192, session(uuid=UUID_PEBS64))
    assert [row[0] for row in reported(data, "ip").rows] == ["0x1000", "0x1008"]


def test_samples_without_process_have_the_mappings_of_their_time() -> None:
    other = {**ANON, "path": "[later]"}
    one = bufr(buffer([Sample(ip=0x1000)], flags=IIP_HDR))
    chunks = [mapped(ANON), one, mapped(ANON), mapped(other), one, one]
    data = capture(json_chunk("SESS", session()), *chunks)
    assert [(row[0], row[3]) for row in reported(data).rows] == [
        ("[later]", 2),
        ("[anon]", 1),
    ]
