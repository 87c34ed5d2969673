# SPDX-License-Identifier: MIT OR GPL-2.0
"""Resolve symbols of a user program that the tests compile."""

from __future__ import annotations

import json
import os
import shutil
import struct
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from helpers.incomplete_dwarf import assembled
from helpers.programs import SOURCE, Program, compiled, run
from helpers.readers import opened, reported
from helpers.writers import (
    IIP_HDR,
    UUID_OPROFILE,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    chunk,
    code_of,
    cook,
    jitm,
    json_chunk,
    mapped,
    mapping,
    maps,
    oprofile,
    oprofile_words,
    proc,
    session,
    totals,
)
from pfmparse.capture.code import JitMaps
from pfmparse.capture.kallsyms import KernelSymbols
from pfmparse.capture.maps import Mapping, MapsHistory, ProcessMaps, parse_maps
from pfmparse.symbols import libdw
from pfmparse.symbols.location import Detail, Frame, Location, SymbolOptions
from pfmparse.symbols.resolver import Addresses, Resolver


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compiled(tmp_path_factory.mktemp("bin") / "hotspots", "-pie")


def samples_in(program: Program) -> list[Sample]:
    """Build three samples in hot() and two in warm()."""
    names = ["hot", "warm", "hot", "warm", "hot"]
    return [Sample(ip=program.ip(name)) for name in names]


@pytest.mark.parametrize("options", [["-pie"], ["-no-pie"], ["-static"]])
def test_functions_are_found_for_every_link_type(
    options: list[str], tmp_path: Path
) -> None:
    program = compiled(tmp_path / "program", *options)
    path = str(program.path)
    found = reported(captured(samples_in(program), mapped(program.mapping)))
    assert found.rows == [("hot", "hot", path, 3), ("warm", "warm", path, 2)]
    assert found.warnings == []


def test_resolver_finds_lines(program: Program) -> None:
    text = SOURCE.read_text().splitlines()
    hot = next(i for i, line in enumerate(text, 1) if "sink++" in line)
    warm = next(i for i, line in enumerate(text, 1) if "sink--" in line)
    data = captured(samples_in(program), mapped(program.mapping))
    keys = [row[0] for row in reported(data, by="line").rows]
    assert keys == [f"{SOURCE}:{hot}", f"{SOURCE}:{warm}"]


def test_address_report_has_functions(program: Program) -> None:
    data = captured(samples_in(program), mapped(program.mapping))
    path = str(program.path)
    assert reported(data, by="ip").rows == [
        (f"{program.ip('hot'):#x}", "hot", path, 3),
        (f"{program.ip('warm'):#x}", "warm", path, 2),
    ]


def test_other_build_id_gives_object_and_one_warning(
    program: Program,
) -> None:
    other = {**program.mapping, "build_id": "00" * 20}
    found = reported(captured(samples_in(program), mapped(other)))
    path = str(program.path)
    assert found.rows == [(path, None, path, 5)]
    assert len(found.warnings) == 1 and "another build ID" in found.warnings[0]


@pytest.mark.parametrize("size", [1, 3, 4])
def test_short_build_id_does_not_identify_a_file(size: int, tmp_path: Path) -> None:
    given = f"-Wl,--build-id=0x{'ab' * size}"
    one = compiled(tmp_path / "one", "-pie", given)
    other = compiled(tmp_path / "other", "-pie", given, "-Dhot=busy")
    apart = 1 << 32
    both = [one.mapping, dict(other.mapping)]
    for end in ("start", "end"):
        both[1][end] += apart
    samples = [Sample(ip=one.ip("hot")), Sample(ip=other.ip("busy") + apart)]
    found = reported(captured(samples, json_chunk("MAPS", maps(100, both))))
    names = {row[2]: row[1] for row in found.rows}
    assert names[str(one.path)] == "hot"
    assert names[str(other.path)] == ("busy" if size < 4 else "hot")


@pytest.mark.parametrize("size,expected", [(3, None), (4, "hot")])
def test_file_with_short_build_id_is_not_searched_for(
    size: int, expected: Optional[str], tmp_path: Path
) -> None:
    program = compiled(tmp_path / "x", "-pie", f"-Wl,--build-id=0x{'ab' * size}")
    program.path.rename(tmp_path / "y")
    data = captured(samples_in(program), mapped(program.mapping))
    assert reported(data, symfs=[str(tmp_path)]).rows[0][1] == expected


def test_unknown_build_id_accepts_the_file(program: Program) -> None:
    unknown = {**program.mapping, "build_id": None}
    found = reported(captured(samples_in(program), mapped(unknown)))
    assert [row[1] for row in found.rows] == ["hot", "warm"]


@pytest.mark.parametrize("layout", ["perfmon/bin/hotspots", "hotspots"])
def test_symfs_is_searched_by_path_and_by_name(
    program: Program, tmp_path: Path, layout: str
) -> None:
    copy = tmp_path / layout
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program.path, copy)
    elsewhere = {**program.mapping, "path": "/perfmon/bin/hotspots"}
    data = captured(samples_in(program), mapped(elsewhere))
    found = reported(data, symfs=["/nonexistent", str(tmp_path)])
    assert [row[1:3] for row in found.rows] == [
        ("hot", "/perfmon/bin/hotspots"),
        ("warm", "/perfmon/bin/hotspots"),
    ]
    assert reported(data).rows[0][1] is None


def test_symfs_with_another_build_is_passed_over(
    program: Program, tmp_path: Path
) -> None:
    compiled(tmp_path / "hotspots", "-pie", "-O0")
    data = captured(samples_in(program), mapped(program.mapping))
    found = reported(data, symfs=[str(tmp_path)])
    assert [row[1] for row in found.rows] == ["hot", "warm"]
    assert found.warnings == []


def test_deleted_file_gives_the_object_only() -> None:
    where = mapping(0x1000, 0x2000, 0, "/gone (deleted)", "ab")
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert found.rows == [("/gone (deleted)", None, "/gone (deleted)", 1)]
    assert len(found.warnings) == 1


@pytest.mark.parametrize("path", ["[vdso]", "//anon", "/dev/zero", "/\0x", "/\ud800"])
def test_mapping_without_readable_file_gives_its_name(path: str) -> None:
    where = mapping(0x1000, 0x2000, 0, path)
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert [row[1:3] for row in found.rows] == [(None, path)]


def test_fifo_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    where = mapping(0x1000, 0x2000, 0, str(tmp_path / "fifo"))
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert found.rows[0][1] is None


def test_non_elf_file_gives_its_name(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    where = mapping(0x1000, 0x2000, 0, str(tmp_path / "text"))
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert found.rows[0][1] is None and len(found.warnings) == 1


def test_address_outside_all_mappings_is_unknown(program: Program) -> None:
    found = reported(captured([Sample(ip=5)], mapped(program.mapping)))
    assert found.rows == [("[unknown]", None, "[unknown]", 1)]


def test_processes_have_their_own_mappings(program: Program) -> None:
    samples = [Sample(ip=program.ip("hot"), tgid=tgid) for tgid in (100, 200)]
    found = reported(captured(samples, mapped(program.mapping, tgid=200)))
    assert sorted(row[0] for row in found.rows) == ["[unknown]", "hot"]


def test_samples_without_process_use_the_only_one(program: Program) -> None:
    data = captured(samples_in(program), mapped(program.mapping), flags=IIP_HDR)
    assert [row[0] for row in reported(data).rows] == ["hot", "warm"]


def test_later_maps_apply_if_none_precede_the_buffer(
    program: Program,
) -> None:
    data = capture(
        json_chunk("SESS", session()),
        bufr(buffer(samples_in(program))),
        mapped(program.mapping),
    )
    assert [row[0] for row in reported(data).rows] == ["hot", "warm"]


def test_one_build_under_two_names_keeps_both_names(program: Program) -> None:
    two = {**program.mapping, "path": "/other/name"}
    samples = [Sample(ip=program.ip("hot"), tgid=tgid) for tgid in (1, 2)]
    data = captured(samples, mapped(program.mapping, 1), mapped(two, 2))
    assert sorted(row[1:3] for row in reported(data).rows) == sorted(
        [("hot", str(program.path)), ("hot", "/other/name")]
    )


def test_kernel_addresses_use_the_kernel_symbols() -> None:
    text = b"ffffffff81000000 T schedule\nffffffffc0000000 t xmit\t[veth]\n"
    ips = [0xFFFFFFFF81000010, 0xFFFFFFFFC0000010, 1 << 63]
    data = captured([Sample(ip=ip) for ip in ips], chunk("KSYM", text, True))
    assert sorted(reported(data).rows) == [
        ("[kernel]", None, "[kernel]", 1),
        ("schedule", "schedule", "[kernel]", 1),
        ("xmit", "xmit", "[veth]", 1),
    ]


def test_module_that_was_loaded_later_has_names() -> None:
    start, last = (
        chunk(kind, f"ffffffffc000{at}00 t {name}\t[{name}]\n".encode(), True)
        for kind, at, name in (("KSYM", "10", "one"), ("KEND", "20", "two"))
    )
    samples = [Sample(ip=0xFFFFFFFFC0000000 | at) for at in (0x1080, 0x2080, 0x2081)]
    assert reported(captured(samples, start, last)).rows == [
        ("two", "two", "[two]", 2),
        ("one", "one", "[one]", 1),
    ]


BPF = 0xFFFFFFFFC0000000
GENERATED = proc(
    code_of(10, BPF, BPF + 0x100, "one"),
    code_of(20, BPF, BPF + 0x100, "one", gone=True),
    code_of(30, BPF, BPF + 0x200, "two", kind=2),
)


def test_kernel_code_has_its_name_at_each_time() -> None:
    text = f"{BPF - 0x100:x} T before\n".encode()
    samples = [Sample(ip=BPF + 0x80, tstamp=time) for time in (9, 10, 25, 30)]
    samples.append(Sample(ip=BPF - 0x80, tstamp=15))
    data = captured(samples, chunk("KSYM", text), GENERATED)
    assert sorted(reported(data).rows) == [
        ("before", "before", "[kernel]", 2),
        ("one", "one", "[bpf]", 2),
        ("two", "two", "[kernel]", 1),
    ]


def test_kernel_code_without_kernel_symbols_has_its_name() -> None:
    data = captured([Sample(ip=BPF, tstamp=15)], GENERATED)
    assert reported(data).rows == [("one", "one", "[bpf]", 1)]


def test_freed_trampoline_renames_no_program_behind_it() -> None:
    text = f"{BPF + 0x400:x} t bpf_prog_hot\t[bpf]\n".encode()
    events = [
        code_of(time, BPF + 0x100, BPF + 0x1100, "bpf_trampoline_7", gone=time == 6)
        for time in (5, 6)
    ]
    samples = [Sample(ip=BPF + 0x480, tstamp=time) for time in (4, 5, 7)]
    samples.append(Sample(ip=BPF + 0x180, tstamp=5))
    data = captured(samples, chunk("KSYM", text), proc(*events))
    assert reported(data).rows == [
        ("bpf_prog_hot", "bpf_prog_hot", "[bpf]", 3),
        ("bpf_trampoline_7", "bpf_trampoline_7", "[bpf]", 1),
    ]


def test_kernel_code_without_times_has_its_last_name() -> None:
    data = captured([Sample(ip=BPF)], GENERATED, flags=IIP_HDR)
    assert reported(data).rows == [("two", "two", "[kernel]", 1)]


def test_names_of_kernel_code_are_demangled() -> None:
    event = code_of(10, BPF, BPF + 8, "_RNvCs1_6kernel4lock")
    data = captured([Sample(ip=BPF, tstamp=15)], proc(event))
    assert [row[0] for row in reported(data).rows] == ["kernel::lock"]


def test_callers_in_kernel_code_have_names() -> None:
    code = [code_of(t, BPF, BPF + 0x100, f"at_{t}") for t in (4, 6)]
    source = opened(captured([Sample(tstamp=t) for t in (5, 7)], proc(*code)))
    (batch,) = source.recording.batches()
    # A return address can be after the function's end.
    returns = np.full(3, BPF + 0x100, np.uint64)
    ids = source.places.calls(batch, np.array([1, 0, 1]), returns)
    known = source.places.locations()
    assert [known[i].symbol for i in ids.tolist()] == ["at_6", "at_4", "at_6"]


def test_kernel_address_without_symbol_has_object() -> None:
    found = reported(captured([Sample(ip=(1 << 64) - 1)]))
    assert found.rows == [("[kernel]", None, "[kernel]", 1)]


def test_missing_libdw_still_reports_objects(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libdw, "available", lambda: False)
    found = reported(captured(samples_in(program), mapped(program.mapping)))
    assert found.rows == [(str(program.path), None, str(program.path), 5)]
    assert "libdw" in found.warnings[0]


@pytest.mark.parametrize("build", ["same", None, "other"])
def test_file_offsets_are_resolved_by_cookie(
    build: Optional[str], program: Program
) -> None:
    steps = [("cookie", 5), *[("at", program.symbols["hot"] + 1, 1)] * 2]
    steps += [("at", program.symbols["warm"] + 1, 1), ("at", 0, 1)]
    build_id = {"same": program.build_id, None: None, "other": "ab"}[build]
    data = capture(
        json_chunk("SESS", session(uuid=UUID_OPROFILE)),
        bufr(oprofile(oprofile_words(steps))),
        cook([(5, str(program.path), build_id)]),
    )
    path, found = str(program.path), reported(data)
    if build == "other":
        assert found.rows == [(path, None, path, 4)]
        assert "has another build ID" in found.warnings[0]
        return
    assert found.rows == [
        ("hot", "hot", path, 2),
        (path, None, path, 1),
        ("warm", "warm", path, 1),
    ]
    lines = [row[0] for row in reported(data, "line").rows]
    assert sum("hotspots.c:" in line for line in lines) >= 2


CPP = """
namespace shapes {
__attribute__((noinline)) int area(int side) { return side * side; }
__attribute__((noinline)) int area(double side) { return side * 2; }
}
int main() { return shapes::area(3) + shapes::area(2.0); }
"""


@pytest.mark.parametrize("demangle", [True, False])
def test_resolver_demangles_names(demangle: bool, tmp_path: Path) -> None:
    source = tmp_path / "shapes.cpp"
    source.write_text(CPP)
    program = compiled(tmp_path / "shapes", source=source)
    names = {"_ZN6shapes4areaEi": "shapes::area(int)"}
    names["_ZN6shapes4areaEd"] = "shapes::area(double)"
    samples = [Sample(ip=program.ip(name)) for name in names]
    found = reported(captured(samples, mapped(program.mapping)), demangle=demangle)
    wanted = names.values() if demangle else names.keys()
    assert sorted(row[1] or "" for row in found.rows) == sorted(wanted)
    assert found.warnings == []


def test_kernel_names_are_demangled() -> None:
    text = b"ffffffff81000000 T _RNvNtCs1234_6kernel4sync4lock\n"
    data = captured([Sample(ip=0xFFFFFFFF81000010)], chunk("KSYM", text, True))
    assert [row[1] for row in reported(data).rows] == ["kernel::sync::lock"]


def test_location_has_function_start_and_offset(program: Program) -> None:
    ips = np.array([program.ip("hot"), 0xFFFFFFFF81000010], np.uint64)
    maps = MapsHistory()
    text = json.dumps({"tgid": 1, "comm": "", "maps": [program.mapping]})
    maps.add(parse_maps(text.encode(), 0))
    kernel = KernelSymbols(b"ffffffff81000000 T _RNvCs1_6kernel4lock\n", 0)
    resolver = Resolver(maps, kernel, [], Detail.SYMBOL, print)
    ones = np.ones(2, np.uint64)
    hot, lock = resolver.resolve(Addresses(ones, ones, ips))
    start = program.address("hot")
    assert (hot.start, hot.offset) == (start, start + 1)
    assert hot.mangled is None
    assert (lock.start, lock.offset) == (0xFFFFFFFF81000000, 0xFFFFFFFF81000010)
    assert (lock.symbol, lock.mangled) == ("kernel::lock", "_RNvCs1_6kernel4lock")


def jit_capture(samples: list[Sample], where: list[Json], *jits: bytes) -> bytes:
    """Build a capture of process 100, with JITM chunks, ``jits``, after the samples."""
    return capture(
        json_chunk("SESS", session()),
        json_chunk("MAPS", maps(100, where)),
        bufr(buffer(samples)),
        *jits,
        json_chunk("DONE", totals(len(samples))),
    )


def test_jit_functions_are_found_in_anonymous_memory() -> None:
    where = [
        mapping(0x10000, 0x20000, 0, "", prot="rwxp"),
        mapping(0x20000, 0x30000, 0, "[anon:code]"),
        mapping(0x30000, 0x40000, 0, "/dev/zero"),
        mapping(0x50000, 0x60000, 0, "[vdso]"),
    ]
    ips = [0x10010, 0x10018, 0x20010, 0x30010, 0x40010, 0x50010, 0x10040]
    text = "".join(f"{n}0000 20 made{n}\n" for n in range(1, 6))
    data = jit_capture([Sample(ip=ip) for ip in ips], where, jitm(100, text))
    found = reported(data)
    assert found.rows == [
        ("made1", "made1", "[jit]", 2),
        ("[unknown]", None, "[unknown]", 1),
        ("[vdso]", None, "[vdso]", 1),
        ("made2", "made2", "[jit]", 1),
        ("made3", "made3", "[jit]", 1),
        ("made4", "made4", "[jit]", 1),
    ]
    assert found.warnings == []


def test_jit_functions_belong_to_their_process() -> None:
    samples = [Sample(ip=0x1000, tgid=100), Sample(ip=0x1000, tgid=200)]
    two = jitm(200, "1000 10 two\n"), jitm(300, "1000 10 three\n")
    found = reported(jit_capture(samples, [], *two))
    assert found.rows == [
        ("[unknown]", None, "[unknown]", 1),
        ("two", "two", "[jit]", 1),
    ]


def test_jit_functions_may_be_added_to_a_resolver() -> None:
    jit = JitMaps()
    resolver = Resolver(MapsHistory(), None, [], Detail.FUNCTION, print, jit)
    jit.add("JITM", struct.pack("<II", 100, 0) + b"1000 10 made\n", 0)
    epoch, tgid, ip = (np.array([value], np.uint64) for value in (0, 100, 0x1000))
    (place,) = resolver.resolve(Addresses(epoch, tgid, ip))
    assert place.symbol == "made"


def resolver(
    maps: list[Mapping], detail: Detail, options: SymbolOptions = SymbolOptions()
) -> Resolver:
    """Build a resolver of process 1."""
    history = MapsHistory()
    history.add(ProcessMaps(1, "", tuple(maps)))
    return Resolver(history, None, options, detail, print)


def at(*ips: int) -> Addresses:
    """Build addresses of process 1."""
    ones = np.ones(len(ips), np.uint64)
    return Addresses(ones, ones, np.array(ips, np.uint64))


INLINED = """
namespace shapes {
inline __attribute__((always_inline)) void area() { __asm__ volatile("here: nop"); }
}
extern "C++" int main() { shapes::area(); return 0; }
"""


@pytest.mark.parametrize("inlines", [True, False])
def test_resolved_inlined_functions_are_frames(inlines: bool, tmp_path: Path) -> None:
    source, path = tmp_path / "x.cpp", tmp_path / "x"
    source.write_text(INLINED)
    program = compiled(path, "-O2", source=source)
    where = Mapping(0x1000, 1 << 40, 0, str(path), None)
    options = SymbolOptions(inlines=inlines)
    found = resolver([where], Detail.INLINES, options)
    (location,) = found.resolve(at(0x1000 + program.offset_of("here")))
    assert location.symbol == "main" and location.line == f"{source}:3"
    if not inlines:
        assert location.inlines == ()
        assert location.frames() == (Frame("main", str(source), 3),)
        return
    frames = (Frame("shapes::area()", str(source), 3), Frame("main", str(source), 5))
    assert location.inlines == location.frames() == frames


def test_outermost_frame_has_the_symbols_name(tmp_path: Path) -> None:
    source, path = tmp_path / "x.cpp", tmp_path / "x"
    source.write_text(INLINED)
    program = compiled(path, "-O2", source=source)
    here = program.offset_of("here")
    run("objcopy", "--redefine-sym", "main=main.cold", path)
    where = Mapping(0x1000, 1 << 40, 0, str(path), None)
    (location,) = resolver([where], Detail.INLINES).resolve(at(0x1000 + here))
    names = [frame.function for frame in location.inlines]
    assert names == ["shapes::area()", "main.cold"]
    assert location.symbol == "main.cold"


def test_frames_without_name_line_or_symbol_are_kept(tmp_path: Path) -> None:
    start = assembled(tmp_path / "x", has_lines=True)
    where = Mapping(0, 1 << 40, 0, str(tmp_path / "x"), None)
    found = resolver([where], Detail.INLINES)
    for _ in range(2):
        outer, inner = found.resolve(at(start, start + 1))
        assert (outer.symbol, outer.line, outer.inlines) == (None, None, ())
        assert (inner.symbol, inner.line) == (None, None)
        assert inner.inlines == (Frame("inner"), Frame(None), Frame("outer"))


def test_resolving_in_parts_equals_resolving_at_once(
    program: Program,
) -> None:
    where = Mapping(0x1000, 1 << 40, 0, str(program.path), None)
    ips = [0x1000 + offset for offset in range(0, 0x3000, 7)]
    whole = resolver([where], Detail.INLINES).resolve(at(*ips))
    apart = resolver([where], Detail.INLINES)
    found = [apart.resolve(at(ip))[0] for ip in ips]
    assert [repr(one) for one in found] == [repr(one) for one in whole]
    assert {location.symbol for location in whole} >= {"hot", "warm", "main", None}


def test_function_detail_gives_one_location_a_function(program: Program) -> None:
    size = max(program.symbols.values()) + 8
    where = Mapping(0x1000, 0x1000 + size, 0, str(program.path), None)
    ips = range(0x1000, 0x1008 + size)
    wanted = resolver([where], Detail.SYMBOL).resolve(at(*ips))
    found = resolver([where], Detail.FUNCTION).resolve(at(*ips))
    assert found == wanted
    assert [one.start for one in found] == [one.start for one in wanted]
    for symbol in ("hot", "warm", "main"):
        (one,) = {id(one): one for one in found if one.symbol == symbol}.values()
        assert one.offset is None


def test_resolver_opens_the_file_of_a_location(program: Program) -> None:
    build_id = bytes.fromhex(program.build_id)
    where = Mapping(0x1000, 1 << 40, 0, str(program.path), build_id)
    found = resolver([where], Detail.SYMBOL)
    (location,) = found.resolve(at(0x1000 + program.symbols["hot"]))
    assert location.build_id == build_id
    file = found.file(location)
    assert file is not None and location.start is not None
    assert file.rows(location.start, location.start + 8)
    assert found.file(Location("[kernel]")) is None


VARIABLES = "int first = 1; static int last[100000]; int main(void) { return last[0]; }"


def test_bss_variables_are_found_beyond_file_mapping(
    tmp_path: Path,
) -> None:
    source, path = tmp_path / "x.c", tmp_path / "x"
    source.write_text(VARIABLES)
    program = compiled(path, "-O0", source=source)
    first, last = program.offset_of("first"), program.offset_of("last") + 399999
    page = first & ~0xFFF
    maps = [
        Mapping(0x10000, 0x11000, page, str(path), None),
        Mapping(0x11000, 0x90000, 0, "", None),
        Mapping(0xA0000, 0xB0000, 0, "[heap]", None),
        Mapping(0xB0000, 0xC0000, 0, "", None),
    ]
    found = resolver(maps, Detail.SYMBOL)
    ips = [0x10000 + first - page, 0x10000 + last - page, 0x8FFFF, 0xB0000]
    locations = found.resolve_data(at(*ips))
    assert [(one.symbol, one.object) for one in locations] == [
        ("first", str(path)),
        ("last", str(path)),
        # Both addresses are in anonymous memory that no variable uses.
        (None, "[unknown]"),
        (None, "[unknown]"),
    ]
    objects = resolver(maps, Detail.OBJECT).resolve_data(at(*ips))
    assert [one.object for one in objects] == [one.object for one in locations]
    assert {one.symbol for one in objects} == {None}
    # A variable is not resolved as code.
    assert {one.symbol for one in found.resolve(at(*ips))} == {None}


LINKERS = ("-pie", "-no-pie", "-fuse-ld=gold", "-fuse-ld=lld", "-Wl,-z,noseparate-code")


@pytest.fixture(scope="module", params=LINKERS)
def split(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Program:
    """Return a program. Its folder also has the files "stripped", a stripped copy, and
    "debug", its debug information.
    """
    at = tmp_path_factory.mktemp("split")
    program = compiled(at / "hotspots", request.param)
    run("strip", "-o", at / "stripped", program.path)
    run("objcopy", "--only-keep-debug", program.path, at / "debug")
    return program


def test_code_and_symbols_may_be_in_different_files(
    split: Program, tmp_path: Path
) -> None:
    where, text = split.path.parent, split.build_id
    by_id = f"{text[:2]}/{text[2:]}"
    places = {
        # for each path, the part of the program that is stored there
        "debug first": {"a/hotspots": "debug", "b/hotspots": "hotspots"},
        "debug first, code stripped": {"a/hotspots": "debug", "b/hotspots": "stripped"},
        "stripped first": {"a/hotspots": "stripped", "b/hotspots": "hotspots"},
        "stripped, then debug": {"a/hotspots": "stripped", "b/hotspots": "debug"},
        "debug only": {"a/hotspots": "debug"},
        "debug by ID": {f"a/.build-id/{by_id}.debug": "debug"},
        "debug by ID, as packaged": {
            f"b/usr/lib/debug/.build-id/{by_id}.debug": "debug"
        },
        "code by ID": {f"b/.build-id/{by_id}": "hotspots"},
        "code under another name": {"b/renamed": "hotspots"},
    }
    samples = [Sample(ip=split.ip(name)) for name in ("hot", "warm", "hot")]
    data = captured(samples, mapped({**split.mapping, "path": "/gone/hotspots"}))
    for number, (what, files) in enumerate(places.items()):
        root = tmp_path / str(number)
        for name, source in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(where / source, path)
        symfs = [str(root / "a"), str(root / "b")]
        found = reported(data, symfs=symfs)
        assert [(key, count) for key, *_, count in found.rows] == [
            ("hot", 2),
            ("warm", 1),
        ], what
        assert found.warnings == [], what


def test_debug_file_without_mapping_uses_the_usual_layout(tmp_path: Path) -> None:
    program = compiled(tmp_path / "hotspots", "-pie")
    run("objcopy", "--only-keep-debug", program.path, tmp_path / "debug")
    (tmp_path / "debug").rename(program.path)
    steps = [("cookie", 5), ("at", program.symbols["hot"] + 1, 0)]
    data = capture(
        json_chunk("SESS", session(uuid=UUID_OPROFILE)),
        cook([(5, str(program.path), program.build_id)]),
        bufr(oprofile(oprofile_words(steps))),
    )
    assert [row[0] for row in reported(data).rows] == ["hot"]


@pytest.mark.parametrize(
    "path", ["/memfd:prog", "/dev/zero", "/SYSV00000000", "/SYSVfile", "/dev/zeroed"]
)
def test_build_id_decides_what_is_a_file(
    path: str, program: Program, tmp_path: Path
) -> None:
    shutil.copy(program.path, tmp_path / "whatever")
    data = captured(samples_in(program), mapped({**program.mapping, "path": path}))
    found = reported(data, symfs=[str(tmp_path)])
    assert [(key, count) for key, *_, count in found.rows] == [("hot", 3), ("warm", 2)]


def test_file_named_as_deleted_is_found(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "x (deleted)"
    shutil.copy(program.path, path)
    where = {**program.mapping, "path": str(path), "build_id": None}
    assert [
        row[0] for row in reported(captured(samples_in(program), mapped(where))).rows
    ] == [
        "hot",
        "warm",
    ]


def state_of(path: Path, **changed: object) -> Json:
    """Return the members of a mapping that identify a file without a build ID."""
    now = path.stat()
    return {"size": now.st_size, "mtime_ns": now.st_mtime_ns, **changed}


@pytest.mark.parametrize("changed", [{}, {"size": 5}, {"mtime_ns": 5}])
def test_changed_file_without_build_id_is_reported(
    changed: Json, program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "hotspots"
    shutil.copy(program.path, path)
    run("objcopy", "--remove-section=.note.gnu.build-id", path)
    where = {**program.mapping, "path": str(path), "build_id": None}
    where |= state_of(path, **changed)
    found = reported(captured(samples_in(program), mapped(where)))
    assert [row[0] for row in found.rows] == ["hot", "warm"]
    text = f"{path} has changed since it was recorded, and has no build ID"
    warning = f"{text}: its function names may be wrong"
    assert found.warnings == [warning] * bool(changed)


def test_unchanged_copy_is_preferred(program: Program, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(program.path, tmp_path / name / "hotspots")
    os.utime(tmp_path / "a/hotspots", ns=(1, 1))
    run("strip", tmp_path / "a/hotspots")
    where = {**program.mapping, "path": "/gone/hotspots", "build_id": None}
    where |= state_of(tmp_path / "b/hotspots")
    symfs = [str(tmp_path / "a"), str(tmp_path / "b")]
    found = reported(captured(samples_in(program), mapped(where)), symfs=symfs)
    assert [row[0] for row in found.rows] == ["hot", "warm"]
    assert found.warnings == []


def go_noted(program: Program, path: Path, text: str) -> None:
    """Copy a program, and replace its build ID by one of Go's linker."""
    size = len(text.encode())
    note = struct.pack("<III", 4, size, 4) + b"Go\0\0" + text.encode()
    at = program.path.read_bytes().index(b"GNU\0" + bytes.fromhex(program.build_id))
    data = bytearray(program.path.read_bytes())
    # ``text`` has 20 bytes at most, because it replaces a GNU build ID of 20 bytes.
    data[at - 12 : at - 12 + len(note)] = note
    path.write_bytes(data)


@pytest.mark.parametrize("same", [False, True])
def test_go_build_id_is_compared(same: bool, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "hotspots"
    go_noted(program, path, "abcd/efgh/ijkl/mnop!")
    where = {**program.mapping, "path": str(path), "build_id": None}
    go = "abcd/efgh/ijkl/mnop!" if same else "other"
    where |= state_of(path, mtime_ns=5, go_build_id=go)
    found = reported(captured(samples_in(program), mapped(where)))
    if same:
        assert [row[0] for row in found.rows] == ["hot", "warm"]
        assert found.warnings == []
    else:
        assert [row[0] for row in found.rows] == [str(path)]
        assert "has another build ID" in found.warnings[0]


def test_path_that_is_not_utf8_is_found(program: Program, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9"
    shutil.copy(program.path, os.fsdecode(path))
    where = {**program.mapping, "path": str(tmp_path / "caf?"), "build_id": None}
    data = captured(samples_in(program), mapped(where))
    assert [row[1] for row in reported(data).rows] == [None]
    where["path_bytes"] = path.hex()
    data = captured(samples_in(program), mapped(where))
    assert [row[1] for row in reported(data).rows] == ["hot", "warm"]


@pytest.mark.parametrize("apart", [False, True])
def test_debug_information_that_cannot_be_read_is_reported(
    apart: bool, program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "hotspots"
    run("objcopy", "--compress-debug-sections=zstd", program.path, path)
    if apart:
        text = program.build_id
        debug = tmp_path / f"usr/lib/debug/.build-id/{text[:2]}/{text[2:]}.debug"
        debug.parent.mkdir(parents=True)
        run("objcopy", "--only-keep-debug", path, debug)
        run("strip", path)
    where = mapped({**program.mapping, "path": str(path)})
    text = f"{path}: its debug information is compressed with zstd"
    data, symfs = captured(samples_in(program), where), [str(tmp_path)]
    found = reported(data, "line", symfs)
    if found.warnings:
        assert [warning[: len(text)] for warning in found.warnings] == [text]
        assert found.rows[0][0] == "hot"
    else:  # this version of libdw can decompress zstd
        assert "hotspots.c:" in found.rows[0][0]
    assert reported(data, symfs=symfs).warnings == []
