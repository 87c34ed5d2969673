# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the page of pfmparse serve in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest
from browser import Browser
from helpers.exporting import reported
from helpers.served import S, timed
from helpers.stacks_capture import Stack, stack_capture
from page_scripts import BOXES, CHOOSE, CONTRAST, FOCUSED
from pfmparse.web.browser import REDIRECT
from served import ready, serving, show

VIEWS = ("flame", "table", "around", "code", "heat")
LONG = "x" * 2000
MARKUP = "<img src=x onerror=\"document.title='no'\">"
THREADS = 1000
ROWS = """
    return Array.from(document.querySelector("#rows").tBodies[0].rows,
        (row) => Array.from(row.cells, (cell) => cell.textContent));
"""
TEXT = "return document.querySelector(arguments[0]).textContent"
# This script presses Control and a key. It returns true if the page leaves the key to
# the browser.
PRESS_CONTROL = """
    return document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        { key: arguments[0], ctrlKey: true, bubbles: true, cancelable: true }));
"""
# This script returns by how many pixels the page is wider than the window.
EXCESS = "return document.documentElement.scrollWidth - window.innerWidth"


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


@pytest.fixture
def url(stacks: Path) -> Iterator[str]:
    """Serve the capture of call stacks."""
    with serving(str(stacks)) as found:
        yield found


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a capture with long names, markup in names, and many threads."""
    stacks = [Stack((LONG, MARKUP), tid=200 + at) for at in range(THREADS)]
    path = tmp_path_factory.mktemp("odd") / "odd.pfm"
    path.write_bytes(stack_capture(stacks, (LONG, MARKUP)))
    with serving(str(path)) as found:
        yield found


def boxes(browser: Browser, id: str = "flames") -> dict[str, float]:
    """Return the widths of the drawn boxes by label."""
    found = browser.run(BOXES.replace("flames", id).replace("data-box", "data-at"))
    return {said: round(width, 2) for said, width in found}


def functions(browser: Browser) -> dict[str, int]:
    """Return the functions in the table that have samples of their own."""
    rows = browser.run(ROWS)
    return {row[0]: int(row[2]) for row in rows if row[2] != "0"}


def choose(browser: Browser, id: str, text: str) -> None:
    """Choose an option of a menu."""
    browser.run(CHOOSE, id, text)
    ready(browser)


def test_flame_graph_shows_the_largest_event(browser: Browser, url: str) -> None:
    browser.complaints()
    show(browser, url)
    assert boxes(browser) == {
        "all: 7 samples, 100.00 %": 1.0,
        "main ([jit]): 7 samples, 100.00 %": 1.0,
        "hot ([jit]): 6 samples, 85.71 %": 0.86,
        "warm ([jit]): 1 sample, 14.29 %": 0.14,
        "schedule ([kernel]): 1 sample, 14.29 %": 0.14,
    }
    choose(browser, "event", "all (2)")
    assert boxes(browser)["hot ([jit]): 6 samples, 60.00 %"] == 0.6
    assert browser.complaints() == []
    sources = browser.run(
        "return performance.getEntriesByType('resource').map((one) => one.name)"
    )
    assert sources and all(source.startswith(url) for source in sources)


def test_flame_graph_is_used_by_keyboard(browser: Browser, url: str) -> None:
    show(browser, url, "#view=flame")
    whole = boxes(browser)
    browser.run("document.querySelector('#flames [tabindex=\"0\"]').focus()")
    focused = "#flames :focus"
    browser.press(focused, "Up", "Up", "Right")
    assert browser.run(FOCUSED) == "warm ([jit]): 4 samples, 40.00 %"
    assert browser.run(TEXT, "#flame-details") == browser.run(FOCUSED)
    outline = f"return getComputedStyle(document.querySelector('{focused}')).boxShadow"
    assert browser.run(outline) != "none"
    browser.press(focused, "Enter")
    ready(browser)
    assert boxes(browser) == {
        "all: 4 samples, 100.00 %": 1.0,
        "main ([jit]): 4 samples, 100.00 %": 1.0,
        "warm ([jit]): 4 samples, 100.00 %": 1.0,
        "schedule ([kernel]): 1 sample, 25.00 %": 0.25,
    }
    assert browser.run(FOCUSED) == "warm ([jit]): 4 samples, 100.00 %"
    browser.press(focused, "Escape")
    ready(browser)
    assert boxes(browser) == whole


def test_search_marks_and_sums_up(browser: Browser, url: str) -> None:
    show(browser, url, "#view=flame")
    browser.press("body", "/")
    browser.press("#find", "WARM|sched")
    ready(browser)
    assert browser.run(TEXT, "#found") == "Found in 4 samples, 40.00 %"
    hits = "return Array.from(document.querySelectorAll('.hit'), (e) => e.textContent)"
    assert sorted(browser.run(hits)) == ["schedule", "warm"]
    browser.press("#find", "(")
    ready(browser)
    assert browser.run(hits) == ["warm"]


def test_views_share_the_selection(browser: Browser, url: str, stacks: Path) -> None:
    show(browser, url, "#view=flame")
    choose(browser, "tid", "worker 101, process 100")
    assert max(boxes(browser)) == "warm ([jit]): 1 sample, 100.00 %"
    browser.click("#tab-table")
    ready(browser)
    expected = {row["key"]: row["count"] for row in reported(stacks, "--tid", "101")}
    assert functions(browser) == expected
    caption = browser.run(TEXT, "#rows caption")
    assert caption == "1 sample, as with pfmparse report --tid 101"
    browser.run("location.reload()")
    ready(browser)
    assert functions(browser) == expected
    browser.click("#clear")
    ready(browser)
    assert sum(functions(browser).values()) == 10


def test_time_is_selected_by_keyboard(browser: Browser, url: str, stacks: Path) -> None:
    show(browser, url, "#view=table&from=100&to=401")
    options = ("--time", "1000ns-4010ns")
    expected = {row["key"]: row["count"] for row in reported(stacks, *options)}
    assert functions(browser) == expected and sum(expected.values()) == 4
    browser.press("#to", "Left")
    ready(browser)
    assert sum(functions(browser).values()) == 3
    assert browser.run(TEXT, "#range-text") == "1 us to 4 us"


def test_table_sorts_and_opens_functions(browser: Browser, url: str) -> None:
    show(browser, url, "#view=table")
    assert [row[0] for row in browser.run(ROWS)] == ["hot", "warm", "schedule", "main"]
    browser.click("th[data-by=total] button")
    ready(browser)
    assert browser.run(ROWS)[0][0] == "main"
    browser.click("th[data-by=name] button")
    ready(browser)
    names = [row[0] for row in browser.run(ROWS)]
    assert names == sorted(names)
    sorted_by = "return document.querySelector('[aria-sort]').dataset.by"
    assert browser.run(sorted_by) == "name"
    browser.run("document.querySelectorAll('#rows td button')[3].click()")
    ready(browser)
    assert browser.run(TEXT, "#around-title") == "warm"


def test_table_by_thread_selects_the_thread(browser: Browser, url: str) -> None:
    show(browser, url, "#view=table")
    choose(browser, "by", "thread")
    browser.run("document.querySelectorAll('#rows td button')[1].click()")
    ready(browser)
    assert browser.run("return document.getElementById('tid').value") == "101"


def test_callers_and_callees_of_a_box(browser: Browser, url: str) -> None:
    show(browser, url, "#view=flame")
    browser.run("document.querySelector('#flames [tabindex=\"0\"]').focus()")
    browser.press("#flames :focus", "Up", "Up", "Right", "s")
    ready(browser)
    share = "4 samples with callees, 40.00 % of the selection"
    assert browser.run(TEXT, "#around-share") == share
    assert boxes(browser, "callers") == {
        "warm ([jit]): 4 samples, 100.00 %": 1.0,
        "main ([jit]): 4 samples, 100.00 %": 1.0,
    }
    assert boxes(browser, "callees") == {
        "warm ([jit]): 4 samples, 100.00 %": 1.0,
        "schedule ([kernel]): 1 sample, 25.00 %": 0.25,
    }
    browser.run("document.querySelector('#callers [aria-label^=main]').click()")
    ready(browser)
    assert browser.run(TEXT, "#around-title") == "main"


def test_code_shows_source_and_instructions(
    browser: Browser, captures: dict[str, Path]
) -> None:
    browser.complaints()
    with serving(str(captures["default"])) as url:
        show(browser, url, "#view=code")
        assert browser.run(TEXT, "#code-title").startswith("hot (")
        assert "sink++;" in browser.run(TEXT, "#source .hot")
        assert "100.00 %" in browser.run(TEXT, "#assembly .hot")
        assert browser.complaints() == []


def test_heat_map_has_a_row_for_each_thread(browser: Browser, url: str) -> None:
    show(browser, url, "#view=heat")
    names = """
        return Array.from(document.querySelectorAll("#heat-rows th"),
            (head) => head.textContent);
    """
    assert browser.run(names) == ["program 100, process 100", "worker 101, process 100"]
    coloured = """
        const strip = document.querySelector("#heat-rows canvas");
        const { data } = strip.getContext("2d").getImageData(0, 0, strip.width, 1);
        return data.filter((value, at) => at % 4 === 3 && value > 0).length;
    """
    assert 9 <= browser.run(coloured) <= 27
    said = "return document.querySelector('#heat-rows canvas').title"
    assert browser.run(said) == "9 samples, most at 0 ns"


def test_heat_map_folds_time_by_second(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    # In each of the four seconds, most samples are in the same part.
    times = [S * second + S * part // 10 for second in range(4) for part in (0, 3, 3)]
    path.write_bytes(timed(*times, 4 * S - 1))
    rows = """
        return Array.from(document.querySelectorAll("#heat-rows tr"), (row) =>
            [row.cells[0].textContent, row.cells[2].firstChild.title]);
    """
    with serving(str(path)) as url:
        show(browser, url, "#view=heat&from=0&to=500")
        choose(browser, "heat-by", "part of a second")
        found = [row for row in browser.run(rows) if not row[1].startswith("0 ")]
    assert found == [
        ["0 ns into each second", "3 samples, most at 0 ns"],
        ["300 ms into each second", "6 samples, most at 0 ns"],
    ]


def test_heat_map_without_times_names_no_time(
    browser: Browser, captures: dict[str, Path]
) -> None:
    with serving(str(captures["histogram"])) as url:
        show(browser, url, "#view=heat")
        label = "return document.querySelector('#heat-rows canvas').title"
        assert browser.run(label).endswith(" samples")


def test_focus_follows_the_view(browser: Browser, url: str) -> None:
    focused = "return document.activeElement"
    show(browser, url, "#view=flame")
    browser.run("document.querySelector('#flames [tabindex=\"0\"]').focus()")
    browser.press("#flames :focus", "Up", "s")
    ready(browser)
    assert browser.run(f"{focused}.id") == "tab-around"
    show(browser, url, "#view=table")
    browser.press("th[data-by=name] button", "Enter")
    ready(browser)
    assert browser.run(f"{focused}.parentElement.dataset.by") == "name"


def test_saved_page_needs_no_server(
    browser: Browser, stacks: Path, tmp_path: Path
) -> None:
    saved = """
        URL.createObjectURL = (blob) => { window.saved = blob.text(); return "#"; };
        document.getElementById("save").click();
    """
    with serving(str(stacks)) as url:
        show(browser, url, "#view=flame&tid=101")
        browser.run(saved)
        browser.wait("return window.saved")
        page = browser.run("return window.saved")
    path = tmp_path / "saved.html"
    path.write_text(page)
    browser.complaints()
    browser.open(path)
    names = "return Array.from(document.querySelectorAll('#functions tbody tr'), "
    names += "(row) => row.cells[0].textContent + row.cells[2].textContent)"
    assert browser.run(names) == ["schedule1", "main0", "warm0"]
    assert browser.complaints() == []


@pytest.mark.parametrize("view, by", [("table", "by"), ("heat", "heat-by")])
def test_focus_stays_on_the_row_of_a_click(
    view: str, by: str, browser: Browser, url: str
) -> None:
    show(browser, url, f"#view={view}")
    choose(browser, by, "thread")
    rows = "rows" if view == "table" else "heat-rows"
    button = f"document.querySelectorAll('#{rows} tbody button')[1]"
    name = browser.run(f"{button}.focus(); return {button}.textContent")
    browser.run(f"{button}.click()")
    ready(browser)
    assert browser.run("return document.getElementById('tid').value") == "101"
    assert browser.run("return document.activeElement.textContent") == name


@pytest.mark.parametrize("view", VIEWS)
def test_screen_readers_read_names_once(view: str, browser: Browser, url: str) -> None:
    show(browser, url, f"#view={view}")
    browser.run("document.querySelector('#flames [tabindex=\"0\"]')?.focus()")
    live = "return document.querySelector('.details[role], .details[aria-live]')"
    assert browser.run(live) is None
    for node in browser.accessible():
        assert node["description"] == "" or node["description"] != node["name"], node


def test_keys_with_modifiers_are_the_browsers(browser: Browser, url: str) -> None:
    show(browser, url, "#view=flame")
    browser.run("document.querySelector('#flames [tabindex=\"0\"]').focus()")
    browser.press("#flames :focus", "Up")
    focused = browser.run(FOCUSED)
    for key in ("s", "c", "/", "ArrowUp", "Enter"):
        assert browser.run(PRESS_CONTROL, key), key
    assert browser.run(FOCUSED) == focused
    assert browser.run("return location.hash").startswith("#view=flame")


def test_tabs_are_used_by_keyboard(browser: Browser, url: str) -> None:
    show(browser, url, "#view=flame")
    browser.run("document.getElementById('tab-flame').focus()")
    browser.press("#tabs :focus", "Left")
    ready(browser)
    assert browser.run("return document.activeElement.id") == "tab-heat"
    shown = "return Array.from(document.querySelectorAll('main > section[role]'))"
    shown += ".filter((view) => !view.hidden).map((view) => view.id)"
    assert browser.run(shown) == ["heat"]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [360, 1000, 2560])
def test_page_fits_the_width(width: int, view: str, browser: Browser, odd: str) -> None:
    browser.fit(width)
    show(browser, odd, f"#view={view}")
    assert browser.run(EXCESS) <= 0


@pytest.mark.parametrize("view", ["around", "code"])
def test_long_name_leaves_room_for_the_view(
    view: str, browser: Browser, odd: str
) -> None:
    height = f"return document.querySelector('#{view}-title').clientHeight"
    browser.fit(360)
    try:
        show(browser, odd, f"#view={view}")
        assert browser.run(TEXT, f"#{view}-title").startswith(LONG)
        assert 50 < browser.run(height) < 200
    finally:
        browser.fit(1000)


def test_narrow_table_shows_the_numbers(browser: Browser, odd: str) -> None:
    ends = """
        return Array.from(document.querySelectorAll("#rows .number"),
            (cell) => cell.getBoundingClientRect().right);
    """
    browser.fit(360)
    try:
        show(browser, odd, "#view=table")
        found = browser.run(ends)
        assert len(found) == 4 * 3 and max(found) <= 360
    finally:
        browser.fit(1000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_text_has_enough_contrast(
    view: str, scheme: str, browser: Browser, url: str, tmp_path: Path
) -> None:
    browser.prefer(scheme)
    try:
        show(browser, url, f"#view={view}")
        everything = "h1, p, label, select, button, td, th, caption, .flames div"
        assert browser.run(CONTRAST, everything) >= 4.5
    finally:
        browser.prefer("light")


def test_long_names_are_shown_on_focus(browser: Browser, odd: str) -> None:
    browser.fit(1000)
    show(browser, odd, "#view=table")
    height = "return document.querySelector('#rows td button').clientHeight"
    short = browser.run(height)
    browser.run("document.querySelector('#rows td button').focus()")
    assert browser.run(height) > 5 * short
    show(browser, odd, "#view=flame")
    browser.run("document.querySelector('#flames [aria-level=\"3\"]').focus()")
    assert browser.run(TEXT, "#flame-details").startswith(LONG)


def test_names_are_no_markup(browser: Browser, odd: str) -> None:
    for view in VIEWS:
        show(browser, odd, f"#view={view}")
        assert browser.run("return document.images.length") == 0
    assert browser.run("return document.title") == "hotloops --fast on build7"


def test_hidden_characters_in_names_are_escaped(
    browser: Browser, tmp_path: Path
) -> None:
    name, shown = "a\u202eb\x1bc\U000e0041", r"a\u{202e}b\u{1b}c\u{e0041}"
    path = tmp_path / "hidden.pfm"
    path.write_bytes(stack_capture([Stack((name, "main"))], (name, "main")))
    with serving(str(path)) as url:
        for view in ("flame", "table", "around", "code"):
            show(browser, url, f"#view={view}")
            shows = browser.run("return document.body.outerHTML")
            assert shown in shows, view
            assert not set(shows) & set("\u202e\x1b\U000e0041"), view


def test_many_threads_can_be_chosen(browser: Browser, odd: str) -> None:
    show(browser, odd, "#view=table")
    options: Any = browser.run("return document.getElementById('tid').length")
    assert options == THREADS + 1
    browser.run(CHOOSE, "tid", "program 1199, process 100")
    ready(browser)
    assert sum(functions(browser).values()) == 1


def test_ended_server_is_reported(browser: Browser, stacks: Path) -> None:
    with serving(str(stacks)) as url:
        show(browser, url)
    browser.click("#tab-table")
    ready(browser)
    assert browser.run(TEXT, "#error").startswith("pfmparse has ended: start it again")


def test_private_file_leads_to_the_page(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    page = tmp_path / "open.html"
    page.write_text(REDIRECT.format(url=url))
    browser.open(page)
    ready(browser)
    assert browser.run("return location.href").startswith(url)
