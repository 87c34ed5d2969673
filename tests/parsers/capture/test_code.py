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
from helpers.readers import read_capture, reported
from helpers.writers import Sample, captured, chunk, mapped, mapping
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pfmparse.capture.code import JitMaps, JitSymbols, VdsoImages
from pfmparse.capture.overlaps import NONE, Overlaps
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
    for more, warnings in (((), 0), ((damaged,), 1)):
        found = reported(captured([Sample(ip=at)], mapped(where), *more))
        assert found.rows == [("[vdso]", None, "[vdso]", 1)]
        assert len(found.warnings) == warnings


@pytest.mark.parametrize(
    "data,why",
    [
        (b"", "without a header"),
        (vdso.payload(BUILD_ID, b"")[:-1], "without a header"),
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
    ips = np.array(addresses, np.uint64)
    found = symbols.find(ips)
    if times:
        rows = symbols.replaced(ips, np.array(times, np.uint64)).tolist()
        for at, row in enumerate(rows):
            found[at] = found[at] if row == NONE else symbols.function(row)
    return [None if function is None else function.name for function in found]


def names(text: str, *addresses: int) -> list[Optional[str]]:
    return found_in(JitSymbols(1, text.encode(), cut=False), addresses)


def test_jit_function_excludes_its_end() -> None:
    text = "2000 10 second\n1000 100 first one\n"
    probes = 0x2010, 0x1000, 0xFFF, 0x10FF, 0x1100, 0x2000, 0, U64_MAX
    assert names(text, *probes) == [
        *(None, "first one", None, "first one"),
        *(None, "second", None, None),
    ]


def test_jit_function_has_its_start_address() -> None:
    symbols = JitSymbols(1, b"1000 100 f\n", cut=False)
    (function,) = symbols.find(np.array([0x1050], np.uint64))
    assert function is not None and function.start == 0x1000


def test_later_jit_functions_replace_earlier_ones() -> None:
    text = "1000 100 old\n0ff0 20 new\n1050 10 newest\n1000 100 again\n1080 8 x\n"
    assert names(text, 0xFF8, 0x1008, 0x1058, 0x1084) == ["new", "again", "again", "x"]


def test_invalid_jit_map_lines_are_skipped() -> None:
    text = "\n# comment\n1000 10\nxyz 10 f\n1000 0 empty\n0x3000 0X10 hex\n"
    text += f"{U64_MAX:x} 10 over\n2000 {1 << 80:x} long\n4000 10 half"
    assert names(text, 0x1000, 0x2000, 0x3000, 0x4000, U64_MAX) == [
        *(None, None, "hex", None, None)
    ]
    assert len(JitSymbols(1, text.encode(), cut=False)) == 1


def test_jit_function_name_need_not_be_utf8() -> None:
    symbols = JitSymbols(1, b"1000 10 caf\xe9\r\n", cut=False)
    assert found_in(symbols, [0x1000]) == ["caf\ufffd"]


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
    symbols = JitSymbols(1, text, cut=False)
    assert len(found_in(symbols, [0, 1, U64_MAX])) == 3
    symbols = JitSymbols(1, text, False, [b"1 1 2 3 f\n" + text])
    assert len(found_in(symbols, [0, 1, U64_MAX], 0, 1, 2)) == 3


def payload(tgid: int, text: bytes, flags: int = 0) -> bytes:
    return struct.pack("<II", tgid, flags) + text


def test_last_jit_chunk_of_a_process_is_used() -> None:
    maps = JitMaps()
    for tgid, text, flags in ((7, b"1 1 a\n", 0), (5, b"", 1), (7, b"2 1 b\n", 0)):
        maps.add(payload(tgid, text, flags), 0)
    five, seven = maps.processes()
    assert (five.tgid, five.cut, len(five)) == (5, True, 0)
    assert (seven.tgid, seven.cut, len(seven)) == (7, False, 1)
    assert maps.find(7) is seven and maps.find(1) is None and len(maps) == 2
    assert found_in(seven, [1, 2]) == [None, "b"]


def test_total_jit_text_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfmparse.capture.code.MAX_JIT_TEXT", 20)
    maps = JitMaps()
    maps.add(payload(1, b"1 1 a\n"), 0)
    for add in (maps.add, maps.add_dump):
        with pytest.raises(PfmParseError, match="more than 20 bytes of JITM") as error:
            add(payload(2, b"1 1 a\n"), 64)
        assert error.value.offset == 64 and maps.find(2) is None


@pytest.mark.parametrize("size", [0, 7])
def test_jit_chunk_without_header_is_refused(size: int) -> None:
    with pytest.raises(PfmParseError, match="JITM without a header"):
        JitMaps().add(bytes(size), 0)
    with pytest.raises(PfmParseError, match="JITD without a header"):
        JitMaps().add_dump(bytes(size), 0)


def dumped(dump: str, text: str = "") -> JitSymbols:
    return JitSymbols(1, text.encode(), False, [dump.encode()])


def test_jitdump_function_replaces_another_at_its_time() -> None:
    symbols = dumped("64 1000 100 1 old\nc8 1080 10 2 new\n12c 1000 100 3 newest\n")
    ips = [0x1000, 0x1080, 0x1080, 0x1090, 0x1080, 0x1100]
    expected = ["old", "old", "new", "old", "newest", None]
    assert found_in(symbols, ips, 100, 199, 200, 299, 300, 300) == expected
    assert found_in(symbols, ips) == [*["newest"] * 5, None]


def test_jitdump_function_may_be_described_late() -> None:
    symbols = dumped("c8 1000 10 2 second\n64 1000 10 1 first\n")
    assert found_in(symbols, [0x1000, 0x1000], 50, 250) == ["first", "second"]


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
    maps.add_dump(payload(7, b"1 1000 10 1 a\n1 4000 10", 1), 0)
    assert maps.timed
    maps.add(payload(7, b"3000 10 c\n"), 0)
    # Each jitdump file has its own indices.
    maps.add_dump(payload(7, b"1 2000 10 2 b\n2 1000 10 1\n"), 0)
    (seven,) = maps.processes()
    assert found_in(seven, [0x1000, 0x2000, 0x3000], 2, 1, 1) == ["a", "b", "c"]
    assert seven.cut and len(seven) == 3


def test_jitdump_functions_belong_to_their_process() -> None:
    maps = JitMaps()
    maps.add(payload(5, b"1000 10 a\n"), 0)
    assert not maps.timed
    maps.add_dump(payload(7, b"1 1000 10 1 b\n2 1000 10 1 c\n1 2000 1 1 d\n"), 0)
    columns = [7, 5, 6, 7, 7], [0x1000] * 4 + [0x2000], [1, 1, 1, 2, 1]
    numbers = numbers_of(maps, *columns)
    found = [None if one == NONE else maps.function(one).name for one in numbers]
    # Times matter only where functions replaced each other.
    assert found == ["b", None, None, "c", None]


def numbers_of(maps: JitMaps, *columns: list[int]) -> list[int]:
    """Return the numbers of functions by process, address and time."""
    tgids, ips, times = (np.array(column, np.uint64) for column in columns)
    numbers: list[int] = maps.numbers(tgids, ips, times).tolist()
    return numbers


def test_number_of_jit_function_never_changes() -> None:
    maps = JitMaps()
    maps.add(payload(7, b"1000 10 a\n1000 10 b\n"), 0)
    maps.add_dump(payload(7, b"5 1000 10 1 c\n"), 0)
    (b,) = numbers_of(maps, [7], [0x1000], [1])
    maps.add(payload(7, b""), 0)
    maps.add_dump(payload(7, b"3 1000 10 1 d\n"), 0)
    assert len(set(numbers_of(maps, [7, 7], [0x1000] * 2, [4, 5])) | {b}) == 3
    assert maps.function(b).name == "b"


def test_perf_maps_without_times_have_no_numbers() -> None:
    maps = JitMaps()
    maps.add(payload(7, b"1000 10 a\n1000 10 b\n"), 0)
    assert numbers_of(maps, [7], [0x1000], [1]) == [NONE]


def test_replaced_functions_are_sorted_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    class Counted(Overlaps):
        def __init__(self, *ranges: NDArray[np.uint64]) -> None:
            made.append(ranges)
            super().__init__(*ranges)

    monkeypatch.setattr("pfmparse.capture.code.Overlaps", Counted)
    maps = JitMaps()
    maps.add_dump(payload(7, b"1 1000 10 1 a\n5 1000 10 1 b\n9 3000 1 1 c\n"), 0)
    for time in (1, 5):
        assert numbers_of(maps, [7], [0x1000], [time]) != [NONE]
    assert [starts.tolist() for starts, _ in made] == [[0x1000, 0x1000]]
