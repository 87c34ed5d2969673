#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find code in a format's sources that was written for an older version of the SDK.

    format_hints.py FOLDER

Run this if the module in FOLDER cannot be built. It prints a line, with the
replacement, for each name or call that has changed, and a line with the page that lists
all changes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE))

import format_folder  # noqa: E402

# The advice to print about outdated code. The keys are patterns of such code.
HINTS = {
    r"\.fmt_owner\b": (
        "leave out .fmt_owner: pfm_register_buffer_fmt() passes the module"
    ),
    r"\bu64\s+\w+\s*,\s*void\s*\*\s*\w+\s*\)": (
        "the last parameter of fmt_handler is 'struct pfm_ovfl_data *data'"
    ),
    r"\bdata->cpu\b": "the CPU is arg->ovfl_cpu",
    r"\bpfm_copy_pmds\s*\([^,;]*,[^,;]*\)\s*;": (
        "pfm_copy_pmds() has a third argument, arg->num_smpl_pmds"
    ),
    r"\bperfmon_(?:fmt_)?hist\.h": (
        "this header is gone: declare a table with DEFINE_PFM_TABLE() of "
        "<perfmon/perfmon_fmt_table.h>"
    ),
}
PAGE = 'see "Formats for older interfaces" in docs/writing_a_format.md'


def hints(sources: Mapping[Path, bytes]) -> Iterator[str]:
    """Yield a line for each outdated name or call in a format's sources.

    If there are any, the last line names the page that lists all changes.
    """
    line = 0
    for path, content in sources.items():
        text = content.decode(errors="replace")
        for pattern, advice in HINTS.items():
            for found in re.finditer(pattern, text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{path}:{line}: the SDK has changed: {advice}"
    if line:
        yield PAGE


def main() -> int:
    """Print the hints for a directory; return the exit status."""
    try:
        sources = format_folder.sources(Path(sys.argv[1]))
    except format_folder.FolderError as error:
        print(error, file=sys.stderr)
        return 1
    for hint in hints(sources):
        print(hint, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
