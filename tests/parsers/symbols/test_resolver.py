# SPDX-License-Identifier: MIT OR GPL-2.0
"""Symbols of user programs, against a program that is compiled here."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Optional

import pytest
from helpers.programs import SOURCE, Program, compiled
from helpers.readers import reported
from helpers.writers import (
    IIP_HDR,
    UUID_OPROFILE,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    chunk,
    cook,
    json_chunk,
    mapped,
    mapping,
    oprofile,
    oprofile_words,
    session,
)
from pfmparse.symbols import libdw


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compiled(tmp_path_factory.mktemp("bin") / "hotspots", "-pie")


def samples_in(program: Program) -> list[Sample]:
    """Three samples in hot(), two in warm()."""
    names = ["hot", "warm", "hot", "warm", "hot"]
    return [Sample(ip=program.ip(name)) for name in names]


@pytest.mark.parametrize("options", [["-pie"], ["-no-pie"], ["-static"]])
def test_functions_are_found_however_the_program_is_linked(
    options: list[str], tmp_path: Path
) -> None:
    program = compiled(tmp_path / "program", *options)
    path = str(program.path)
    found = reported(captured(samples_in(program), mapped(program.mapping)))
    assert found.rows == [("hot", "hot", path, 3), ("warm", "warm", path, 2)]
    assert found.warnings == []


def test_lines_are_found(program: Program) -> None:
    text = SOURCE.read_text().splitlines()
    hot = next(i for i, line in enumerate(text, 1) if "sink++" in line)
    warm = next(i for i, line in enumerate(text, 1) if "sink--" in line)
    data = captured(samples_in(program), mapped(program.mapping))
    keys = [row[0] for row in reported(data, by="line").rows]
    assert keys == [f"{SOURCE}:{hot}", f"{SOURCE}:{warm}"]


def test_addresses_keep_their_function(program: Program) -> None:
    data = captured(samples_in(program), mapped(program.mapping))
    path = str(program.path)
    assert reported(data, by="ip").rows == [
        (f"{program.ip('hot'):#x}", "hot", path, 3),
        (f"{program.ip('warm'):#x}", "warm", path, 2),
    ]


def test_other_build_id_gives_the_object_only_and_one_warning(
    program: Program,
) -> None:
    other = {**program.mapping, "build_id": "00" * 20}
    found = reported(captured(samples_in(program), mapped(other)))
    path = str(program.path)
    assert found.rows == [(path, None, path, 5)]
    assert len(found.warnings) == 1 and "another build ID" in found.warnings[0]


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


def test_file_that_is_gone_gives_the_object_only() -> None:
    where = mapping(0x1000, 0x2000, 0, "/gone (deleted)", "ab")
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert found.rows == [("/gone (deleted)", None, "/gone (deleted)", 1)]
    assert len(found.warnings) == 1


@pytest.mark.parametrize("path", ["[vdso]", "//anon", "/dev/zero", "/\0x", "/\ud800"])
def test_mapping_of_no_readable_file_gives_its_name(path: str) -> None:
    where = mapping(0x1000, 0x2000, 0, path)
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert [row[1:3] for row in found.rows] == [(None, path)]


def test_fifo_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    where = mapping(0x1000, 0x2000, 0, str(tmp_path / "fifo"))
    found = reported(captured([Sample(ip=0x1800)], mapped(where)))
    assert found.rows[0][1] is None


def test_file_that_is_not_elf_gives_its_name(tmp_path: Path) -> None:
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


def test_samples_without_process_belong_to_the_only_one(program: Program) -> None:
    data = captured(samples_in(program), mapped(program.mapping), flags=IIP_HDR)
    assert [row[0] for row in reported(data).rows] == ["hot", "warm"]


def test_maps_after_a_buffer_serve_it_if_there_were_none_before(
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


def test_kernel_addresses_without_symbols_are_of_the_kernel() -> None:
    found = reported(captured([Sample(ip=(1 << 64) - 1)]))
    assert found.rows == [("[kernel]", None, "[kernel]", 1)]


def test_without_libdw_objects_are_still_reported(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libdw, "available", lambda: False)
    found = reported(captured(samples_in(program), mapped(program.mapping)))
    assert found.rows == [(str(program.path), None, str(program.path), 5)]
    assert "libdw" in found.warnings[0]


@pytest.mark.parametrize("build", ["same", None, "other"])
def test_offsets_in_a_file_are_looked_up_by_its_cookie(
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
