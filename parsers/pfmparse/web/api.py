# SPDX-License-Identifier: MIT OR GPL-2.0
"""The answers to the page's requests, as objects for JSON."""

from __future__ import annotations

from threading import Lock
from typing import Callable, Mapping

from .. import __version__
from ..analysis.inputs import Input
from ..analysis.requests import NAMES
from ..analysis.weights import COUNT
from ..errors import RequestError
from ..exports.flame_tree import Label
from ..exports.titles import title_of
from . import graph, steps, table
from .choice import PARAMETERS, Choice, choice_of
from .keys import KEYS
from .query import Query
from .session import Session

Answer = Mapping[str, object]

GENERATION = "generation"
SHARED = (GENERATION, *PARAMETERS)
TOP = 500  # maximum number of rows of a table
ROWS = 40  # maximum number of rows of a heat map
OFFERED = 1000  # maximum number of threads, and of processes, to choose from
MOST = 10000
# Further keys that the page offers. A table by such a key requires reading the captures
# again.
OTHER_KEYS = (
    *("line", "ip", "image", "caller", "comm", "cpu", "cgroup", "kernel"),
    *("data-symbol", "data-source", "latency", "file", "host"),
)


class Api:
    """Answers requests about a session, one at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = Lock()
        self._answers: Mapping[str, tuple[tuple[str, ...], Callable[..., Answer]]] = {
            "session": ((), self._describe),
            "flame": (("root", "find"), self._flame),
            "around": (("function", "find"), self._around),
            "table": (("by", "order", "down", "top", "find"), self._table),
            "steps": ((), self._steps),
            "heat": (("by",), self._heat),
            "code": (("function",), self._code),
            "page": ((), self._page),
        }

    def knows(self, name: str) -> bool:
        """Returns whether ``name`` is the name of a request."""
        return name in self._answers

    def answer(self, name: str, parameters: str) -> Answer:
        """Returns the answer to a known request; raises PfmParseError or OSError."""
        known, answer = self._answers[name]
        if name == "session":
            query = Query(parameters, known)
            with self._lock:
                self._session.refresh()
                return answer()
        query = Query(parameters, (*SHARED, *known))
        with self._lock:
            current = self._session.generation
            if query.number(GENERATION, 1 << 32, current) != current:
                text = "the captures have changed and were read again: reload the page"
                raise RequestError(text)
            choice = choice_of(query, self._session.cells)
            return answer(query, choice)

    def _describe(self) -> Answer:
        session, cells = self._session, self._session.cells
        every = Choice().cells(cells)
        wanted = table.Wanted("own", True, OFFERED, None)
        return {
            GENERATION: session.generation,
            "title": title_of(session.inputs),
            "version": __version__,
            "unit": "samples" if session.weight == COUNT else session.weight,
            "total": cells.sums.total(),
            "step_ns": cells.clock.step,
            "steps": cells.clock.steps,
            "keys": [*KEYS, *OTHER_KEYS],
            "choices": {
                by: table.as_json(table.rows_of(cells, every, by), wanted)
                for by in ("process", "thread", "event")
            },
            "captures": [_capture(source) for source in session.inputs],
            "warnings": list(session.warnings),
        }

    def _flame(self, query: Query, choice: Choice) -> Answer:
        cells = self._session.cells
        root = query.number("root", cells.tree.parents.size, 0)
        return graph.whole(cells, choice.cells(cells), root, query.pattern("find"))

    def _around(self, query: Query, choice: Choice) -> Answer:
        cells = self._session.cells
        function = query.number("function", len(cells.tree.labels))
        find = query.pattern("find")
        return graph.around(cells, choice.cells(cells), function, find)

    def _table(self, query: Query, choice: Choice) -> Answer:
        by = _one_of(query, "by", "function", (*KEYS, *NAMES))
        wanted = table.Wanted(
            _one_of(query, "order", "own", table.ORDERS),
            _one_of(query, "down", "yes", ("yes", "no")) == "yes",
            query.number("top", MOST + 1, TOP),
            query.pattern("find"),
        )
        cells = self._session.cells
        which = choice.cells(cells)
        if by in KEYS:
            rows = table.rows_of(cells, which, by)
        else:
            rows = table.rows_of_report(self._session.report(choice, by))
        return {
            "total": cells.sums.some(which).total(),
            "options": choice.options(cells),
            **table.as_json(rows, wanted),
        }

    def _steps(self, _: Query, choice: Choice) -> Answer:
        cells = self._session.cells
        return {"steps": steps.by_step(cells, choice.at_any_time().cells(cells))}

    def _heat(self, query: Query, choice: Choice) -> Answer:
        cells = self._session.cells
        by = _one_of(query, "by", "thread", tuple(KEYS))
        return steps.heat(cells, choice.cells(cells), by, ROWS)

    def _code(self, query: Query, choice: Choice) -> Answer:
        return self._session.code(choice, self._label(query))

    def _page(self, _: Query, choice: Choice) -> Answer:
        return {"html": self._session.page(choice)}

    def _label(self, query: Query) -> Label:
        labels = self._session.cells.tree.labels
        return labels[query.number("function", len(labels))]


def _one_of(query: Query, name: str, default: str, known: tuple[str, ...]) -> str:
    text = query.text(name, default)
    if text not in known:
        there = ", ".join(dict.fromkeys(known))
        raise RequestError(f"parameter '{name}' must be one of {there}, not {text!r}")
    return text


def _capture(source: Input) -> Answer:
    recording = source.recording
    return {
        "file": source.file,
        "host": source.host,
        "samples": source.selected,
        "lost": recording.lost,
        "lost_in_buffers": recording.lost_in_buffers(),
        "imprecise": recording.imprecise,
        "problems": [problem.message for problem in recording.problems],
    }
