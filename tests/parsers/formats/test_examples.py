# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode handwritten buffers with the parsers of those example formats that use a sink.
"""

from __future__ import annotations

import importlib.util
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

import numpy as np
import pfmparse as pfm
import pytest
from helpers.sink_buffer import FILLING, SinkRegion, sink

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = sorted((ROOT / "examples").glob("format_*"))

Row = tuple[int, ...]
STACK = (16, 4096, 4097, *(0 for _ in range(29)))


@dataclass(frozen=True)
class Example:
    """A format with known records.

    record: the record's layout, as a format string of Python's module struct. rows: two
    records; if the format is a table, one record at two times. shown: the rows that
    pfmparse shows, if they differ from ``rows``; for a table, the counts and sums in
    the second row are the increases since the first. chain: the second row's call
    chain. argument: the layout of the argument's fields after those of pfm_sink_arg_t.
    values: the names and values of these fields.
    """

    name: str
    record: str
    rows: tuple[Row, Row]
    shown: Optional[tuple[Row, Row]] = None
    is_table: bool = False
    chain: Optional[list[int]] = None
    argument: str = ""
    values: tuple[tuple[str, int], ...] = ()

    def format(self) -> pfm.Format:
        """Return the pfmparse.Format of the example."""
        return load(ROOT / f"examples/format_{self.name}")


EXAMPLES = (
    Example(
        *("cgroups", "<3Q"),
        rows=((4711, 1, 2), (4711, 1, 3)),
        shown=((4711, 1, 2), (4711, 1, 1)),
        is_table=True,
    ),
    Example(
        *("lines", "<QII3Q"),
        rows=((64, 12, 1, 2, 30, 20), (64, 12, 1, 3, 55, 25)),
        shown=((64, 12, 1, 2, 30, 20), (64, 12, 1, 1, 25, 25)),
        is_table=True,
        argument="Q",
        values=(("min", 100),),
    ),
    Example(
        *("mispredicts", "<QQIIQ"),
        rows=((32, 16, 12, 1, 2), (32, 16, 12, 1, 3)),
        shown=((32, 16, 12, 1, 2), (32, 16, 12, 1, 1)),
        is_table=True,
    ),
    Example(
        *("requests", "<QII4Q"),
        rows=((7, 12, 1, 2, 30, 10, 20), (7, 12, 1, 3, 35, 5, 20)),
        shown=((7, 12, 1, 2, 30, 10, 20), (7, 12, 1, 1, 5, 5, 20)),
        is_table=True,
        argument="II",
        values=(("id", 257), ("pmd", 1)),
    ),
    Example(
        *("sharing", "<QIIQ4I"),
        rows=((64, 10, 1, 2, 12, 13, 0, 8), (64, 10, 1, 3, 11, 13, 0, 63)),
        shown=((64, 10, 1, 2, 12, 13, 0, 8), (64, 10, 1, 1, 11, 13, 0, 63)),
        is_table=True,
    ),
    Example(
        *("slowest", "<4Q4I2Q"),
        rows=(
            (9, 16, 64, 500, 13, 12, 1, 2, 4096, 4097),
            (10, 17, 128, 600, 13, 12, 2, 2, 4098, 4099),
        ),
        shown=((9, 16, 64, 500, 13, 12, 1), (10, 17, 128, 600, 13, 12, 2)),
        chain=[4098, 4099],
        argument="Q",
        values=(("keep", 16),),
    ),
    Example(
        *("chains", "<QII33Q"),
        rows=((1, 12, 3, *STACK, 2), (1, 12, 3, *STACK, 3)),
        shown=((1, 12, 2, 16), (1, 12, 1, 16)),
        chain=[4096, 4097],
        is_table=True,
    ),
    Example(
        *("intervals", "<4QII"),
        rows=((9, 16, 500, 3, 12, 11), (10, 17, 600, 4, 13, 11)),
        argument="QQ",
        values=(("min", 100), ("pmd", 1)),
    ),
    Example(
        *("spans", "<4I3Q"),
        rows=((11, 12, 1, 2, 2, 50, 30), (11, 12, 1, 2, 3, 90, 40)),
        shown=((11, 12, 1, 2, 2, 50, 30), (11, 12, 1, 2, 1, 40, 40)),
        is_table=True,
    ),
    Example(
        *("threshold", "<QQII"),
        rows=((16, 500, 12, 1), (17, 600, 13, 2)),
        argument="Q",
        values=(("min", 100),),
    ),
)
PROGRAM = """
#include <stddef.h>
#include <stdio.h>
#include "{header}"
#define FIELD(type, name) printf(#name " %zu %zu\\n", offsetof(type, name), \\
                                 sizeof(((type *)0)->name))
int main(void)
{{
    puts({uuid});
    {calls}
}}
"""


def name_of(example: Union[Example, Path]) -> str:
    """Return the test ID of an example."""
    return example.name


def load(folder: Path) -> pfm.Format:
    """Return the pfmparse.Format of an example's folder."""
    name = f"pfmparse_{folder.name.removeprefix('format_')}"
    path = folder / f"parser/{name}/__init__.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.FORMAT
    assert isinstance(found, pfm.Format)
    return found


def decoder(found: pfm.Format) -> pfm.Decoder:
    """Return a decoder of this format for one context."""
    return found.decoder(pfm.parse_session(pfm.session_template(found.uuid), 0))


def rows_of(decoded: pfm.Decoded) -> list[Union[Row, object]]:
    """Return the rows of a buffer; check that it has no problems."""
    assert decoded.problems == ()
    (region,) = decoded.regions
    return [tuple(row) for row in region.samples.to_array().tolist()]


def buffer(*records: bytes) -> bytes:
    """Return a buffer of these records, with skipped samples."""
    region = SinkRegion(1, records, FILLING)
    return sink([region], skipped=4507, region_size=512, buf_size=65536)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_each_field_of_example_is_found(example: Example) -> None:
    first, then = (struct.pack(example.record, *row) for row in example.rows)
    shown = example.shown or example.rows
    decode = decoder(example.format())
    decoded = decode(buffer(first))
    assert rows_of(decoded) == [shown[0]] and decoded.skipped == 4507
    decoded = decode(buffer(then) if example.is_table else buffer(first, then))
    assert rows_of(decoded) == [shown[1]]
    chains = decoded.regions[0].samples.chains
    if example.chain is None:
        assert chains is None
    else:
        assert chains and chains.to_lists() == [example.chain]


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_argument_of_example_is_described(example: Example) -> None:
    values = dict(example.values)
    data = struct.pack(f"<QII{example.argument}", 65536, 1, 0, *values.values())
    sinks = {"buf_size": 65536, "num_regions": 1, "flags": 0}
    assert example.format().describe_arg(data) == {**sinks, **values}


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_example_has_layout_of_compiler(folder: Path, tmp_path: Path) -> None:
    name = folder.name.removeprefix("format_")
    record, found = f"pfm_{name}_record_t", load(folder)
    calls, expected = [], [found.uuid]
    # The records of format_count are plain integers without fields.
    dtype = found.dtypes.get("record", np.dtype([]))
    for field in dtype.names or ():
        assert dtype.fields
        spec, offset = dtype.fields[field][:2]
        calls.append(f"FIELD({record}, {field});")
        expected.append(f"{field} {offset} {spec.itemsize}")
    text = PROGRAM.format(
        header=f"perfmon_{name}_smpl.h",
        uuid=f"PFM_{name.upper()}_SMPL_UUID_STR",
        calls="\n    ".join(calls),
    )
    (tmp_path / "layout.c").write_text(text)
    command = ["cc", "-Wall", f"-I{ROOT}/sdk/include", f"-I{folder}", "-o", "layout"]
    subprocess.run([*command, "layout.c"], cwd=tmp_path, check=True)
    said = subprocess.check_output([tmp_path / "layout"], text=True)
    assert said.splitlines() == expected
