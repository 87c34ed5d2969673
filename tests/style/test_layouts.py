# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that layouts on pages agree with the headers.

A comment before a block names the structure: <!-- layout: pfm_default_smpl_hdr_t -->.
The block lists the offset, size and name of each field. In the headers they are in
PFM_ASSERT_FIELD lines, which the compiler checks. The fields of a nested structure have
names like "hdr_ds.pebs_index". If the first field is called base, its fields have no
prefix. A layout that is in no header has <!-- own layout --> before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pages import ROOT, Block, expect_none, pages

_ASSERT = re.compile(r"^PFM_ASSERT_FIELD\((\w+), (\w+), (\d+), (\d+)\);", re.MULTILINE)
_STRUCT = re.compile(r"^typedef struct \{(.*?)^\} (?:\w+ )?(\w+)", re.M | re.S)
_MEMBER = re.compile(r"(pfm_\w+_t)\s+(\w+);")
_ROW = re.compile(r"^ *(\d+) +(\d+) +([\w.]+\*?)(?: |$)", re.MULTILINE)

# The offset and size of each field.
Layout = dict[str, tuple[int, int]]


@cache
def _headers() -> str:
    paths = sorted((ROOT / "sdk/include/perfmon").glob("*.h"))
    return "\n".join(path.read_text() for path in paths)


@cache
def _nested() -> dict[tuple[str, str], str]:
    """Return the type of each field that is a structure."""
    return {
        (struct, member): type_
        for body, struct in _STRUCT.findall(_headers())
        for type_, member in _MEMBER.findall(body)
    }


def layout(struct: str) -> Layout:
    """Return the fields of a structure, including those of nested structures."""
    fields: Layout = {}
    for name, field, offset, size in _ASSERT.findall(_headers()):
        if name != struct:
            continue
        inner = _nested().get((struct, field))
        if not inner:
            fields[field] = int(offset), int(size)
            continue
        prefix = "" if field == "base" else f"{field}."
        for below, (start, length) in layout(inner).items():
            fields[prefix + below] = int(offset) + start, length
    return fields


def _summed(name: str, fields: Layout) -> tuple[int, int] | None:
    """Return the offset and size of all fields that match a name with an asterisk."""
    some = [fields[field] for field in fields if field.startswith(name[:-1])]
    if not some:
        return None
    return min(some)[0], sum(size for _, size in some)


def problems(block: Block) -> Iterator[str]:
    """Yield the differences between a block and its structure."""
    struct = block.mark.removeprefix("layout: ")
    fields = layout(struct)
    if not fields:
        yield f"{block.where}: no header has a structure {struct}"
        return
    shown: set[str] = set()
    for offset, size, name in _ROW.findall(block.text):
        real = _summed(name, fields) if name.endswith("*") else fields.get(name)
        if real != (int(offset), int(size)):
            yield f"{block.where}: {struct}.{name}: (offset, size) must be {real}"
        prefix = name.rstrip("*")
        whole = name.endswith("*")
        shown |= {f for f in fields if f == name or whole and f.startswith(prefix)}
    for field in fields:
        if field not in shown:
            yield f"{block.where}: {struct}.{field} is missing"


def unmarked(block: Block) -> Iterator[str]:
    """Yield a problem if a block is a layout but does not name its structure."""
    marked = block.mark.startswith("layout: ") or block.mark == "own layout"
    if block.text.startswith("offset size field") and not marked:
        yield f"{block.where}: this layout has neither a structure nor 'own layout'"


def test_layouts_are_those_of_the_headers() -> None:
    blocks = [b for p in pages() for b in p.blocks() if b.mark.startswith("layout: ")]
    assert len(blocks) >= 11
    expect_none(problem for block in blocks for problem in problems(block))


def test_layout_blocks_name_structure() -> None:
    blocks = [block for page in pages() for block in page.blocks()]
    expect_none(problem for block in blocks for problem in unmarked(block))


def test_layout_without_a_structure_is_found() -> None:
    text = "offset size field\n  0 8 x\n"
    assert list(unmarked(Block("p.md:1", "", "", text))) == [
        "p.md:1: this layout has neither a structure nor 'own layout'"
    ]
    assert not list(unmarked(Block("p.md:1", "own layout", "", text)))


def _problems(text: str, struct: str = "pfm_nway_smpl_arg_t") -> list[str]:
    return list(problems(Block("p.md:1", f"layout: {struct}", "", text)))


def test_misplaced_layout_fields_are_found() -> None:
    good = "  0 8 buf_size x\n  8 4 buf_flags\n 12 4 num_regions\n 16 48 reserved 0\n"
    assert not _problems(good)
    assert _problems(good.replace(" 12 4", " 12 8")) == [
        "p.md:1: pfm_nway_smpl_arg_t.num_regions: (offset, size) must be (12, 4)"
    ]
    assert _problems(good.replace("buf_flags", "flags")) == [
        "p.md:1: pfm_nway_smpl_arg_t.flags: (offset, size) must be None",
        "p.md:1: pfm_nway_smpl_arg_t.buf_flags is missing",
    ]


def test_unknown_structure_is_found() -> None:
    assert _problems("", "pfm_x_t") == ["p.md:1: no header has a structure pfm_x_t"]


def test_nested_structures_are_resolved() -> None:
    assert layout("pfm_pebs64_smpl_hdr_t")["hdr_ds.pebs_index"] == (96, 8)
    assert layout("pfm_pebs64_skl_entry_t")["r15"] == (136, 8)
