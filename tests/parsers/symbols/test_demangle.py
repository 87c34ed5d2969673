# SPDX-License-Identifier: MIT OR GPL-2.0
"""Demangle C++ and Rust names with c++filt."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from pfmparse.symbols import demangle
from pfmparse.symbols.demangle import Names

NAMES = {
    "_ZN3foo3barEiPKc": "foo::bar(int, char const*)",
    "_ZNSs4swapERSs": "std::string::swap(std::string&)",
    "_ZN3fooEv.isra.0": "foo() [clone .isra.0]",
    "_ZN3fooEv@@VERS_1": "foo()@@VERS_1",
    # Two Rust names, in legacy and in v0 mangling.
    "_ZN4core3ptr13drop_in_place17h0123456789abcdefE": "core::ptr::drop_in_place",
    "_RNvCs1234_7mycrate3foo": "mycrate::foo",
}
PLAIN = ["main", "_Z", "_Zero", "_Restart", "?f@@YAXXZ", "_ZN3foo\nEv", "_Z\xe9", ""]


def shown(shower: Names, names: list[str]) -> list[str]:
    """Let ``shower`` learn these names; return the names that it shows for them."""
    shower.learn(names)
    return [shower[name] for name in names]


def demangled(names: list[str], said: list[str]) -> list[str]:
    """Demangle names; return the results in the order of the request."""
    return shown(Names(True, said.append), names)


def test_cpp_and_rust_names_are_demangled() -> None:
    said: list[str] = []
    assert demangled(list(NAMES), said) == list(NAMES.values())
    assert said == []


def test_unmangled_names_are_not_changed() -> None:
    said: list[str] = []
    assert demangled(PLAIN, said) == PLAIN
    assert said == []


def test_many_and_long_names_are_demangled() -> None:
    said: list[str] = []
    sources = [f"f{at:0>{50 + at % 900}}" for at in range(2000)]
    found = demangled([f"_Z{len(name)}{name}v" for name in sources], said)
    assert found == [f"{name}()" for name in sources]
    assert said == []


def test_names_too_long_for_c_filt_are_not_changed() -> None:
    name = f"_Z40000{'x' * 40000}v"
    assert demangled([name], []) == [name]


def fake(where: Path, text: str, patch: pytest.MonkeyPatch) -> Path:
    """Replace c++filt with a script that logs its start; return the log."""
    path = where / demangle.PROGRAM
    path.write_text(f'#!/bin/sh\necho started >>"$0.log"\n{text}\n')
    path.chmod(0o755)
    patch.setenv("PATH", f"{where}:{os.environ['PATH']}")
    return where / f"{demangle.PROGRAM}.log"


def test_one_c_filt_demangles_each_name_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'while read -r name; do echo "$name" >>"$0.log"; echo "of $name"; done'
    log = fake(tmp_path, text, monkeypatch)
    shower = Names(True, print)
    for names in (["_Z1f", "_Z1g"], ["_Z1g", "_Z1h"], ["_Z1f"]):
        assert shown(shower, names) == [f"of {name}" for name in names]
    assert log.read_text().split() == ["started", "_Z1f", "_Z1g", "_Z1h"]


def test_missing_c_filt_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said: list[str] = []
    shower = Names(True, said.append)
    for names in (["main"], ["_Z1fv"], ["_Z1gv"]):
        assert shown(shower, names) == names
    assert len(said) == 1 and "(of binutils) failed: No such file" in said[0]


@pytest.mark.parametrize(
    "text,why",
    [
        ("exit 1", "exited|Broken pipe"),
        ("read -r name; exit", "exited"),
        ("read -r name; exec sleep 1000", "takes too long"),
        ("read -r name; tr '\\0' x </dev/zero", "output is too long"),
    ],
)
def test_unresponsive_c_filt_is_given_up(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, text, monkeypatch)
    if why == "takes too long":
        monkeypatch.setattr(demangle, "TIMEOUT", 0.5)
    monkeypatch.setattr(demangle, "LONGEST", 1 << 16)
    said: list[str] = []
    shower = Names(True, said.append)
    started = time.monotonic()
    assert shown(shower, ["_Z1fv"]) == ["_Z1fv"]
    assert shown(shower, ["_Z1gv"]) == ["_Z1gv"]
    assert time.monotonic() - started < 100
    assert len(said) == 1 and re.search(why, said[0])


def test_demangling_can_be_disabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = fake(tmp_path, "", monkeypatch)
    assert shown(Names(False, print), ["_Z1fv"]) == ["_Z1fv"]
    assert not log.exists()


def test_c_filt_ends_with_its_names_object() -> None:
    shower = Names(True, print)
    shower.learn(["_Z1fv"])
    assert shower._filter
    process = shower._filter._process
    assert process.poll() is None
    del shower
    assert process.poll() is not None
