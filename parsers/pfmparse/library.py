# SPDX-License-Identifier: MIT OR GPL-2.0
"""Captures as tables of numpy arrays (docs/library.md)."""

from __future__ import annotations

import io
import os
import warnings
import weakref
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Iterable, Iterator, Optional, Sequence, Union

import numpy as np

from .analysis.inputs import Input, Options
from .analysis.keys import detail_of as detail_of_keys
from .analysis.requests import CONDITIONS, parse_window
from .analysis.row_sums import Row, Values, add, ordered
from .analysis.rows import numbers_of
from .analysis.selection import Selection, selected
from .analysis.table import SYMBOLS, TEXTS, Table, detail_of, joined, objects
from .analysis.weights import COUNT, usual
from .errors import PfmParseError, RequestError
from .layout import NDArray
from .recording import Recording, open_capture
from .symbols.location import Detail, SymbolOptions
from .text import printable

Path = Union[str, "os.PathLike[str]"]
Wanted = Union[str, int, Iterable[Union[str, int]]]  # values of a condition
Columns = dict[str, NDArray[Any]]


class Captures:
    """One or several captures, whose selected samples are read as one table.

    Each call reads the files again. Issues Python warnings about damaged captures,
    about mapped files whose symbols are missing, and about captures that ask the reader
    to select only the samples of some control groups.
    """

    def __init__(self, files: _Files, options: Options) -> None:
        """Use pfmparse.open() instead of this constructor."""
        self._files = files
        self._options = options

    def __enter__(self) -> Captures:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the files; later calls fail.

        If it is not called, the files are closed when the object is deleted.
        """
        self._files.close()

    def select(
        self,
        *,
        event: Wanted = (),
        pid: Wanted = (),
        tid: Wanted = (),
        comm: Wanted = (),
        cgroup: Wanted = (),
        container: Wanted = (),
        cpu: Wanted = (),
        set: Wanted = (),
        object: Wanted = (),
        symbol: Wanted = (),
        kernel: Optional[bool] = None,
        time: Optional[str] = None,
    ) -> Captures:
        """Returns these files with only the samples that meet all conditions.

        The conditions replace those of an earlier selection. Each condition takes one
        value or a list. A value is a number, or a text with the syntax of the
        command-line option of the same name. Raises ValueError if a text is invalid.
        """
        given = locals()
        values = {name: _values(name, given[name]) for name in CONDITIONS}
        window = None if time is None else parse_window(time)
        options = Options(selected(values, kernel, window), self._options.symbols)
        return Captures(self._files, options)

    @property
    def columns(self) -> list[str]:
        """The names of all columns that samples() returns by default."""
        inputs = self._inputs(Detail.OBJECT)
        return _columns(inputs, numbers_of(inputs))

    def samples(
        self, columns: Union[str, Sequence[str], None] = None, symbols: bool = True
    ) -> Columns:
        """Reads the selected samples; returns one array of equal length per column."""
        probes = self._inputs(Detail.OBJECT)
        numbers = numbers_of(probes)
        wanted = _columns(probes, numbers) if columns is None else _several(columns)
        if not symbols:
            if columns is not None and (lacking := SYMBOLS.keys() & {*wanted}):
                raise ValueError(f"column '{min(lacking)}' needs symbols=True")
            wanted = [name for name in wanted if name not in SYMBOLS]
        parts = []
        for source in self._inputs(detail_of(wanted)):
            with _reading(source):
                parts.append(Table(source, numbers, wanted).read())
        if len(parts) == 1:
            return parts[0]
        return {name: joined([part[name] for part in parts]) for name in wanted}

    def groups(
        self,
        by: Union[str, Sequence[str]] = "function",
        weight: Optional[str] = None,
    ) -> Columns:
        """Sums the selected samples by group; the largest group comes first.

        ``by`` is one or several of the keys of ``pfmparse report --by``. Each key
        becomes a column, and so does each further member that the rows of the report
        have in JSON. The column ``count`` has the numbers of samples.

        ``weight`` is one of the weights of ``pfmparse report --weight``. By default, it
        is the first sum that the samples' format records, other than sums of periods,
        or "count" if the format records no such sum. For other weights than "count",
        the column ``weight`` has the sums.

        Raises PfmParseError if a capture cannot be read, or if its samples lack a
        column.
        """
        keys = _several(by)
        if weight is None:
            weight = usual_weight(self._inputs(Detail.OBJECT))
        sums: dict[Values, Row] = {}
        for source in self._inputs(detail_of_keys(keys)):
            with _reading(source):
                add(sums, source, keys, weight)
        rows = ordered(sums)
        found = _keys(keys, rows)
        found["count"] = _integers([row.samples for row in rows])
        if weight != COUNT:
            found["weight"] = _integers([row.weight for row in rows])
        return found

    def _inputs(self, detail: Detail) -> list[Input]:
        """Returns the captures as inputs, to be read from their start."""
        if self._files.closed:
            raise ValueError("the captures are closed: open them again")
        inputs = []
        for file, recording in self._files.recordings:
            with naming(file):
                again = recording.reopened()
                tell = partial(_warn, file)
                inputs.append(Input(file, again, self._options, tell, detail))
                if inputs[-1].notice:
                    remedy = "use select(cgroup='/') to select all samples"
                    tell(f"{inputs[-1].notice}; {remedy}")
        return inputs


def open(
    paths: Union[Path, Iterable[Path]], options: SymbolOptions = SymbolOptions()
) -> Captures:
    """Opens one or several captures; closing the returned object closes the files.

    The ``options`` say where to look for symbols.

    Raises PfmParseError if a file is not a capture, and OSError if it cannot be opened.
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    files = _Files([os.fspath(path) for path in several])
    return Captures(files, Options(Selection(), options))


class _Files:
    """Open captures, and their names."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.recordings: list[tuple[str, Recording]] = []
        with ExitStack() as stack:
            for path in paths:
                stream = stack.enter_context(io.open(path, "rb"))
                with naming(path):
                    self.recordings.append((path, open_capture(stream)))
            close = stack.pop_all().close
        self._close = weakref.finalize(self, close)

    @property
    def closed(self) -> bool:
        """True if the files are closed."""
        return not self._close.alive

    def close(self) -> None:
        """Closes the files."""
        self._close()


def _warn(file: str, problem: object) -> None:
    warnings.warn(printable(f"{file}: {problem}"), stacklevel=2)


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Adds a file's name to the message of a PfmParseError raised in the block."""
    try:
        yield
    except PfmParseError as error:
        raise RequestError(f"{file}: {error}") from error


@contextmanager
def _reading(source: Input) -> Iterator[None]:
    """After the block, warns about problems with an input.

    Raises PfmParseError if nothing in the input is usable.
    """
    with naming(source.file):
        yield
        recording = source.recording
        if recording.useless:
            raise recording.problems[0]
    for problem in recording.problems:
        _warn(source.file, problem)


def _several(names: Union[str, Sequence[str]]) -> list[str]:
    return [names] if isinstance(names, str) else [*names]


def _values(name: str, wanted: Wanted) -> list[Any]:
    """Returns the values of a condition; raises ValueError if one is invalid."""
    given = [wanted] if isinstance(wanted, (str, int)) else wanted
    try:
        return [value for one in given for value in CONDITIONS[name].read(str(one))]
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None


def usual_weight(inputs: Sequence[Input]) -> str:
    """Returns the default weight of the first input that has samples."""
    firsts = (source.first() for source in inputs)
    return next((usual(samples) for samples in firsts if samples is not None), COUNT)


def _columns(inputs: Sequence[Input], numbers: Iterable[str]) -> list[str]:
    """Returns the names of the columns that any of the inputs has."""
    found = [samples for source in inputs if (samples := source.first()) is not None]
    chained = any(samples.chains is not None for samples in found)
    texts = [name for name in TEXTS if name != "stack" or chained]
    return [*numbers, "address", *texts]


def _keys(names: Sequence[str], rows: Sequence[Row]) -> Columns:
    """Returns a column for each key, and one for each member in the values' extras."""
    found = {
        name: _column([row.values[at].key for row in rows])
        for at, name in enumerate(names)
    }
    extras = [
        {name: extra for value in row.values for name, extra in value.extra.items()}
        for row in rows
    ]
    for name in dict.fromkeys(name for extra in extras for name in extra):
        if name not in found:
            found[name] = _column([extra.get(name) for extra in extras])
    return found


def _column(values: Sequence[object]) -> NDArray[Any]:
    """Returns an array of numbers if all are integers, else of objects."""
    if values and all(isinstance(value, int) for value in values):
        numbers = np.array(values)
        # Numbers of more than 64 bits remain objects.
        if numbers.dtype.kind in "iu":
            return numbers
    return objects(["" if value is None else value for value in values])


def _integers(values: Sequence[int]) -> NDArray[Any]:
    """Returns sums as 64-bit numbers, or as objects if one needs more bits."""
    if any(value >> 64 for value in values):
        return objects(values)
    return np.array(values, np.uint64)
