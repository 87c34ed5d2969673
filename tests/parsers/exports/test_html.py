# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export as HTML pages; tests/viewers opens them in a browser."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from helpers.exporting import NAMES, called, exported, reported
from helpers.graphs import Page
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import UUID_PEBS64, Sample, captured, chunk, pebs_capture, session
from pfmparse.exports import page_data


def page(tmp_path: Path, data: bytes, *options: str) -> Page:
    """Export a capture; return the parsed page."""
    source = tmp_path / "x.pfm"
    source.write_bytes(data)
    return Page(exported(source, "html", tmp_path / "x.html", *options))


def functions(found: Page) -> dict[str, tuple[str, int, int]]:
    """Return the object, self and total columns of each function in the table."""
    return {
        row[0]: (row[1], int(row[2].replace(",", "")), int(row[4].replace(",", "")))
        for row in found.tables["functions"]
        if row
    }


def test_html_table_has_self_and_total_counts(
    tmp_path: Path,
) -> None:
    assert functions(page(tmp_path, stack_capture())) == {
        "hot": ("[jit]", 6, 6),
        "warm": ("[jit]", 3, 4),
        "schedule": ("[kernel]", 1, 1),
        "main": ("[jit]", 0, 10),
    }


@pytest.mark.parametrize("name", NAMES)
def test_html_table_agrees_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    found = functions(page(tmp_path, captures[name].read_bytes()))
    assert {name: own for name, (_, own, _) in found.items() if own} == {
        row["key"]: row["count"] for row in reported(captures[name])
    }


def test_html_page_reports_losses(tmp_path: Path) -> None:
    found = page(tmp_path, stack_capture())
    (row,) = (row for row in found.tables["captures"] if row)
    assert row[1:] == ["build7", "10", "7", "4 overwritten", ""]
    whole = stack_capture()
    found = page(tmp_path, whole[:-50])
    (row,) = (row for row in found.tables["captures"] if row)
    assert row[3] == "unknown" and "ends within" in row[5]


def test_html_page_states_omitted_frames(tmp_path: Path) -> None:
    names = ["hot", *(f"f{at}" for at in range(5))]
    stacks = [Stack((name,), 6000 if name == "hot" else 1) for name in names]
    source = tmp_path / "x.pfm"
    source.write_bytes(stack_capture(stacks, names))
    argv = ["export", str(source), "--to", "html", "-o", str(tmp_path / "x.html")]
    _, _, err = called(*argv)
    lack = "frames narrower than 0.1% of the graph"
    assert f"pfmparse: html does not store {lack}\n" in err
    text = (tmp_path / "x.html").read_text()
    assert "Left out: 5 frames narrower than 0.1% of the graph." in text
    found = page(tmp_path, stack_capture())
    assert "left out" not in (tmp_path / "x.html").read_text() and found.data


@pytest.mark.parametrize("threads", [2, 3])
def test_html_page_has_a_limited_number_of_threads(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_data, "THREADS", 2)
    source = tmp_path / "x.pfm"
    source.write_bytes(captured([Sample(pid=tid) for tid in range(1, threads + 1)]))
    argv = ["export", str(source), "--to", "html", "-o", str(tmp_path / "x.html")]
    _, _, err = called(*argv)
    assert ("html does not store IDs of threads beyond the" in err) == (threads > 2)


def test_html_table_sums_other_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_data, "FUNCTIONS", 2)
    rows = [row for row in page(tmp_path, stack_capture()).tables["functions"] if row]
    assert [row[0] for row in rows[:-1]] == ["hot", "warm"]
    assert rows[-1] == ["2 other functions", "", "1", "10.00 %"]


def test_html_page_counts_imprecise_samples(tmp_path: Path) -> None:
    data = pebs_capture([{"ip": 1}] * 3, 144, session(uuid=UUID_PEBS64))
    (row,) = (row for row in page(tmp_path, data).tables["captures"] if row)
    assert row[5] == "2 imprecise samples"


def test_html_page_loads_no_resources(tmp_path: Path) -> None:
    found = page(tmp_path, stack_capture())
    assert found.loads == ["data:,"]
    text = (tmp_path / "x.html").read_text()
    assert not re.search(r"https?://|@import|\burl\(|fetch\(|XMLHttp|import\(", text)
    assert "default-src 'none'" in text


def test_html_page_escapes_names(tmp_path: Path) -> None:
    names = ["</script><script>alert(1)</script>", "<b>&amp;\"'", "<!--", "@DATA@"]
    found = page(tmp_path, stack_capture([Stack((name,)) for name in names], names))
    assert set(functions(found)) == set(names)
    labels = {label[0] for label in found.data["labels"]}
    assert set(names) <= labels


def test_html_page_has_no_invisible_characters(tmp_path: Path) -> None:
    names = ["a\0b", "\x1b[2J", "\u202e.exe"]
    found = page(tmp_path, stack_capture([Stack((name,)) for name in names], names))
    shown = {"a\\x00b", "\\x1b[2J", "\\u202e.exe"}
    assert set(functions(found)) == shown
    assert shown <= {label[0] for label in found.data["labels"]}
    text = (tmp_path / "x.html").read_text()
    assert not re.search("[\0-\x08\x0b-\x1f\u202e]", text)


def test_html_page_has_the_unit_of_the_weight(tmp_path: Path) -> None:
    found = page(tmp_path, stack_capture(), "--weight", "period")
    assert found.data["unit"] == "events"
    assert functions(found)["hot"] == ("[jit]", 6000, 6000)


def test_html_page_has_the_unit_of_each_event(tmp_path: Path) -> None:
    events = {"event-0": "cpu-clock", "event-1": "page-faults"}
    data = stack_capture()
    for before, after in events.items():
        data = with_event(data, before, after)
    found = page(tmp_path, data, "--weight", "period")
    assert found.data["unit"] == "events"
    assert found.data["units"] == ["ns", "page-faults"]


def with_event(data: bytes, before: str, after: str) -> bytes:
    """Return a capture with an event renamed."""
    (size,) = struct.unpack_from("<Q", data, 24)
    end = 40 + size
    text = data[40:end].replace(before.encode(), after.encode())
    return data[:16] + chunk("SESS", text) + data[end + -size % 8 :]


def test_html_page_without_samples_is_valid(tmp_path: Path) -> None:
    found = page(tmp_path, captured([]))
    assert functions(found) == {} and found.data["boxes"]["parents"] == [-1]
