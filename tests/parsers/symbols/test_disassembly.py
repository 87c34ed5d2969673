# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the disassembly."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from pfmparse.errors import PfmParseError
from pfmparse.symbols.disassembly import (
    EM_386,
    EM_AARCH64,
    EM_ARM,
    EM_X86_64,
    Instruction,
    disassemble,
)


@pytest.mark.parametrize(
    "machine,code,texts",
    [
        (EM_X86_64, "4889e5c3", ["mov rbp, rsp", "ret"]),
        (EM_386, "89e5c3", ["mov ebp, esp", "ret"]),
        (EM_AARCH64, "1f2003d5c0035fd6", ["nop", "ret"]),
        (EM_ARM, "1eff2fe1", ["bx lr"]),
    ],
)
def test_code_of_several_machines_is_disassembled(
    machine: int, code: str, texts: list[str]
) -> None:
    found = disassemble(bytes.fromhex(code), 0x1000, machine)
    assert [one.text for one in found] == texts
    assert found[0].address == 0x1000
    assert sum(one.size for one in found) == len(code) // 2


def test_disassembly_continues_after_invalid_bytes() -> None:
    found = disassemble(bytes.fromhex("90 06 90"), 0x10, EM_X86_64)
    assert found == [
        Instruction(0x10, 1, "nop"),
        Instruction(0x11, 1, ".byte 06"),
        Instruction(0x12, 1, "nop"),
    ]
    found = disassemble(bytes(4) + bytes.fromhex("c0035fd6"), 0, EM_AARCH64)
    assert [one.address for one in found] == [0, 4] and found[1].text == "ret"


def test_truncated_instruction_is_data() -> None:
    found = disassemble(bytes.fromhex("4889"), 0, EM_X86_64)
    assert sum(one.size for one in found) == 2


def test_unknown_machine_is_named() -> None:
    with pytest.raises(PfmParseError, match="ELF machine 50 cannot be disassembled"):
        disassemble(b"x", 0, 50)


def test_missing_capstone_error_names_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing: dict[str, Any] = {"capstone": None}
    monkeypatch.setattr(sys, "modules", {**sys.modules, **nothing})
    with pytest.raises(PfmParseError, match="Debian: python3-capstone"):
        disassemble(b"\x90", 0, EM_X86_64)
