# SPDX-License-Identifier: MIT OR GPL-2.0
"""Name the threads and processes of samples."""

from __future__ import annotations

import numpy as np
from helpers.readers import opened
from helpers.writers import capture, json_chunk, maps, session
from pfmparse import Samples
from pfmparse.analysis.names import Names


def thread(tid: int, tgid: int, comm: str) -> dict[str, object]:
    """Return the JSON of a thread in a THRD chunk."""
    return {"tid": tid, "tgid": tgid, "comm": comm, "ppid": 1, "start_ns": 5}


def test_thread_name_falls_back_to_the_process() -> None:
    data = capture(
        json_chunk("SESS", session()),
        json_chunk("MAPS", {**maps(10, []), "comm": "main"}),
        json_chunk("THRD", {"threads": [thread(11, 10, "worker")]}),
    )
    names = Names(opened(data).recording)
    tids, tgids = [11, 12, 10, 99], [10, 10, 10, 98]
    columns = {"tid": np.array(tids), "tgid": np.array(tgids)}
    found = names.all()
    assert found == []
    ids = names.ids(Samples(4, columns))
    said = [names.all()[at] for at in ids.tolist()]
    assert said == ["worker", "main", "main", "[unknown]"]
    ids = names.ids(Samples(1, {"tgid": np.array([10])}))
    assert [names.all()[at] for at in ids.tolist()] == ["main"]
