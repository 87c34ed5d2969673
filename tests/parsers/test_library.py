# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read captures as tables with pfmparse.open()."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pfmparse
import pytest
from helpers import every_format, programs
from helpers.cli import PARSERS, ROOT, Capture, importing, rows, told
from helpers.stacks_capture import stack_capture
from helpers.three_samples import SAMPLES
from helpers.writers import Sample, buffer, captured, session, simple_capture
from pfmparse import Captures, PfmParseError

NOTEBOOK = ROOT / "examples/samples.ipynb"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write a capture of each format; return the paths by the format's name."""
    into = tmp_path_factory.mktemp("captures")
    return every_format.write(programs.compiled(into / "hotspots"), into)


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    """Return the path of a capture with call chains."""
    path = tmp_path / "stacks.pfm"
    path.write_bytes(stack_capture())
    return path


def summed(found: dict[str, Any], name: str) -> Counter[Any]:
    """Return the number of samples for each value of a column."""
    sums: Counter[Any] = Counter()
    for value, count in zip(found[name].tolist(), found["count"].tolist()):
        sums[value] += count
    return sums


@pytest.mark.parametrize("name", every_format.FORMATS)
def test_library_agrees_with_report(
    name: str, files: dict[str, Path], capsys: Capture
) -> None:
    captures = pfmparse.open(files[name])
    found = captures.samples(["function", "object", "line", "address", "count"])
    found["either"] = np.where(
        found["function"] == "", found["object"], found["function"]
    )
    reported = told(capsys, "report", "--weight", "period", str(files[name]))
    expected: Counter[str] = Counter()
    for row in reported["rows"]:
        expected[row["key"]] += row["count"]
    assert summed(found, "either") == expected
    assert set(summed(found, "line")) - {""} == {
        key for key in rows(capsys, "line", files[name]) if re.search(r":\d+$", key)
    }
    grouped = captures.groups(weight="period")
    columns = (grouped[n].tolist() for n in ("function", "object", "count", "weight"))
    assert [*zip(*columns)] == [
        (row["key"], row["object"], row["count"], row["weight"])
        for row in reported["rows"]
    ]


@pytest.mark.parametrize("name", every_format.FORMATS)
def test_library_columns_need_no_copy(name: str, files: dict[str, Path]) -> None:
    captures = pfmparse.open(files[name])
    found = captures.samples()
    assert list(found) == captures.columns
    for column in found.values():
        assert column.ndim == 1 and column.size == found["count"].size > 0
        assert column.dtype.isnative and column.flags.carray
        if column.dtype != object:
            # A library that reads the column must get the same memory, not a copy.
            assert np.shares_memory(np.from_dlpack(column), column)
    texts = {"comm", "event", "function", "object", "line", "stack", "file", "host"}
    assert {n for n, column in found.items() if column.dtype == object} <= texts


def test_library_reads_several_captures(file: str, stacks: Path) -> None:
    captures = pfmparse.open([file, stacks])
    found = captures.samples(["file", "time", "stack", "pmd2"])
    assert Counter(found["file"]) == {file: 3, str(stacks): 10}
    assert set(found["stack"][:3]) == {""}
    assert found["stack"][3:].tolist().count("main;hot") == 6
    assert found["pmd2"].tolist()[1:] == [5, 6, *[0] * 10]
    assert captures.groups("file")["count"].tolist() == [10, 3]


def test_library_selects_as_the_options_do(file: str, capsys: Capture) -> None:
    options: list[tuple[dict[str, Any], list[str]]] = [
        ({"cpu": 0}, ["--cpu", "0"]),
        ({"cpu": "0-3", "tid": [101, "102"]}, ["--cpu", "0-3", "--tid", "101,102"]),
        ({"event": "event-1"}, ["--event", "event-1"]),
        ({"comm": "hot*", "object": ["[vdso]"]}, ["--comm", "hot*", "--object=[vdso]"]),
        ({"kernel": True}, ["--kernel"]),
        ({"time": "0-1us"}, ["--time", "0-1us"]),
        ({"pid": 5}, ["--pid", "5"]),
    ]
    captures = pfmparse.open(file)
    for conditions, words in options:
        total = told(capsys, "report", file, *words)["total"]
        found = captures.select(**conditions).samples(["count"])
        assert found["count"].sum() == total, conditions
    assert captures.samples(["cpu"])["cpu"].size == len(SAMPLES)


def test_bad_selection_is_refused(file: str) -> None:
    captures = pfmparse.open(file)
    with pytest.raises(ValueError, match="^cpu must be a number or a range such as"):
        captures.select(cpu="x")
    with pytest.raises(ValueError, match="^symbol invalid regular expression '\\('"):
        captures.select(symbol="(")
    with pytest.raises(ValueError, match="must be a time range"):
        captures.select(time="x")
    with pytest.raises(PfmParseError, match="x.pfm: event 'odd' was not sampled"):
        captures.select(event="odd").samples()


def test_no_symbols_are_looked_up_unless_wanted(stacks: Path) -> None:
    captures = pfmparse.open(stacks)
    found = captures.samples(symbols=False)
    assert {*captures.columns} - {*found} == {"function", "line", "stack"}
    with pytest.raises(ValueError, match="column 'function' needs symbols=True"):
        captures.samples("function", symbols=False)


def test_groups_by_several_keys_have_a_column_each(file: str) -> None:
    found = pfmparse.open(file).groups(["cpu", "comm"])
    assert list(found) == ["cpu", "comm", "count"]
    assert sorted(zip(*(column.tolist() for column in found.values()))) == [
        *((0, "hotloops", 2), (1, "hotloops", 1)),
    ]


def test_large_sums_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample(last_reset_val=1)] * 3))
    found = pfmparse.open(path).groups("cpu", weight="period")
    assert found["weight"].tolist() == [3 * ((1 << 64) - 1)]


def test_library_of_no_samples_has_empty_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(captured([]))
    captures = pfmparse.open(path)
    assert all(column.size == 0 for column in captures.samples().values())
    assert captures.groups()["count"].size == 0


def test_library_names_files_that_are_bad(tmp_path: Path, file: str) -> None:
    text, cut = tmp_path / "text", tmp_path / "cut.pfm"
    text.write_text("just text")
    with pytest.raises(PfmParseError, match="text: offset 0x0: not a capture"):
        pfmparse.open([file, text])
    with pytest.raises(FileNotFoundError, match="nonexistent"):
        pfmparse.open("/nonexistent")
    data = Path(file).read_bytes()
    cut.write_bytes(data[: data.index(buffer(SAMPLES)) + 128 + 2 * 48])
    with pytest.warns(UserWarning, match="cut.pfm: offset .*the file ends"):
        assert pfmparse.open(cut).samples(["cpu"])["cpu"].size == 2
    bad = bytearray(data)
    bad[data.index(buffer(SAMPLES)) + 200] ^= 1
    cut.write_bytes(bad)
    with pytest.raises(PfmParseError, match="cut.pfm: .*wrong checksum"):
        pfmparse.open(cut).samples()


def test_library_tells_what_a_capture_requests(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample()], {**session(), "cgroups": ["/a"]}))
    captures = pfmparse.open(path)
    with pytest.warns(UserWarning, match="only samples of control group /a are"):
        assert captures.samples("cpu")["cpu"].size == 0
    assert captures.select(cgroup="/").samples("cpu")["cpu"].size == 1


def test_closed_captures_are_not_read(file: str) -> None:
    with pfmparse.open(file) as captures:
        some = captures.select(cpu=0)
    for closed in (captures, some):
        with pytest.raises(ValueError, match="closed: open them again"):
            closed.samples()


def test_captures_close_their_files_in_the_end(file: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pfmparse.open(file).select(cpu=0).samples("cpu")["cpu"].size == 2


def test_import_of_the_package_is_cheap() -> None:
    code = "import sys, pfmparse; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=importing(PARSERS),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"


def executed(code: str, directory: Path) -> str:
    """Run a program in a directory and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=directory,
        env=importing(PARSERS),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_cells_of_the_notebook_run(stacks: Path) -> None:
    notebook = json.loads(NOTEBOOK.read_text())
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells)
    stacks.rename(stacks.with_name("my.cap"))
    out = executed("\n".join("".join(cell["source"]) for cell in cells), stacks.parent)
    assert "hot" in out and "main;warm;schedule 1" in out


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_examples_of_pages_print_functions(page: str, stacks: Path) -> None:
    text = (ROOT / page).read_text()
    found = re.findall(r"<!-- tried: library -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found
    stacks.rename(stacks.with_name("my.cap"))
    for code in found:
        shell = re.fullmatch(r"python3 -c '\n(.*)'\n", code, re.DOTALL)
        out = executed(shell[1] if shell else code, stacks.parent)
        assert "hot" in out


def test_public_type_is_that_of_open(file: str) -> None:
    assert isinstance(pfmparse.open(file), Captures)
