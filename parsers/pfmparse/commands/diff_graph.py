# SPDX-License-Identifier: MIT OR GPL-2.0
"""Differential flame graphs of the diff command."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Sequence

from ..analysis.requests import SIDES
from ..exports import registry
from ..exports.interface import NEW, Comparison, Job
from .export import write_job
from .opening import inputs_of, weight_of
from .writing import STANDARD_OUTPUT


def draw(arguments: argparse.Namespace, old: Sequence[str], new: Sequence[str]) -> int:
    """Writes the differential flame graph of two sides; returns the exit status."""
    export = registry.find(arguments.to)
    widths = SIDES.index(arguments.widths) if arguments.widths else NEW
    with inputs_of(arguments, [*old, *new], export.detail) as inputs:
        path = Path(arguments.output or STANDARD_OUTPUT[0])
        job = Job(inputs, path, weight_of(arguments, inputs))
        job.comparison = Comparison(len(old), widths)
        return write_job(export, job, arguments.json)
