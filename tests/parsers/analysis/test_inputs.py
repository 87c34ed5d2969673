# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the input captures of a view."""

from __future__ import annotations

import io

from helpers.readers import opened
from helpers.writers import Sample, capture, captured, json_chunk, session
from pfmparse.analysis.inputs import Input, Options
from pfmparse.analysis.selection import Selection
from pfmparse.recording import open_capture
from pfmparse.symbols.location import SymbolOptions


def test_host_comes_from_the_capture() -> None:
    described = session()
    described["machine"].pop("host", None)
    assert opened(capture(json_chunk("SESS", described))).host == "[unknown]"
    described["machine"]["host"] = "box"
    assert opened(capture(json_chunk("SESS", described))).host == "box"


def test_input_counts_selected_and_all_samples() -> None:
    data = captured([Sample(cpu=cpu) for cpu in (1, 2, 1)])
    source = opened(data, selection=Selection(cpus=[1]))
    assert source.selected == 0
    assert [batch.samples.count for batch in source.batches()] == [2]
    assert (source.selected, source.recording.samples) == (2, 3)


class Watched:
    """A progress watcher that records how it is called."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def add(self, samples: int) -> None:
        """Record the number of samples."""
        self.told.append(samples)

    def remove(self) -> None:
        """Record that the progress has ended."""
        self.told.append("end")


def test_progress_watcher_counts_unselected_samples() -> None:
    data = captured([Sample(cpu=cpu) for cpu in (1, 2, 1)])
    watched, options = Watched(), Options(Selection(cpus=[1]), SymbolOptions())
    recording = open_capture(io.BytesIO(data))
    source = Input("x", recording, options, print, watcher=watched)
    assert len(list(source.batches())) == 1
    assert watched.told == [3, "end"]
