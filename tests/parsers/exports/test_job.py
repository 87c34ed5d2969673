# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export jobs."""

from __future__ import annotations

from pathlib import Path

from pfmparse.exports.job import Export, Job


def test_what_cannot_be_carried_is_noted_once_and_in_order() -> None:
    job = Job([], Path("x"))
    for text in ("times", "call chains", "times"):
        job.lack(text)
    assert list(job.lacks) == ["times", "call chains"]


def test_jobs_do_not_share_what_they_lack() -> None:
    Job([], Path("x")).lack("times")
    assert not Job([], Path("x")).lacks


def test_export_looks_up_symbols_and_writes_anew_unless_it_says_otherwise() -> None:
    export = Export("x", "an x", lambda job: None)
    assert (export.detail.value, export.appends) == ("symbol", False)
