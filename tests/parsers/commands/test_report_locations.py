# SPDX-License-Identifier: MIT OR GPL-2.0
"""Reports by function, address, line, image and data address."""

from __future__ import annotations

import io

from pfmparse.commands import report
from pfmparse.recording import open_capture
from writers import Sample, captured, mapped, mapping


def test_images_need_no_file() -> None:
    where = mapping(0x1000, 0x2000, 0, "/gone", "ab")
    data = captured([Sample(ip=0x1800), Sample(ip=0x1900)], mapped(where))
    recording, warnings = open_capture(io.BytesIO(data)), list[str]()
    options = report.Options("image", None, [])
    made = report.make(recording, options, warnings.append)
    assert [(row.key, row.count) for row in made.rows] == [("/gone", 2)]
    assert warnings == []
