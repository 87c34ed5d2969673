# SPDX-License-Identifier: MIT OR GPL-2.0
"""Titles of pictures and pages."""

from __future__ import annotations

import os
from typing import Sequence

from ..analysis.inputs import Input
from ..analysis.profile import Profile
from ..analysis.requests import SIDES
from ..text import amount
from .interface import Job

LONGEST = 80  # maximum number of characters of a command


def title_of_job(job: Job) -> str:
    """Returns the title of a flame graph; for a comparison, it names the files."""
    if job.comparison is None:
        return title_of(job.inputs)
    count = job.comparison.old_inputs
    parts = zip(SIDES, (job.inputs[:count], job.inputs[count:]))
    sides = [f"{_files(inputs)} ({side})" for side, inputs in parts]
    return " and ".join(sides)


def title_of(inputs: Sequence[Input]) -> str:
    """Returns the title: the command and the host, or the number of captures."""
    if len(inputs) != 1:
        hosts = {source.host for source in inputs}
        where = hosts.pop() if len(hosts) == 1 else f"{len(hosts)} hosts"
        return f"{amount(len(inputs), 'captures')} of {where}"
    (source,) = inputs
    command = source.recording.session.command
    if not command:
        return f"{source.host}, {os.path.basename(source.file)}"
    words = " ".join([os.path.basename(command[0]), *command[1:]])
    if len(words) > LONGEST:
        words = words[: LONGEST - 3] + "..."
    return f"{words} on {source.host}"


def _files(inputs: Sequence[Input]) -> str:
    return inputs[0].file if len(inputs) == 1 else title_of(inputs)


def events_of(profile: Profile) -> list[str]:
    """Returns the events that have samples."""
    found = {row.event for row in profile.rows}
    return [name for at, name in enumerate(profile.events) if at in found]
