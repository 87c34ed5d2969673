# SPDX-License-Identifier: MIT OR GPL-2.0
"""Draw differential flame graphs with the diff command."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.cli import run, told
from helpers.graphs import DrawnBox, Page, svg_boxes, words
from helpers.stacks_capture import Stack, stack_capture
from pfmparse.exports.flame_sides import COLOURS

Capsys = pytest.CaptureFixture[str]

NAMES = ("hot", "warm", "main", "gone", "young")
OLD = (
    Stack(("hot", "main"), 5),
    Stack(("warm", "main"), 3),
    Stack(("gone", "main"), 2),
)
# The new capture has twice as many samples.
NEW = (
    Stack(("hot", "main"), 12),
    Stack(("warm", "main"), 6),
    Stack(("young", "main"), 2),
)


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    """Write an old and a new capture; return their paths."""
    files = tmp_path / "old.pfm", tmp_path / "new.pfm"
    for file, stacks in zip(files, (OLD, NEW)):
        file.write_bytes(stack_capture(stacks, NAMES))
    return list(map(str, files))


def picture(capsys: Capsys, *argv: str) -> ElementTree.Element:
    """Return the picture that a comparison writes to standard output."""
    status, out, _ = run(capsys, "diff", "--to", "svg", *argv)
    assert status == 0
    return ElementTree.fromstring(out.encode())


def named(root: ElementTree.Element) -> dict[str, tuple[str, DrawnBox]]:
    """Return each function's box, and the numbers in the title of the box."""
    found = {}
    for title, box in svg_boxes(root).items():
        name, _, numbers = title.partition("\n")
        found[name.removesuffix(" ([jit])")] = (numbers, box)
    return found


def page(capsys: Capsys, tmp_path: Path, *argv: str) -> Page:
    """Return the page of a comparison."""
    path = tmp_path / "x.html"
    status, _, err = run(capsys, "diff", "--to", "html", "-o", str(path), *argv)
    assert status == 0, err
    return Page(path)


def test_diff_svg_has_new_widths_and_both_shares(
    sides: list[str], capsys: Capsys
) -> None:
    found = named(picture(capsys, *sides))
    whole = found["all"][1].width
    widths = {name: round(box.width / whole, 2) for name, (_, box) in found.items()}
    assert widths == {
        **{name: 1.0 for name in ("all", "program", "main")},
        **{"hot": 0.6, "warm": 0.3, "young": 0.1},
    }
    assert found["hot"][0] == (
        "old 50.00%, 5 samples\nnew 60.00%, 12 samples\ndifference +10.00 points"
    )


def test_diff_svg_colours_are_differences_of_shares(
    sides: list[str], capsys: Capsys
) -> None:
    colours = {
        name: box.colour for name, (_, box) in named(picture(capsys, *sides)).items()
    }
    # warm has twice the samples, but the same share.
    assert colours["warm"] == colours["main"] == COLOURS[3]
    assert colours["hot"] == colours["young"] == COLOURS[6]


def test_diff_svg_of_longer_run_has_no_difference(
    sides: list[str], capsys: Capsys
) -> None:
    old, _ = sides
    root = picture(capsys, "--old", old, "--new", old, old, old)
    assert {box.colour for box in svg_boxes(root).values()} == {COLOURS[3]}
    assert "old 10 samples; new 30 samples of event-0" in words(root)


def test_diff_svg_counts_and_draws_vanished_frames(
    sides: list[str], capsys: Capsys
) -> None:
    root = picture(capsys, *sides)
    assert "gone" not in named(root)
    note = "1 frame with less than 0.1% of the new side, but 20.00% of the old side"
    assert f"not drawn: {note}: use --widths old" in words(root)
    root = picture(capsys, "--widths", "old", *sides)
    found = named(root)
    assert round(found["gone"][1].width / found["all"][1].width, 2) == 0.2
    assert found["gone"][1].colour == COLOURS[0]
    assert "young" not in found and "widths: old" in words(root)


def test_diff_svg_has_legend_and_normalisation(
    sides: list[str], capsys: Capsys
) -> None:
    root = picture(capsys, *sides)
    text = words(root)
    assert "shares of each side's total, colours: new minus old" in text
    assert "-5 points and less" in text and "+5 points and more" in text
    fills = {rect.attrib.get("fill") for rect in root.iter() if "fill" in rect.attrib}
    assert set(COLOURS) <= fills


def test_diff_graph_of_empty_new_side_shows_the_old_one(
    sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    empty = tmp_path / "empty.pfm"
    empty.write_bytes(stack_capture([], NAMES))
    root = picture(capsys, sides[0], str(empty))
    assert list(named(root)) == ["all"]
    assert "but 100.00% of the old side" in words(root)
    found = named(picture(capsys, "--widths", "old", sides[0], str(empty)))
    assert found["gone"][0].endswith("difference -20.00 points")
    assert page(capsys, tmp_path, str(empty), str(empty)).data["functions"] == []


def test_diff_page_table_has_shares_and_difference(
    sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    rows = [row for row in page(capsys, tmp_path, *sides).tables["functions"] if row]
    assert rows == [
        ["gone", "[jit]", *["20.00 %", "0.00 %", "-20.00"] * 2],
        ["hot", "[jit]", *["50.00 %", "60.00 %", "+10.00"] * 2],
        ["young", "[jit]", *["0.00 %", "10.00 %", "+10.00"] * 2],
        ["main", "[jit]", "0.00 %", "0.00 %", "+0.00", "100.00 %", "100.00 %", "+0.00"],
        ["warm", "[jit]", *["30.00 %", "30.00 %", "+0.00"] * 2],
    ]


def test_diff_page_names_sides_and_normalisation(
    sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    old, new = sides
    found = page(capsys, tmp_path, *sides)
    files = [row[0] for row in found.tables["captures"] if row]
    assert files == [f"{old} (old)", f"{new} (new)"]
    text = (tmp_path / "x.html").read_text()
    assert f"<h1>{old} (old) and {new} (new)</h1>" in text
    assert '<p id="summary">old 10 samples; new 20 samples</p>' in text
    assert "Shares are percentages of each side's total" in text
    assert text.count('<li><span style="background: #') == len(COLOURS)
    assert not re.search(r"@[A-Z_]+@", text)


@pytest.mark.parametrize("widths", ["old", "new"])
def test_diff_page_begins_with_requested_widths(
    widths: str, sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    page(capsys, tmp_path, "--widths", widths, *sides)
    text = (tmp_path / "x.html").read_text()
    assert re.findall(r"<option [^>]*selected>(\w+)", text) == [widths]


def test_diff_graph_has_the_selected_samples_and_weight(
    sides: list[str], capsys: Capsys
) -> None:
    root = picture(capsys, "--symbol", "^hot$", "--weight", "period", *sides)
    assert "hot" in named(root) and "warm" not in named(root)
    assert "old 5,000 event-0; new 12,000 event-0" in words(root)


def test_diff_graph_summary_is_that_of_export(
    sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    path = str(tmp_path / "x.svg")
    found = told(capsys, "diff", *sides, "--to", "svg", "-o", path)
    assert (found["to"], found["file"], found["samples"]) == ("svg", path, 30)
    status, out, err = run(capsys, "diff", *sides, "--to", "svg")
    assert out.startswith("<?xml") and (status, err) == (0, "-: 30 samples\n")


def test_diff_graph_does_not_replace_its_input(
    sides: list[str], capsys: Capsys
) -> None:
    status, _, err = run(capsys, "diff", *sides, "--to", "svg", "-o", sides[0])
    assert status == 1 and "is also an input" in err


@pytest.mark.parametrize(
    "options",
    [("--by", "cpu"), ("--min-delta", "1"), ("--top", "3"), ("--normalise", "time")],
)
def test_diff_graph_refuses_options_of_the_table(
    options: tuple[str, str], sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    path = tmp_path / "x.svg"
    argv = ("diff", *sides, *options, "--to", "svg", "-o", str(path))
    status, out, err = run(capsys, *argv)
    assert (status, out) == (1, "") and not path.exists()
    assert f"pfmparse: {options[0]}" in err
    assert "does not apply to flame graphs: remove" in err


@pytest.mark.parametrize("options", [("-o", "x.svg"), ("--widths", "old")])
def test_diff_table_refuses_options_of_graphs(
    options: tuple[str, str], sides: list[str], capsys: Capsys
) -> None:
    status, out, err = run(capsys, "diff", *sides, *options)
    assert (status, out) == (1, "")
    assert "-o and --widths need --to html or --to svg" in err
