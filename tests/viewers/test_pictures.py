# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the documentation's pictures can be drawn again."""

from __future__ import annotations

import struct
from pathlib import Path

from helpers.stacks_capture import stack_capture
from pictures import IMAGES, WIDTH, draw


def test_every_picture_of_the_docs_can_be_drawn(tmp_path: Path) -> None:
    capture, into = tmp_path / "x.pfm", tmp_path / "images"
    capture.write_bytes(stack_capture())
    into.mkdir()
    draw(capture, [], into)
    drawn = {path.name: path.read_bytes() for path in into.iterdir()}
    assert set(drawn) == {path.name for path in IMAGES.glob("*.png")}
    assert len(set(drawn.values())) == len(drawn)
    for name, data in drawn.items():
        assert struct.unpack_from(">I", data, 16)[0] == WIDTH, name
