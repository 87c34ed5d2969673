# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the check of the core's layers."""

from __future__ import annotations

from pathlib import Path

import layers
from layers import Object

ROOT = Path(__file__).resolve().parents[2]

KBUILD = """\
# Build the module.
obj-m += perfmon.o
perfmon-y :=
# doors
perfmon-y += dev.o
# commands
perfmon-y += load.o context.o
# value and owner
perfmon-y += value.o
"""
PAGE = """\
| layer | file | subject |
|---|---|---|
| doors | `dev.c` | the device |
| commands | `load.c` | attaching |
| | `context.c` | creating |
| value and owner | `value.c` | values |
"""
FLOORS = [("doors", ["dev"]), ("commands", ["load", "context"])]
FLOORS += [("value and owner", ["value"])]
FILES = {"dev", "load", "context", "value"}


def objects(**calls: str) -> dict[str, Object]:
    """Return an object for each file: it defines pfm_FILE, and needs those in calls."""
    return {
        file: Object({f"pfm_{file}"}, {f"pfm_{c}" for c in calls.get(file, "").split()})
        for file in sorted(FILES)
    }


def test_layers_are_read_from_kbuild_and_page() -> None:
    assert layers.floors_of_kbuild(KBUILD) == FLOORS
    assert layers.floors_of_page(PAGE) == FLOORS
    assert layers.compare(FLOORS, FLOORS, FILES) == []


def test_layer_may_have_several_lines() -> None:
    text = "# doors\nperfmon-y += dev.o\nperfmon-y += vector.o\n"
    assert layers.floors_of_kbuild(text) == [("doors", ["dev", "vector"])]


def test_file_missing_on_page_is_found() -> None:
    page = [(name, [f for f in names if f != "load"]) for name, names in FLOORS]
    assert layers.compare(FLOORS, page, FILES) == [
        "docs/architecture.md: core/load.c is not in the table"
    ]


def test_page_row_without_file_is_found() -> None:
    assert layers.compare(FLOORS, FLOORS, FILES - {"value"}) == [
        "docs/architecture.md: core/value.c does not exist",
        "core/Kbuild: core/value.c does not exist",
    ]


def test_file_missing_in_kbuild_is_found() -> None:
    kbuild = [(name, [f for f in names if f != "load"]) for name, names in FLOORS]
    assert layers.compare(kbuild, FLOORS, FILES) == [
        "core/Kbuild: core/load.c is in no layer"
    ]


def test_page_with_other_layers_is_found() -> None:
    for page in FLOORS[::-1], [("gates", ["dev"]), *FLOORS[1:]]:
        assert layers.compare(FLOORS, page, FILES) == [
            "docs/architecture.md: the layers differ from those of core/Kbuild"
        ]


def test_header_missing_on_page_is_found() -> None:
    page = "`dev.c`, and `context.h` below all layers"
    headers = {"dev", "context", "types"}
    assert layers.unnamed_headers(page, headers, {"dev"}) == [
        "docs/architecture.md: core/types.h, which has no code file, is not on the page"
    ]


def test_nm_output_is_parsed() -> None:
    found = layers.parse_nm(
        "                 U pfm_pause\n"
        "0000000000000010 T pfm_load\n"
        "0000000000000000 t pfm_is_self\n"
        "0000000000000000 D pfm_config\n"
    )
    assert found == Object({"pfm_load", "pfm_config"}, {"pfm_pause"})


def test_calls_within_and_below_layer_are_allowed() -> None:
    built = objects(dev="load context value", load="context value printk")
    assert layers.check_uses(FLOORS, built, {}) == []


def test_upward_call_is_found() -> None:
    built = objects(dev="load", value="context")
    assert layers.check_uses(FLOORS, built, {}) == [
        "core/value.c (value and owner) calls up into core/context.c (commands): "
        "pfm_context"
    ]


def test_cycle_in_one_layer_is_found() -> None:
    built = objects(load="context", context="load")
    problems = layers.check_uses(FLOORS, built, {})
    assert problems == [
        "cycle: core/context.c calls pfm_load() of core/load.c, "
        "core/load.c calls pfm_context() of core/context.c"
    ]


def test_cycle_across_layers_is_found() -> None:
    built = objects(dev="load", load="value", value="dev")
    upward, circle = layers.check_uses(FLOORS, built, {})
    assert upward.startswith("core/value.c (value and owner) calls up into core/dev.c")
    assert circle.count("calls") == 3


def test_upward_include_is_found() -> None:
    includes = {"value.c": ["value", "load"], "value.h": ["dev"], "dev.c": ["load"]}
    assert layers.check_uses(FLOORS, objects(), includes) == [
        "core/value.c (value and owner) includes load.h of a higher layer (commands)",
        "core/value.h (value and owner) includes dev.h of a higher layer (doors)",
    ]


def test_header_without_code_is_in_lowest_layer() -> None:
    includes = {"types.h": ["value", "load"], "load.c": ["types"]}
    assert layers.check_uses(FLOORS, objects(), includes) == [
        "core/types.h (value and owner) includes load.h of a higher layer (commands)"
    ]


def test_cycle_through_include_is_found() -> None:
    includes = {"load.c": ["context"], "context.h": ["load"]}
    assert layers.check_uses(FLOORS, objects(load="context"), includes) == [
        "cycle: core/context.c includes load.h, "
        "core/load.c calls pfm_context() of core/context.c"
    ]


def test_real_core_is_read() -> None:
    floors = layers.floors_of_kbuild((ROOT / layers.KBUILD).read_text())
    page = layers.floors_of_page((ROOT / layers.PAGE).read_text())
    files = {path.stem for path in (ROOT / "core").glob("*.c")}
    assert len(files) > 20
    assert layers.compare(floors, page, files) == []
    assert "context" in layers.read_includes(ROOT / "core")["load.c"]
