# SPDX-License-Identifier: MIT OR GPL-2.0
"""Open the files of a command."""

from __future__ import annotations

import argparse
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Iterator, Optional, Sequence

from ..analysis.inputs import Input, Options
from ..analysis.requests import CONDITIONS
from ..analysis.selection import selected
from ..analysis.weights import COUNT, usual
from ..capture.session import parse_session
from ..recording import Recording, open_capture, open_raw
from ..status_line import Progress
from ..symbols.location import Detail, SymbolOptions
from .outcome import BAD_INPUT, OK, BadInput, blaming, warn


@contextmanager
def recording_of(
    file: str, arguments: argparse.Namespace, any_format: bool = False
) -> Iterator[Recording]:
    """Opens the recording in a file for a with block; raises BadInput if that fails.

    If ``any_format`` is set, accepts formats without a parser. If ``arguments.opened``
    is a recording, uses it, because a pipe cannot be opened twice.
    """
    opened: Optional[Recording] = getattr(arguments, "opened", None)
    if opened is not None:
        if opened.no_parser is not None and not any_format:
            raise BadInput(f"{file}: {opened.no_parser}") from opened.no_parser
        yield opened
        return
    with ExitStack() as stack:
        with blaming(file):
            stream = stack.enter_context(open(file, "rb"))
        if arguments.raw:
            session = _session(arguments.session)
            with blaming(file):
                recording = open_raw(stream.read(), session, any_format)
        else:
            with blaming(file):
                recording = open_capture(stream, any_format)
        yield recording


def _session(file: str) -> bytes:
    """Returns the text of a file with a session; raises BadInput if it is not valid."""
    with blaming(file):
        text = Path(file).read_bytes()
        parse_session(text, 0)
    return text


@contextmanager
def inputs_of(
    arguments: argparse.Namespace,
    files: Sequence[str],
    detail: Detail,
    any_format: bool = False,
) -> Iterator[list[Input]]:
    """Opens the inputs of a view for a with block; raises BadInput if that fails.

    ``detail`` says what to look up about addresses; for ``any_format``, see
    recording_of().
    """
    options, progress = options_of(arguments), Progress("read")
    with ExitStack() as stack:
        inputs = []
        for file in files:
            recording = stack.enter_context(recording_of(file, arguments, any_format))
            with blaming(file):
                tell = partial(warn, file)
                inputs.append(Input(file, recording, options, tell, detail, progress))
            if inputs[-1].notice:
                warn(file, f"{inputs[-1].notice}; use --cgroup / to select all samples")
        yield inputs


def options_of(arguments: argparse.Namespace) -> Options:
    """Returns the values of the options that select samples and find symbols."""
    given = {name: getattr(arguments, name) for name in CONDITIONS}
    selection = selected(given, arguments.level, arguments.time)
    return Options(selection, symbol_options(arguments))


def symbol_options(arguments: argparse.Namespace) -> SymbolOptions:
    """Returns the values of the options that find symbols."""
    return SymbolOptions(
        arguments.symfs,
        not arguments.no_demangle,
        not arguments.no_inlines,
        arguments.debuginfod,
    )


def weight_of(
    arguments: argparse.Namespace, inputs: Sequence[Input], counting: bool = False
) -> str:
    """Returns the weight that the user chose, or the default.

    The default depends on the first input with samples and on ``counting``, see
    weights.usual().
    """
    if arguments.weight is not None:
        return str(arguments.weight)
    for source in inputs:
        with blaming(source.file):
            samples = source.first()
        if samples is not None:
            return usual(samples, counting)
    return COUNT


def recordings_of(inputs: Sequence[Input]) -> list[tuple[str, Recording]]:
    """Returns the file name and the recording of each input."""
    return [(source.file, source.recording) for source in inputs]


def status_of(recordings: Sequence[tuple[str, Recording]]) -> int:
    """Prints the problems found in the recordings; returns the exit status."""
    status = OK
    for file, recording in recordings:
        for problem in recording.problems:
            warn(file, problem)
        for name in recording.missing:
            why = "perhaps the PMU does not supply it for this event; try another event"
            warn(file, f"{name} is 0 in all samples: {why}")
        if recording.useless:
            status = BAD_INPUT
    return status
