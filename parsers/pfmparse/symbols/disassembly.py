# SPDX-License-Identifier: MIT OR GPL-2.0
"""Disassemble x86 and ARM code with capstone (Debian: python3-capstone)."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from ..errors import RequestError

EM_386, EM_ARM, EM_X86_64, EM_AARCH64 = 3, 40, 62, 183  # as in <elf.h>

# capstone's names of the architecture and the mode, by ELF machine.
MACHINES = {
    EM_386: ("CS_ARCH_X86", "CS_MODE_32"),
    EM_X86_64: ("CS_ARCH_X86", "CS_MODE_64"),
    EM_ARM: ("CS_ARCH_ARM", "CS_MODE_ARM"),
    EM_AARCH64: ("CS_ARCH_ARM64", "CS_MODE_ARM"),
}


class Instruction(NamedTuple):
    """An instruction, or data that cannot be decoded."""

    address: int
    size: int
    text: str


def disassemble(code: bytes, address: int, machine: int) -> list[Instruction]:
    """Returns the instructions of the code at an address, for an ELF machine.

    Raises PfmParseError if the machine is not supported or capstone is missing.
    """
    if machine not in MACHINES:
        raise RequestError(f"code of ELF machine {machine} cannot be disassembled")
    decoder = _decoder(machine)
    found: list[Instruction] = []
    at = 0
    while at < len(code):
        for start, size, name, operands in decoder.disasm_lite(code[at:], address + at):
            found.append(Instruction(start, size, f"{name} {operands}".rstrip()))
            at = start + size - address
        if at < len(code):
            # These bytes are data within code, or an instruction that capstone does not
            # know.
            size = min(4 if machine in (EM_ARM, EM_AARCH64) else 1, len(code) - at)
            text = f".byte {code[at:at + size].hex(' ')}"
            found.append(Instruction(address + at, size, text))
            at += size
    return found


def _decoder(machine: int) -> Any:
    try:
        capstone = import_module("capstone")
    except ImportError:
        text = "code cannot be disassembled without capstone (Debian: python3-capstone)"
        raise RequestError(text) from None
    arch, mode = (getattr(capstone, name) for name in MACHINES[machine])
    return capstone.Cs(arch, mode)
