# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test pages and pictures in a real browser."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest
from browser import Browser
from helpers.exporting import NAMES, called, exported, reported
from helpers.graphs import Page
from helpers.stacks_capture import Stack, stack_capture
from page_scripts import BOXES, CHOOSE, CONTRAST, FOCUSED
from pfmparse.exports.flame_sides import COLOURS

ROWS = """
    return Array.from(document.querySelector("#functions").tBodies[0].rows,
        (row) => Array.from(row.cells, (cell) => cell.textContent));
"""
# At first, a page shows only the capture's first event. This script selects all events
# if there are several.
EVERY_EVENT = """
    const select = document.getElementById("event");
    if (select.options[0].value !== "-1") return;
    select.value = "-1";
    select.dispatchEvent(new Event("change"));
"""
# This script returns the background colours of the drawn boxes as #rrggbb.
COLOURED = """
    const hex = (text) => "#" + text.match(/\\d+/g).slice(0, 3)
        .map((n) => (+n).toString(16).padStart(2, "0")).join("");
    return Object.fromEntries(Array.from(document.querySelectorAll("#flames div"),
        (box) => [box.textContent, hex(getComputedStyle(box).backgroundColor)]));
"""
# This script returns the name of each box of a picture, its width relative to the
# lowest box, and whether the search has found it.
DRAWN = """
    const all = Array.from(document.querySelectorAll("#boxes > g"));
    const width = (g) => +g.querySelector("rect").getAttribute("width");
    return all.filter((g) => g.style.display !== "none").map((g) =>
        [g.dataset.n, width(g) / width(all[0]), g.classList.contains("hit")]);
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yield a browser."""
    with Browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    """Return a capture of call stacks."""
    path = tmp_path / "stacks.pfm"
    path.write_bytes(stack_capture())
    return path


def opened(browser: Browser, file: Path, to: str, directory: Path) -> Path:
    """Export a capture, open the result, and return its path."""
    path = exported(file, to, directory / f"x.{to}")
    browser.complaints()
    browser.open(path)
    if to == "html":
        browser.run(EVERY_EVENT)
    return path


def functions(browser: Browser) -> dict[str, int]:
    """Return the functions in the page's table that have samples of their own."""
    rows = browser.run(ROWS)
    counts = {row[0]: int(row[2].replace(",", "")) for row in rows}
    return {name: count for name, count in counts.items() if count}


def boxes(browser: Browser) -> dict[str, float]:
    """Return, for each label, the width of the box that was drawn last with it."""
    return {said: round(width, 2) for said, width in browser.run(BOXES)}


def counted(file: Path, *options: str) -> dict[str, int]:
    """Return the functions of a report."""
    return {row["key"]: row["count"] for row in reported(file, *options)}


@pytest.mark.parametrize("name", NAMES)
def test_html_page_agrees_with_report(
    name: str, browser: Browser, captures: dict[str, Path], tmp_path: Path
) -> None:
    opened(browser, captures[name], "html", tmp_path)
    assert functions(browser) == counted(captures[name])
    events = ("cycles",) if name == "pebs32" else ("cycles", "loads")
    for event in events:
        browser.run(CHOOSE, "event", event)
        assert functions(browser) == counted(captures[name], "--event", event)
    assert browser.complaints() == []
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


def test_page_begins_with_the_first_event(
    browser: Browser, captures: dict[str, Path], tmp_path: Path
) -> None:
    path = exported(captures["default"], "html", tmp_path / "x.html")
    browser.open(path)
    assert functions(browser) == counted(captures["default"], "--event", "cycles")


def test_long_name_leaves_room_for_the_object(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "long.pfm"
    path.write_bytes(stack_capture([Stack(("x" * 2000,))], ["x" * 2000]))
    opened(browser, path, "html", tmp_path)
    cells = "document.querySelectorAll('#functions td:nth-child(2)')"
    widths = f"Array.from({cells}, (cell) => cell.getBoundingClientRect().width)"
    assert browser.run(f"return Math.min(...{widths})") >= 80


def test_picture_fits_the_window_and_the_scheme(
    browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    opened(browser, stacks, "svg", tmp_path)
    lowest = "document.querySelector('#boxes rect').getBoundingClientRect().width"
    assert browser.run(f"return {lowest} / window.innerWidth") > 0.9
    ground = "return getComputedStyle(document.getElementById('ground')).fill"
    light = browser.run(ground)
    browser.prefer("dark")
    try:
        assert browser.run(ground) != light
    finally:
        browser.prefer("light")


def test_thread_can_be_chosen(
    browser: Browser, captures: dict[str, Path], tmp_path: Path
) -> None:
    opened(browser, captures["default"], "html", tmp_path)
    browser.run(CHOOSE, "thread", "worker 101, process 100")
    assert functions(browser) == counted(captures["default"], "--tid", "101")
    browser.run(CHOOSE, "event", "loads")
    options = ("--tid", "101", "--event", "loads")
    assert functions(browser) == counted(captures["default"], *options)


def test_flame_boxes_can_be_used_by_keyboard(
    browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    opened(browser, stacks, "html", tmp_path)
    whole = boxes(browser)
    assert whole["hot ([jit]): 6 samples, 60.00 %"] == 0.6
    browser.run("document.querySelector('#flames [tabindex=\"0\"]').focus()")
    assert browser.run(FOCUSED) == "all: 10 samples, 100.00 %"
    focused = "#flames :focus"
    browser.press(focused, "Up")
    browser.press(focused, "Right")
    assert browser.run(FOCUSED) == "event-1: 3 samples, 30.00 %"
    browser.press(focused, "Up", "Up")
    browser.press(focused, "Enter")
    assert browser.run(FOCUSED).startswith("main ([jit]): 3 samples")
    found = boxes(browser)
    assert found["warm ([jit]): 3 samples, 30.00 %"] == 1.0
    assert not any(said.startswith("hot") for said in found)
    browser.press(focused, "Down")
    assert browser.run(FOCUSED).startswith("program: 3 samples")
    browser.press("body", "Escape")
    assert boxes(browser) == whole


def test_icicles_hang_down(browser: Browser, stacks: Path, tmp_path: Path) -> None:
    opened(browser, stacks, "html", tmp_path)
    order = """
        const top = (name) => Array.from(document.querySelectorAll("#flames div"))
            .find((box) => box.textContent === name).getBoundingClientRect().top;
        return top("hot") < top("main");
    """
    assert browser.run(order) is True
    browser.click("#icicle")
    assert browser.run(order) is False


def test_search_marks_and_sums_up(
    browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    opened(browser, stacks, "html", tmp_path)
    browser.press("body", "/")
    browser.press("#search", "warm|sched")
    said = "return document.getElementById('found').textContent"
    assert browser.run(said) == "Found in 4 samples, 40.00 %"
    marked = (
        "return Array.from(document.querySelectorAll('.hit'), (e) => e.textContent)"
    )
    assert len(browser.run(marked)) == 5
    browser.press("#search", "(")
    assert browser.run(said) == "Invalid regular expression."
    browser.press("body", "Escape")
    assert browser.run(said) == "" and browser.run(marked) == []


def test_table_sorts_by_clicked_column(
    browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    opened(browser, stacks, "html", tmp_path)
    names = [row[0] for row in browser.run(ROWS)]
    assert names == ["hot", "warm", "schedule", "main"]
    browser.click("th[data-by=total] button")
    assert [row[0] for row in browser.run(ROWS)][0] == "main"
    browser.click("th[data-by=total] button")
    assert [row[0] for row in browser.run(ROWS)][0] == "schedule"
    browser.click("th[data-by=name] button")
    assert [row[0] for row in browser.run(ROWS)] == sorted(names)
    sorted_by = "return document.querySelector('[aria-sort]').dataset.by"
    assert browser.run(sorted_by) == "name"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_scheme_has_enough_contrast(
    scheme: str, browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    opened(browser, stacks, "html", tmp_path)
    browser.prefer(scheme)
    try:
        ground = browser.run("return getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
        everything = "h1, h2, p, td, th button, label, select, #reset, #flames div"
        assert browser.run(CONTRAST, everything) >= 4.5
    finally:
        browser.prefer("light")


def test_names_are_no_markup(browser: Browser, tmp_path: Path) -> None:
    names = ["</script><script>document.title='no'</script>", "<b>&amp;", "]]>"]
    path = tmp_path / "names.pfm"
    path.write_bytes(stack_capture([Stack((name,)) for name in names], names))
    opened(browser, path, "html", tmp_path)
    assert set(functions(browser)) == set(names)
    assert browser.run("return document.title") == "hotloops --fast on build7"
    opened(browser, path, "svg", tmp_path)
    assert {name for name, _, _ in browser.run(DRAWN)} >= set(names)
    assert browser.complaints() == []


@pytest.mark.parametrize("name", NAMES)
def test_svg_is_valid_and_agrees_with_report(
    name: str, browser: Browser, captures: dict[str, Path], tmp_path: Path
) -> None:
    path = opened(browser, captures[name], "svg", tmp_path)
    subprocess.run(["xmllint", "--noout", "--nonet", path], check=True)
    drawn = {box[0] for box in browser.run(DRAWN)}
    assert set(counted(captures[name])) <= drawn
    assert browser.complaints() == []


def test_picture_is_zoomed_and_searched(
    browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    opened(browser, stacks, "svg", tmp_path)

    def drawn() -> dict[str, Any]:
        return {box[0]: (round(box[1], 2), box[2]) for box in browser.run(DRAWN)}

    whole = drawn()
    assert whole["hot"] == (0.6, False) and whole["schedule"] == (0.1, False)
    browser.click('#boxes > g[data-n="worker"]')
    found = drawn()
    assert found["schedule"] == found["worker"] == found["all"] == (1.0, False)
    assert "hot" not in found
    browser.press('#boxes > g[data-n="worker"]', "Escape")
    assert drawn() == whole
    browser.click("#search")
    browser.answer("^(hot|schedule)$")
    assert {name for name, (_, hit) in drawn().items() if hit} == {"hot", "schedule"}
    said = browser.run("return document.getElementById('found').textContent")
    assert said == "^(hot|schedule)$: 2 frames, 70.0 %"


def compared(browser: Browser, to: str, directory: Path) -> Path:
    """Compare two captures, open the result, and return its path."""
    names = ("hot", "warm", "main", "gone", "leaf")
    old = [Stack(("hot", "main"), 5), Stack(("warm", "main"), 3)]
    old += [Stack(("leaf", "gone", "main"), 2)]
    new = [Stack(("hot", "main"), 14), Stack(("warm", "main"), 6)]
    files = directory / "old.pfm", directory / "new.pfm"
    for file, stacks in zip(files, (old, new)):
        file.write_bytes(stack_capture(stacks, names))
    path = directory / f"x.{to}"
    argv = ("diff", *map(str, files), "--to", to, "-o", str(path))
    status, _, err = called(*argv)
    assert status == 0, err
    browser.complaints()
    browser.open(path)
    return path


HOT = "hot ([jit]): old 5 samples, 50.00 %; new 14 samples, 70.00 %; "
GONE = "gone ([jit]): old 2 samples, 20.00 %; new 0 samples, 0.00 %; "


def test_compared_page_shows_vanished_boxes_in_old_widths(
    browser: Browser, tmp_path: Path
) -> None:
    compared(browser, "html", tmp_path)
    found = boxes(browser)
    assert found[f"{HOT}difference +20.00 points"] == 0.7
    assert not any(said.startswith("gone") for said in found)
    note = "return document.getElementById('too-narrow').textContent"
    assert browser.run(note) == (
        "Not drawn: 2 frames with less than 0.1% of the new side, but 20.00 % of the "
        'old side. To see them, choose widths "old".'
    )
    browser.run(CHOOSE, "widths", "old")
    found = boxes(browser)
    assert found[f"{HOT}difference +20.00 points"] == 0.5
    assert found[f"{GONE}difference -20.00 points"] == 0.2
    assert browser.run(note) == "" and browser.complaints() == []


def test_compared_page_colours_differences(browser: Browser, tmp_path: Path) -> None:
    compared(browser, "html", tmp_path)
    browser.run(CHOOSE, "widths", "old")
    found = browser.run(COLOURED)
    assert (found["gone"], found["hot"]) == (COLOURS[0], COLOURS[6])
    assert found["warm"] == found["main"] == COLOURS[3]


def test_compared_page_zooms_and_searches(browser: Browser, tmp_path: Path) -> None:
    compared(browser, "html", tmp_path)
    browser.run(CHOOSE, "widths", "old")
    browser.press("#search", "gone|warm")
    said = "return document.getElementById('found').textContent"
    assert browser.run(said) == (
        "Found in old 5 samples, 50.00 %; new 6 samples, 30.00 %; "
        "difference -20.00 points"
    )
    # A zoomed box that has no width on the other side cannot stay zoomed.
    name = "return document.querySelector('#flames div:last-child').textContent"
    browser.run("document.querySelector('#flames [aria-label^=gone]').click()")
    assert browser.run(name) == "leaf"
    browser.run(CHOOSE, "widths", "new")
    assert browser.run(name) == "warm"


def test_compared_page_has_the_table_of_its_html(
    browser: Browser, tmp_path: Path
) -> None:
    path = compared(browser, "html", tmp_path)
    rows = browser.run(ROWS)
    written = [row for row in Page(path).tables["functions"] if row]
    assert sorted(rows) == sorted(written)
    assert [row[0] for row in rows] == ["hot", "leaf", "gone", "main", "warm"]
    browser.click("th[data-by=self-new] button")
    assert [row[0] for row in browser.run(ROWS)][0] == "hot"
    browser.click("th[data-by=total] button")
    assert [row[0] for row in browser.run(ROWS)][:3] == ["gone", "hot", "leaf"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_compared_page_has_enough_contrast(
    scheme: str, browser: Browser, tmp_path: Path
) -> None:
    compared(browser, "html", tmp_path)
    browser.run(CHOOSE, "widths", "old")
    browser.prefer(scheme)
    try:
        everything = "p, td, th button, label, select, #legend li, #flames div"
        assert browser.run(CONTRAST, everything) >= 4.5
    finally:
        browser.prefer("light")


def test_compared_picture_is_valid_and_zooms(browser: Browser, tmp_path: Path) -> None:
    path = compared(browser, "svg", tmp_path)
    subprocess.run(["xmllint", "--noout", "--nonet", path], check=True)
    browser.click('#boxes > g[data-n="warm"]')
    drawn = {box[0]: round(box[1], 2) for box in browser.run(DRAWN)}
    assert drawn["warm"] == 1.0 and "hot" not in drawn
    assert browser.complaints() == []
