# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the layout that the parser reads in the C header with the compiler's layout.

Copyright YEAR AUTHOR
"""

import os
import subprocess
from pathlib import Path

import pfmparse as pfm
from pfmparse_newfmt import FORMAT, RECORD, VERSION

FOLDER = Path(__file__).resolve().parents[1]
SDK = os.environ["PERFMON_SDK"]  # set by the Makefile
PROGRAM = """
#include <stddef.h>
#include <stdio.h>
#include "perfmon_newfmt_smpl.h"
typedef pfm_newfmt_record_t record_t;
static record_t record;
/* Print a field's name, offset and size, and an element's size and kind: u, i or S. */
#define FIELD(name, element) printf(#name " %zu %zu %zu %c\\n", \\
    offsetof(record_t, name), sizeof(record.name), sizeof(element), \\
    _Generic(element, char: 'S', default: (__typeof__(element))-1 < 0 ? 'i' : 'u'))
int main(void)
{
    puts(PFM_NEWFMT_SMPL_UUID_STR);
    printf("%d %zu\\n", PFM_NEWFMT_SMPL_VERSION, sizeof(record));
"""


def is_array(name: str) -> bool:
    """Return whether a field is an array in C."""
    return bool(RECORD[name].shape) or RECORD[name].kind == "S"


def field(name: str) -> str:
    """Return the line that the C program must print about a field."""
    assert RECORD.fields is not None
    kind, offset = RECORD.fields[name][:2]
    size = 1 if kind.base.kind == "S" else kind.base.itemsize
    return f"{name} {offset} {kind.itemsize} {size} {kind.base.kind}"


def test_parser_has_layout_of_compiler(tmp_path: Path) -> None:
    names = RECORD.names or ()
    fields = "".join(
        f"FIELD({name}, record.{name}{'[0]' if is_array(name) else ''});\n"
        for name in names
    )
    (tmp_path / "layout.c").write_text(f"{PROGRAM}{fields}}}\n")
    command = ["cc", "-Wall", f"-I{SDK}/include", f"-I{FOLDER}", "-o", "layout"]
    subprocess.run([*command, "layout.c"], cwd=tmp_path, check=True)
    said = subprocess.check_output([tmp_path / "layout"], text=True).splitlines()
    assert said[:2] == [FORMAT.uuid, f"{VERSION} {RECORD.itemsize}"]
    assert said[2:] == [field(name) for name in names]


def test_pfmparse_finds_the_format() -> None:
    assert pfm.find_format(FORMAT.uuid).name == "newfmt"
