# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test export jobs."""

from __future__ import annotations

from pathlib import Path

from pfmparse.exports.interface import Export, Job


def test_job_notes_lacking_data_once_in_order() -> None:
    job = Job([], Path("x"))
    for text in ("times", "call chains", "times"):
        job.lack(text)
    assert list(job.lacks) == ["times", "call chains"]


def test_jobs_do_not_share_notes() -> None:
    Job([], Path("x")).lack("times")
    assert not Job([], Path("x")).lacks


def test_export_defaults_to_symbols_and_new_file() -> None:
    export = Export("x", "an x", lambda job: None)
    assert (export.detail.value, export.appends) == ("symbol", False)
