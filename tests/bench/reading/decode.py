# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes a capture: decode.py FILE. Every field of every sample becomes native."""

from __future__ import annotations

import sys

from pfmparse import open_capture


def main() -> None:
    """Decodes the file and throws the samples away."""
    with open(sys.argv[1], "rb") as stream:
        recording = open_capture(stream)
        for batch in recording.batches():
            batch.samples.to_array()
        if recording.problems:
            sys.exit(str(recording.problems[0]))


main()
