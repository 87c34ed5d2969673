# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check what is generated from the option table: documentation and bash completion."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from machines import FORMATS, HEADERS

PFMON = Path(__file__).resolve().parents[2] / "tools" / "pfmon"


def made(programs: Path, *kind: str) -> str:
    return subprocess.run(
        [programs / "option_docs", *kind], capture_output=True, text=True, check=True
    ).stdout


def test_manual_page_matches_option_table(programs: Path) -> None:
    page = (PFMON / "pfmon.1").read_text("utf-8")
    begin, end = (
        '.\\" made from option_table.c by make pfmon-docs\n',
        '.\\" end of what is made\n',
    )
    section = page[page.index(begin) + len(begin) : page.index(end)]
    assert section == made(programs, "man"), "run make pfmon-docs"


def test_completion_matches_option_table(programs: Path) -> None:
    file = (PFMON / "pfmon.bash").read_text("utf-8")
    assert file == made(programs, "bash"), "run make pfmon-docs"


def test_completion_knows_aliases() -> None:
    file = (PFMON / "pfmon.bash").read_text("utf-8")
    assert '\t-o | --outfile | --smpl-outfile) _pfmon_files "$2" ;;' in file
    assert "\t\t-o | --outfile | --smpl-outfile | \\\n" in file
    assert "--session-timeout | -t | \\\n" in file


def test_manual_page_names_every_option(programs: Path) -> None:
    table = (PFMON / "options/option_table.c").read_text("utf-8")
    names = re.findall(r'\.name = "([a-z-]+)"', table)
    plain = made(programs, "man").replace("\\-", "-")
    assert len(names) > 20
    assert [name for name in names if f"\\fB--{name}\\fP" not in plain] == []


def test_underscore_in_bold_text_is_literal(programs: Path) -> None:
    assert "\\fBbuf_size=64k\\fP" in made(programs, "man")


# Other lists of formats, by file, with the pattern of a format's line.
LISTS = {
    "debian/perfmon-dkms.dkms": r'NAME\[\d+\]="pfm_fmt_{name}"',
    "docs/README.md": r"\| know the layout of a buffer \|.*\(formats/{name}\.md\)",
    "lib/create2x.c": r"perfmon_{name}_smpl\.h",
    "parsers/pfmparse/formats/registry.py": '"{uuid}": "{name}"',
    "tests/guest/fuzz/system.c": '"pfm_fmt_{name}"',
}
FORMAT = re.compile(r'#define PFM_\w+_SMPL_(NAME|UUID_STR)\s+"([^"]+)"')


def test_every_format_of_the_sdk_is_in_each_list(programs: Path) -> None:
    root = PFMON.parents[1]
    table = made(programs, "formats", "docs/formats/")
    completion = made(programs, "bash")
    lists = {row: (root / file).read_text("utf-8") for file, row in LISTS.items()}
    for header, given in zip(HEADERS, FORMATS, strict=True):
        words = dict(FORMAT.findall(header.read_text("utf-8")))
        name, uuid = words["NAME"], words["UUID_STR"]
        assert name == given
        assert f"| [{name}](docs/formats/{name}.md) | " in table
        assert f" | `{uuid}` |" in table
        assert (root / "docs" / "formats" / f"{name}.md").exists()
        assert re.search(rf'--smpl-module\).*["\s]{name}["\s]', completion)
        for row, text in lists.items():
            assert re.search(row.format(name=name, uuid=uuid), text)


@pytest.mark.parametrize(
    ("page", "directory"),
    [("README.md", "docs/formats/"), ("docs/formats/README.md", "")],
)
def test_pages_have_the_table_of_formats(
    programs: Path, page: str, directory: str
) -> None:
    text = (PFMON.parents[1] / page).read_text("utf-8")
    table = made(programs, "formats", directory)
    assert f"pfmon-docs -->\n{table}<!-- end" in text, "run make pfmon-docs"


def complete(programs: Path, line: str) -> list[str]:
    """Return the completions at the end of a line, whose words are separated by "|"."""
    words = line.split("|")
    script = (
        f'source {PFMON / "pfmon.bash"} && COMP_WORDS=("$@") && '
        f'COMP_CWORD={len(words) - 1} && _pfmon pfmon "${{@: -1}}" 2>/dev/null; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    run = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        cwd=PFMON / "options",
    )
    return run.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pfmon|--smpl-p", ["--smpl-periods-random=", "--smpl-pmds="]),
        ("pfmon|--system-wide|--agg", ["--aggregate-results", "--aggregate="]),
        ("pfmon|--smpl-record|=|ha", ["haswell"]),
        ("pfmon|--smpl-record|=", ["base", "nehalem", "haswell", "skylake"]),
        ("pfmon|--smpl-record|ha", ["haswell"]),
        ("pfmon|-e|cpu-c", ["cpu-cycles", "cpu-clock"]),
        ("pfmon|--events|=|cycles,page-f", ["cycles,page-faults"]),
        ("pfmon|--session-timeout|1", []),
        ("pfmon|-o|option_table", ["option_table.c", "option_table.h"]),
        ("pfmon|--list-events|=|x|--vers", ["--version"]),
        ("pfmon|-e|cycles|pfmo", ["pfmon"]),
        ("pfmon|-e|cycles|true|-u|opti", []),
        ("pfmon|--|true|format", ["format_options.c", "format_options.h"]),
        ("pfmon|docto", ["doctor"]),
        ("pfmon|doctor|", ["--help", "--json"]),
        ("pfmon|doctor|--js", ["--json"]),
        ("pfmon|--js", ["--json"]),
        ("pfmon|-u|docto", []),
    ],
)
def test_completion(programs: Path, line: str, offered: list[str]) -> None:
    found = complete(programs, line)
    if line.endswith("opti"):
        assert "option_table.c" in found
        assert not [name for name in found if name.startswith("-")]
    else:
        assert sorted(set(found)) == sorted(offered)
