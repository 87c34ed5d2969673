# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that each view of a damaged capture agrees with the report or fails."""

from __future__ import annotations

import json
import warnings
from functools import partial
from pathlib import Path
from typing import Any, Callable

import pfmparse
import pytest
from helpers import damaged
from helpers.damaged import Counted
from helpers.exporting import called
from pfmparse.errors import PfmParseError

Count = Callable[[Any], int]
NO_PARSER = "no parser for format"


def rows(document: Any) -> int:
    """Check that a report's rows add up to its total; return the total."""
    assert document["total"] == sum(row["count"] for row in document["rows"])
    return int(document["total"])


def calls(document: Any) -> int:
    """Check that a call graph's rows add up to its total; return the total."""
    assert document["total"] == sum(row["own"] for row in document["rows"])
    return int(document["total"])


def steps(document: Any) -> int:
    """Return the number of samples in all steps of a timeline."""
    columns = document["columns"]
    return sum(weight for column in columns for _, weight in column["steps"])


def both_sides(document: Any) -> int:
    """Check a capture's comparison with itself; return one side's sample count."""
    assert document["old_total"] == document["new_total"]
    assert all(row["delta"] == 0 for row in document["rows"])
    return int(document["old_total"])


def drawn_twice(document: Any) -> int:
    """Return one side's sample count in a graph that compares a capture with itself."""
    return int(document["samples"]) // 2


def view(command: str, count: Count, file: Path) -> Counted:
    """Run ``command``, in which {} stands for ``file``; return the sample count."""
    words = [word.format(file) for word in command.split()]
    status, out, err = called(*words, "--json")
    assert status in (0, 1) and (status == 0 or err)
    if not out:
        return Counted(None, err)
    document = json.loads(out)
    if NO_PARSER in err:
        # If the format has no parser, only the number of samples is known.
        assert not document["rows"]
        return Counted(None, err)
    return Counted(count(document), err)


VIEWS: dict[str, list[tuple[str, Count]]] = {
    "report": [
        ("report {}", rows),
        ("report --by comm,event,kernel {}", rows),
        ("report --by tid,cpu --weight period {}", rows),
        ("report --callers --weight count {}", calls),
    ],
    "timeline": [("timeline --step 1s --by pmd --weight count {}", steps)],
    "diff": [
        ("diff --by ip --weight count {} {}", both_sides),
        ("diff --to html -o /dev/null {} {}", drawn_twice),
        ("diff --to svg -o /dev/null {} {}", drawn_twice),
    ],
    "mem": [
        ("mem {}", rows),
        ("mem --per function --l2 5 --l3 14 {}", rows),
        ("mem --view data --per cacheline {}", rows),
        ("mem --view level {}", rows),
        ("mem --view tlb --per page {}", rows),
    ],
    "show": [("show {}", rows)],
}


@pytest.mark.parametrize("command", VIEWS)
def test_damaged_view_agrees_with_report(command: str) -> None:
    damaged.check(*(partial(view, *each) for each in VIEWS[command]))


TEXTS = (
    *("info {}", "dump {}", "extract {} {out}", "timeline {}"),
    *(
        "timeline --by event {}",
        "report {}",
        "report --by line,comm {}",
        "report --callers {}",
        "show {}",
    ),
    *("diff {} {}", "mem {}", "mem --view data {}", "mem --view level {}"),
    *("annotate -s do_work {}", "annotate -s do_work --html {out} {}"),
)


def printed(command: str, file: Path) -> Counted:
    """Run a command that prints text; return the text."""
    out = file.with_name(damaged.OUTPUT)
    words = [word.format(file, out=out) for word in command.split()]
    status, text, err = called(*words)
    assert status == 0 or (status == 1 and err)
    assert (text + err).replace("\n", "").isprintable()
    return Counted(None, text or err or "an empty capture", wrote=status == 0)


def test_damaged_capture_is_printed_or_refused() -> None:
    damaged.check(*(partial(printed, command) for command in TEXTS))


def described(file: Path) -> Counted:
    """Return the number of samples that info prints for a capture."""
    _, out, err = called("info", "--json", str(file))
    document = json.loads(out) if out else {"format": {"parser": None}}
    if document["format"]["parser"] is None:
        return Counted(None, out or err)
    return Counted(document["samples"], err or "not counted")


def test_damaged_info_agrees_with_report() -> None:
    damaged.check(described)


def dumped(file: Path) -> Counted:
    """Return the sum of the weights of the samples that dump prints."""
    status, out, err = called("dump", "--json", str(file))
    samples = [json.loads(line) for line in out.splitlines()]
    if status and not samples:
        return Counted(None, err)
    return Counted(sum(sample.get("count", 1) for sample in samples), err)


def test_damaged_dump_agrees_with_report() -> None:
    damaged.check(dumped)


def annotated(file: Path) -> Counted:
    """Compare a function's samples in annotate with those in a report."""
    _, out, err = called("annotate", "-s", "do_work", "--json", str(file))
    if NO_PARSER in err:
        return Counted(None, err)
    _, reported, _ = called("report", "--symbol", "^do_work$", "--json", str(file))
    functions = json.loads(out)["functions"] if out else []
    found = sum(total for one in functions for total in one["totals"])
    assert found == (_weight(json.loads(reported)) if reported else 0)
    assert functions or err
    # The totals agree with the report, but do not cover all samples.
    return Counted(None, "a part of the samples")


def _weight(report: Any) -> int:
    """Return the sum of the default weight. Damage can change which weight that is."""
    return int(report.get("total_weight", report["total"]))


def test_damaged_annotate_agrees_with_report() -> None:
    damaged.check(annotated)


def watched(file: Path) -> Counted:
    """Show the capture as if it were still being written."""
    status, out, err = called("top", "--batch", str(file))
    assert out or (status and err)
    # Each refresh shows only the most recent samples.
    return Counted(None, "some of the samples")


def test_damaged_top_shows_rows_or_fails() -> None:
    damaged.check(watched)


def extracted(file: Path) -> Counted:
    """Extract the buffers, and check which files were written, and their sizes."""
    into = file.with_name(damaged.OUTPUT)
    status, out, err = called("extract", str(file), str(into), "--json")
    if not out:
        assert status and err
        return Counted(None, err)
    written = json.loads(out)
    files = {written["session"], *(buffer["file"] for buffer in written["buffers"])}
    assert files == {str(path) for path in into.iterdir()}
    for buffer in written["buffers"]:
        assert Path(buffer["file"]).stat().st_size == buffer["bytes"]
    return Counted(None, "not decoded", wrote=True)


def test_damaged_extract_writes_all_files_or_none() -> None:
    damaged.check(extracted)


def tabulated(file: Path) -> Counted:
    """Count the samples in the tables of pfmparse.open()."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            with pfmparse.open(file) as captures:
                samples = captures.samples()
                sums = captures.groups("ip", weight="count")
        except PfmParseError as error:
            return Counted(None, str(error))
    total = sum(samples["count"].tolist())
    assert sum(sums["count"].tolist()) == total
    return Counted(total, "")


def test_damaged_table_agrees_with_report() -> None:
    damaged.check(tabulated)
