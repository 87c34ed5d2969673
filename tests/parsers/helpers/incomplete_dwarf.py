# SPDX-License-Identifier: MIT OR GPL-2.0
"""Assemble a file whose debug information lacks names, lines and files.

outer() has no symbol. A nameless function is inlined into outer(), and inner() is
inlined into the nameless function. The call of the nameless function has no line; the
call of inner() is in a file that the table of files lacks. The linkage name of inner()
is a number. If there is a line table, its row is also in a file that the table of files
lacks.
"""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers.programs import run

CODE = """
.text
start: nop
in_inner: nop
end: nop
.section .debug_abbrev
.uleb128 1; .uleb128 0x11; .byte 1
.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7 # low_pc, high_pc
{stmt_list}
.byte 0, 0
.uleb128 2; .uleb128 0x2e; .byte 1
.uleb128 3; .uleb128 8 # name: string
.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7
.byte 0, 0
.uleb128 3; .uleb128 0x1d; .byte 1
.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7
.byte 0, 0
.uleb128 4; .uleb128 0x1d; .byte 0
.uleb128 3; .uleb128 8; .uleb128 0x6e; .uleb128 0xb # linkage_name: data1
.uleb128 0x58; .uleb128 0xb; .uleb128 0x59; .uleb128 0xb # call_file, call_line
.uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7
.byte 0, 0
.byte 0
.section .debug_info
.long unit_end - unit
unit: .short 4; .long 0; .byte 8
.uleb128 1; .quad start, end - start
{lines_at}
.uleb128 2; .asciz "outer"; .quad start, end - start
.uleb128 3; .quad in_inner, end - in_inner
.uleb128 4; .asciz "inner"; .byte 7; .byte 9, 5; .quad in_inner, end - in_inner
.byte 0, 0, 0
unit_end:
"""
LINES = """
.section .debug_line
.long lines_end - lines
lines: .short 4; .long program - header
header: .byte 1, 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
.byte 0; .asciz "x.c"; .byte 0, 0, 0, 0
program: .byte 0, 9, 2; .quad start
.byte 4, 99, 1 # set_file, copy
.byte 2, 3, 0, 1, 1 # advance_pc, end_sequence
lines_end:
"""


def assembled(path: Path, has_lines: bool) -> int:
    """Assemble the file; return outer()'s address. Inlined code begins 1 byte later."""
    source = path.with_suffix(".s")
    text = CODE.format(
        stmt_list=".uleb128 0x10; .uleb128 0x17" if has_lines else "",
        lines_at=".long 0" if has_lines else "",
    )
    source.write_text(text + (LINES if has_lines else ""))
    run("gcc", "-nostdlib", "-shared", "-o", path, source)
    with open(path, "rb") as stream:
        start = int(ELFFile(stream).get_section_by_name(".text")["sh_addr"])
    for name in ("start", "in_inner", "end"):
        run("objcopy", "-N", name, path)
    return start
