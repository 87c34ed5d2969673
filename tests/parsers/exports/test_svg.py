# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export as SVG flame graphs."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.exporting import by_symbol, called, exported
from helpers.graphs import SVG, svg_boxes, words
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import Sample, captured, json_chunk, mapped, mapping, maps


def drawn(
    tmp_path: Path, data: bytes, *options: str
) -> tuple[ElementTree.Element, dict[str, tuple[float, float]]]:
    """Draw a capture; return the picture, and each box's x and width by title."""
    source = tmp_path / "x.pfm"
    source.write_bytes(data)
    path = exported(source, "svg", tmp_path / "x.svg", *options)
    root = ElementTree.parse(path).getroot()
    return root, {title: (box.x, box.width) for title, box in svg_boxes(root).items()}


def test_svg_box_width_is_the_share_of_samples(tmp_path: Path) -> None:
    root, boxes = drawn(tmp_path, stack_capture())
    width = boxes["all\n10 samples, 100.00%"][1]
    found = {
        title: round(place[1] / width, 2)
        for title, place in boxes.items()
        if "(" in title
    }
    assert found == {
        "main ([jit])\n6 samples, 60.00%": 0.6,
        "hot ([jit])\n6 samples, 60.00%": 0.6,
        "main ([jit])\n1 sample, 10.00%": 0.1,
        "warm ([jit])\n1 sample, 10.00%": 0.1,
        "schedule ([kernel])\n1 sample, 10.00%": 0.1,
        "main ([jit])\n3 samples, 30.00%": 0.3,
        "warm ([jit])\n3 samples, 30.00%": 0.3,
    }
    text = words(root)
    assert "hotloops --fast on build7" in text
    assert "10 samples of event-0, event-1" in text


def test_svg_has_the_unit_of_the_weight(tmp_path: Path) -> None:
    options = ("--weight", "period")
    root, boxes = drawn(tmp_path, stack_capture(), *options)
    assert "all\n10,000 events, 100.00%" in boxes
    assert "10,000 events in 10 samples of event-0, event-1" in words(root)
    root, boxes = drawn(tmp_path, stack_capture(), *options, "--event", "event-1")
    assert "all\n3,000 event-1, 100.00%" in boxes


def test_svg_fits_its_place_and_the_colour_scheme(tmp_path: Path) -> None:
    root, _ = drawn(tmp_path, stack_capture())
    assert root.attrib["width"] == "100%" and "height" not in root.attrib
    assert root.attrib["viewBox"].startswith("0 0 1200 ")
    text = (tmp_path / "x.svg").read_text()
    assert "@media (prefers-color-scheme: dark)" in text
    assert not re.search(r'<rect[^>]*fill="#fff"', text)


def test_svg_escapes_names(tmp_path: Path) -> None:
    names = ["<b>&\"'", "]]></script>", "\x1bx", "a\u00e9"]
    data = stack_capture([Stack((name,)) for name in names], names)
    _, boxes = drawn(tmp_path, data)
    found = {title.split(" ([jit])")[0] for title in boxes if "[jit]" in title}
    assert found == {names[0], names[1], "\\x1bx", names[3]}
    where = mapped(mapping(0x1000, 0x2000, 0, "/a<b>&c\x07"))
    _, boxes = drawn(tmp_path, captured([Sample(ip=0x1000)], where))
    assert any(title.startswith("/a<b>&c\\x07") for title in boxes)


def test_svg_states_omitted_frames(tmp_path: Path) -> None:
    rare = [Stack((f"f{at}",)) for at in range(5)]
    names = ["hot", *(f"f{at}" for at in range(5))]
    data = stack_capture([Stack(("hot",), 6000), *rare], names)
    root, boxes = drawn(tmp_path, data)
    assert not any(title.startswith("f") for title in boxes)
    note = "5 frames narrower than 0.1% of the graph, with 0.08% of the total"
    assert f"left out: {note}" in words(root)
    argv = ["export", str(tmp_path / "x.pfm"), "--to", "svg", "-o", "x", "--strict"]
    status, _, err = called(*argv)
    assert status == 1 and "frames narrower than 0.1% of the graph" in err


def test_svg_of_many_stacks_stays_small(tmp_path: Path) -> None:
    names = [f"function_{at}" for at in range(250)]
    stacks = [
        Stack((names[n % 250], names[n // 250 % 250], names[n % 7], names[n % 3]))
        for n in range(20000)
    ]
    drawn(tmp_path, stack_capture(stacks, names))
    assert (tmp_path / "x.svg").stat().st_size < 100_000


def test_svg_legend_ends_at_the_margin(tmp_path: Path) -> None:
    paths = [f"/usr/lib/{at}{'x' * 60}.so" for at in range(8)]
    where = [
        mapping(0x1000 * at, 0x1000 * (at + 1), 0, p) for at, p in enumerate(paths)
    ]
    samples = [Sample(ip=0x1000 * at + 8) for at in range(8)]
    data = captured(samples, json_chunk("MAPS", maps(100, where)))
    root, _ = drawn(tmp_path, data)
    shown = [path for path in paths if path.rpartition("/")[2] in words(root)]
    assert 0 < len(shown) < 8


def test_svg_loads_no_resources(tmp_path: Path) -> None:
    root, _ = drawn(tmp_path, stack_capture())
    text = (tmp_path / "x.svg").read_text()
    assert re.findall(r"https?://[^\"' ]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\b(href|src|@import|url)\b\s*[=(]", text)
    assert all(child.tag.startswith(SVG) for child in root.iter())


def test_svg_without_samples_has_one_box(
    tmp_path: Path,
) -> None:
    root, boxes = drawn(tmp_path, captured([]))
    assert list(boxes) == ["all\n0 samples, 100.00%"] and "no event" in words(root)


@pytest.mark.parametrize("name", ["default", "oprofile", "callstack", "histogram"])
def test_svg_functions_agree_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    _, boxes = drawn(tmp_path, captures[name].read_bytes())
    found = {title.split(" (")[0] for title in boxes}
    named = {symbol for symbol in by_symbol(captures[name]) if symbol != "[unknown]"}
    assert named <= found
