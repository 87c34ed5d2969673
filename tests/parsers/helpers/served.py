# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read captures as `pfmparse serve` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional
from urllib.parse import urlencode

import numpy as np
from pfmparse.analysis.inputs import Options
from pfmparse.analysis.selection import Selection
from pfmparse.symbols.location import SymbolOptions
from pfmparse.web.api import Api
from pfmparse.web.cells import Cells
from pfmparse.web.session import Session

from . import writers
from .stacks_capture import stack_capture

S = 10**9


def session_of(
    *files: Path | str, weight: Optional[str] = None, selection: Selection = Selection()
) -> Session:
    """Open captures as a session."""
    options = Options(selection, SymbolOptions())
    return Session([str(file) for file in files], options, weight)


def cells_of(directory: Path, *captures: bytes) -> Cells:
    """Return the cells of captures, by default of stack_capture()."""
    files = []
    for number, data in enumerate(captures or (stack_capture(),)):
        files.append(directory / f"{number}.pfm")
        files[-1].write_bytes(data)
    with session_of(*files) as session:
        return session.cells


def every(cells: Cells) -> Any:
    """Return the numbers of all cells."""
    return np.arange(cells.event.size)


def answered(session: Session, name: str, **parameters: object) -> Any:
    """Return the answer to a request."""
    return Api(session).answer(name, urlencode(parameters, doseq=True))


def timed(*times: int, tid: int = 100) -> bytes:
    """Build a capture of samples at these times, in ns after the time 5 s."""
    samples = [writers.Sample(tstamp=5 * S + time, pid=tid) for time in times]
    return writers.simple_capture(samples)
