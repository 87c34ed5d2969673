# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decode a capture, so that all fields become numpy arrays: decode.py FILE."""

from __future__ import annotations

import sys

from pfmparse import open_capture


def main() -> None:
    """Decode the file and discard the samples."""
    with open(sys.argv[1], "rb") as stream:
        recording = open_capture(stream)
        for batch in recording.batches():
            batch.samples.to_array()
        if recording.problems:
            sys.exit(str(recording.problems[0]))


main()
