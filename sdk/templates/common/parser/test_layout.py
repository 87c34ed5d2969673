# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the record layout of the parser with the C header.

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
#define FIELD(name) \\
    printf(#name " %zu %zu\\n", offsetof(record_t, name), sizeof(((record_t *)0)->name))
int main(void)
{
    puts(PFM_NEWFMT_SMPL_UUID_STR);
    printf("%d %zu\\n", PFM_NEWFMT_SMPL_VERSION, sizeof(record_t));
"""


def test_layout_matches_c_header(tmp_path: Path) -> None:
    names = RECORD.names or ()
    fields = "".join(f"FIELD({name});\n" for name in names)
    (tmp_path / "layout.c").write_text(f"{PROGRAM}{fields}}}\n")
    command = ["cc", "-Wall", f"-I{SDK}/include", f"-I{FOLDER}", "-o", "layout"]
    subprocess.run([*command, "layout.c"], cwd=tmp_path, check=True)
    said = subprocess.check_output([tmp_path / "layout"], text=True).splitlines()
    assert said[:2] == [FORMAT.uuid, f"{VERSION} {RECORD.itemsize}"]
    assert RECORD.fields is not None
    assert said[2:] == [
        f"{name} {RECORD.fields[name][1]} {RECORD[name].itemsize}" for name in names
    ]


def test_pfmparse_finds_the_format() -> None:
    assert pfm.find_format(FORMAT.uuid).name == "newfmt"
