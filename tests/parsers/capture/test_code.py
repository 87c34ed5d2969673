# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read code that is not in a file: images of vDSOs, and JIT-compiled functions."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Optional, Sequence

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers import vdso
from helpers.readers import call_count, peak_memory, read_capture, reported
from helpers.writers import Sample, captured, chunk, mapped, mapping
from hypothesis import given, settings
from hypothesis import strategies as st
from pfmparse.capture.code import JitChunk, JitMaps, JitSymbols, VdsoImages
from pfmparse.capture.overlaps import NONE
from pfmparse.errors import PfmParseError

BUILD_ID = bytes(range(20))


def test_vdso_functions_are_found(tmp_path: Path) -> None:
    image = vdso.own_image()
    (tmp_path / "vdso").write_bytes(image)
    with open(tmp_path / "vdso", "rb") as stream:
        elf = ELFFile(stream)
        build_id = elf.get_section_by_name(".note").iter_notes()
        text = next(n["n_desc"] for n in build_id if n["n_type"] == "NT_GNU_BUILD_ID")
        table = elf.get_section_by_name(".dynsym")
        (symbol,) = table.get_symbol_by_name("__vdso_clock_gettime")
        base = next(elf.iter_segments("PT_LOAD"))["p_vaddr"]
    at = 0x7F0000000000 + symbol["st_value"] - base + 1
    where = mapping(0x7F0000000000, 0x7F0000000000 + len(image), 0, "[vdso]", text)
    stored = chunk("VDSO", vdso.payload(bytes.fromhex(text), image), compress=True)
    data = captured([Sample(ip=at)], mapped(where), stored)
    (row,) = reported(data).rows
    assert row[0] in ("clock_gettime", "__vdso_clock_gettime")
    assert row[2:] == ("[vdso]", 1)
    # Old captures do not contain the image, and in other captures it may be damaged.
    damaged = chunk("VDSO", vdso.payload(bytes.fromhex(text), image[:100]))
    for more in ((), (damaged,)):
        found = reported(captured([Sample(ip=at)], mapped(where), *more))
        assert found.rows == [("[vdso]", None, "[vdso]", 1)]
        said = [one.startswith("[vdso] in the capture can") for one in found.warnings]
        assert said == [True] * len(more)


@pytest.mark.parametrize(
    "data,why",
    [
        (b"", "VDSO chunk is shorter than its header"),
        (vdso.payload(BUILD_ID, b"")[:-1], "VDSO chunk is shorter than its header"),
        (vdso.payload(b"", b"x"), "build ID: 0 bytes"),
        (vdso.payload(bytes(65), b"x"), "build ID: 65 bytes"),
    ],
)
def test_bad_vdso_chunk_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(PfmParseError, match=why):
        VdsoImages().add(data, 0)
    _, recording = read_capture(captured([Sample()], chunk("VDSO", data)))
    (problem,) = recording.problems
    assert why in problem.message and recording.samples == 1


def test_number_of_vdsos_is_limited() -> None:
    images = VdsoImages()
    for number in range(16):
        images.add(vdso.payload(bytes([number]), b"image"), 0)
    assert images[b"\1"] == b"image" and b"\x10" not in images
    with pytest.raises(PfmParseError, match="more than 16"):
        images.add(vdso.payload(b"\x10", b""), 0)


U64_MAX = (1 << 64) - 1


def found_in(
    symbols: JitSymbols, addresses: Sequence[int], *times: int
) -> list[Optional[str]]:
    """Return the names of the functions at the addresses, at times if there are any."""
    moments = np.array(times, np.uint64) if times else None
    rows = symbols.find(np.array(addresses, np.uint64), moments).tolist()
    return [None if row == NONE else symbols.function(row).name for row in rows]


def listed(text: bytes) -> JitSymbols:
    """Return the functions in a perf map."""
    return JitSymbols(1, [JitChunk(text)])


def names(text: str, *addresses: int) -> list[Optional[str]]:
    return found_in(listed(text.encode()), addresses)


def test_jit_function_excludes_its_end() -> None:
    text = "2000 10 second\n1000 100 first one\n"
    probes = 0x2010, 0x1000, 0xFFF, 0x10FF, 0x1100, 0x2000, 0, U64_MAX
    assert names(text, *probes) == [
        *(None, "first one", None, "first one"),
        *(None, "second", None, None),
    ]


def test_jit_function_has_its_start_address() -> None:
    symbols = listed(b"1000 100 f\n")
    (row,) = symbols.find(np.array([0x1050], np.uint64)).tolist()
    assert symbols.function(row).start == 0x1000


def test_later_jit_functions_replace_earlier_ones() -> None:
    text = "1000 100 old\n0ff0 20 new\n1050 10 newest\n1000 100 again\n1080 8 x\n"
    assert names(text, 0xFF8, 0x1008, 0x1058, 0x1084) == ["new", "again", "again", "x"]


def test_invalid_jit_map_lines_are_skipped() -> None:
    text = "\n# comment\n1000 10\nxyz 10 f\n1000 0 empty\n0x3000 0X10 hex\n"
    text += f"{U64_MAX:x} 10 over\n2000 {1 << 80:x} long\n4000 10 half"
    assert names(text, 0x1000, 0x2000, 0x3000, 0x4000, U64_MAX) == [
        *(None, None, "hex", None, None)
    ]
    assert len(listed(text.encode())) == 1


def test_jit_function_name_need_not_be_utf8() -> None:
    assert found_in(listed(b"1000 10 caf\xe9\r\n"), [0x1000]) == ["caf\ufffd"]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), max_size=12),
    st.lists(st.integers(0, 64), max_size=12),
)
def test_address_has_the_last_jit_function_around_it(
    functions: list[tuple[int, int]], addresses: list[int]
) -> None:
    text = "".join(f"{s:x} {n:x} {i}\n" for i, (s, n) in enumerate(functions))
    expected = [
        max((i for i, (s, n) in enumerate(functions) if s <= a < s + n), default=None)
        for a in addresses
    ]
    assert names(text, *addresses) == [None if i is None else str(i) for i in expected]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.binary(max_size=80))
def test_arbitrary_jit_text_is_parsed(text: bytes) -> None:
    assert len(found_in(listed(text), [0, 1, U64_MAX])) == 3
    chunks = [JitChunk(text), JitChunk(b"1 1 2 3 f\n" + text, timed=True)]
    assert len(found_in(JitSymbols(1, chunks), [0, 1, U64_MAX], 0, 1, 2)) == 3


def payload(tgid: int, text: bytes, flags: int = 0) -> bytes:
    return struct.pack("<II", tgid, flags) + text


def test_last_jit_chunk_of_a_process_is_used() -> None:
    maps = JitMaps()
    for tgid, text, flags in ((7, b"1 1 a\n", 0), (5, b"", 1), (7, b"2 1 b\n", 0)):
        maps.add("JITM", payload(tgid, text, flags), 0)
    five, seven = maps.processes()
    assert (five.tgid, five.cut, len(five)) == (5, True, 0)
    assert (seven.tgid, seven.cut, len(seven)) == (7, False, 1)
    assert maps.find(7) is seven and maps.find(1) is None and len(maps) == 2
    assert found_in(seven, [1, 2]) == [None, "b"]


KINDS = ["JITM", "JITD"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name,most", [("CHUNKS", 1), ("LINES", 3), ("TEXT", 14)], ids=str
)
def test_total_amount_of_jit_functions_is_limited(
    monkeypatch: pytest.MonkeyPatch, kind: str, name: str, most: int
) -> None:
    monkeypatch.setattr(f"pfmparse.capture.code.MAX_JIT_{name}", most)
    maps = JitMaps()
    maps.add("JITM", payload(1, b"1 1 a\n\n"), 0)
    with pytest.raises(PfmParseError, match=f"more than {most} .* of JITM") as error:
        maps.add(kind, payload(2, b"1 1 a\n\n\n"), 64)
    assert error.value.offset == 64 and maps.find(2) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0, 7])
def test_jit_chunk_without_header_is_refused(size: int, kind: str) -> None:
    with pytest.raises(PfmParseError, match=f"{kind} chunk is shorter than its header"):
        JitMaps().add(kind, bytes(size), 0)


def dumped(dump: str, text: str = "") -> JitSymbols:
    chunks = [JitChunk(text.encode()), JitChunk(dump.encode(), timed=True)]
    return JitSymbols(1, chunks)


def test_jitdump_function_replaces_another_at_its_time() -> None:
    symbols = dumped("64 1000 100 1 old\nc8 1080 10 2 new\n12c 1000 100 3 newest\n")
    ips = [0x1000, 0x1080, 0x1080, 0x1090, 0x1080, 0x1100]
    expected = ["old", "old", "new", "old", "newest", None]
    assert found_in(symbols, ips, 100, 199, 200, 299, 300, 300) == expected
    assert found_in(symbols, ips) == [*["newest"] * 5, None]


def test_jitdump_functions_need_not_be_sorted() -> None:
    symbols = dumped("c8 1000 10 2 second\n64 1000 10 1 first\n")
    assert found_in(symbols, [0x1000, 0x1000], 150, 250) == ["first", "second"]


def test_address_is_unknown_before_its_function() -> None:
    symbols = dumped("64 1000 10 1 first\nc8 1000 10 2 second\n")
    assert found_in(symbols, [0x1000, 0x1000], 99, 100) == [None, "first"]


def test_moved_jitdump_function_keeps_its_name() -> None:
    symbols = dumped("1 1000 10 7 f\n2 1000 10 8 g\n3 2000 10 7\n4 3000 10 9\n")
    ips = [0x1000, 0x1000, 0x2000, 0x3000]
    assert found_in(symbols, ips, 1, 9, 9, 9) == ["f", "g", "f", None]
    assert len(symbols) == 3


def test_jitdump_without_times_uses_last_function() -> None:
    symbols = dumped("0 1000 10 1 old\n0 1000 10 2 new one\n")
    assert found_in(symbols, [0x1000, 0x1000], 0, 9) == ["new one", "new one"]


def test_last_of_simultaneous_functions_is_used() -> None:
    numbers = range(1000)
    symbols = dumped("".join(f"{n % 3} 1000 10 {n:x} {n}\n" for n in numbers))
    assert found_in(symbols, 3 * [0x1000], 0, 1, 2) == ["999", "997", "998"]


def test_invalid_jitdump_lines_are_skipped() -> None:
    text = f"1 1000 0 1 empty\n{1 << 64:x} 1000 10 1 late\n1 {U64_MAX:x} 10 1 over\n"
    symbols = dumped(text + "1 1000 10 2 \n1 1000 10\nx\n1 1000 10 3 half")
    assert len(symbols) == 0


def test_jitdump_functions_replace_those_of_perf_map() -> None:
    symbols = dumped("64 1000 10 1 f\n", "1000 20 stub\n")
    assert found_in(symbols, [0x1000, 0x1000, 0x1010], 9, 100, 100) == [
        *("stub", "f", "stub")
    ]


def test_jitdumps_of_a_process_are_added_up() -> None:
    maps = JitMaps()
    maps.add("JITD", payload(7, b"1 1000 10 1 a\n1 4000 10", 1), 0)
    assert maps.timed
    maps.add("JITM", payload(7, b"3000 10 c\n"), 0)
    # Each jitdump file has its own indices.
    maps.add("JITD", payload(7, b"1 2000 10 2 b\n2 1000 10 1\n"), 0)
    (seven,) = maps.processes()
    assert found_in(seven, [0x1000, 0x2000, 0x3000], 2, 1, 1) == ["a", "b", "c"]
    assert seven.cut and len(seven) == 3


def test_jitdump_precedes_a_later_perf_map() -> None:
    maps = JitMaps()
    maps.add("JITD", payload(7, b"0 1000 10 1 dumped\n"), 0)
    maps.add("JITM", payload(7, b"1000 20 listed\n"), 0)
    (seven,) = maps.processes()
    assert found_in(seven, [0x1000, 0x1010]) == ["dumped", "listed"]


def test_jitdump_functions_belong_to_their_process() -> None:
    maps = JitMaps()
    maps.add("JITM", payload(5, b"1000 10 a\n"), 0)
    assert not maps.timed
    maps.add("JITD", payload(7, b"1 1000 10 1 b\n"), 0)
    five, seven = maps.processes()
    found = found_in(five, [0x1000], 1), found_in(seven, [0x1000], 1), maps.find(6)
    assert found == (["a"], ["b"], None)


def test_range_of_function_ends_where_a_later_one_begins() -> None:
    symbols = dumped("1 1080 10 1 freed\n9 1000 100 2 now\n")
    assert symbols.ranges() == [(0x1000, 0x1100, "now")]
    symbols = dumped("9 1080 10 1 now\n1 1000 100 2 around\n", "1100 10 a\n1200 10 b\n")
    assert symbols.ranges() == [
        *[(0x1000, 0x1080, "around"), (0x1080, 0x1090, "now")],
        *[(0x1090, 0x1100, "around"), (0x1100, 0x1110, "a"), (0x1200, 0x1210, "b")],
    ]
    assert listed(b"").ranges() == []


def test_functions_are_parsed_and_sorted_once() -> None:
    maps, count = JitMaps(), 10_000
    lines = (b"%x %x 10 %x f\n" % (n, 16 * n, n) for n in range(count))
    maps.add("JITD", payload(7, b"".join(lines)), 0)

    def look_up() -> list[Optional[str]]:
        (seven,) = maps.processes()
        return found_in(seven, [16], 9)

    assert call_count(look_up) > count
    maps.add("JITM", payload(7, b"1000 10 g\n"), 0)
    assert call_count(look_up) < count
    assert peak_memory(look_up)[0] < 2 * count
