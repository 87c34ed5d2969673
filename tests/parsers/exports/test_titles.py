# SPDX-License-Identifier: MIT OR GPL-2.0
"""Choose titles and units of exported graphs."""

from __future__ import annotations

from pathlib import Path

from helpers.readers import opened
from helpers.writers import capture as written
from helpers.writers import captured, json_chunk, session
from pfmparse.exports.interface import Comparison, Job
from pfmparse.exports.titles import title_of, title_of_job


def test_graph_title_has_command_and_host() -> None:
    described = session()
    described["command"] = ["/usr/bin/prog", "-x", "1"]
    source = opened(written(json_chunk("SESS", described)))
    assert title_of([source]) == "prog -x 1 on build7"
    described["command"] = ["prog", 100 * "x"]
    source = opened(written(json_chunk("SESS", described)))
    assert title_of([source]) == f"prog {72 * 'x'}... on build7"
    described["command"] = None
    source = opened(written(json_chunk("SESS", described)))
    assert title_of([source]) == "build7, x.pfm"


def test_graph_title_has_number_of_captures() -> None:
    elsewhere = session()
    elsewhere["machine"]["host"] = "build8"
    one, two = opened(captured([])), opened(written(json_chunk("SESS", elsewhere)))
    assert title_of([one, one]) == "2 captures of build7"
    assert title_of([one, two]) == "2 captures of 2 hosts"


def test_comparison_title_names_both_sides() -> None:
    job = Job([opened(captured([])) for _ in range(3)], Path("x"))
    assert title_of_job(job) == "3 captures of build7"
    job.comparison = Comparison(1)
    assert title_of_job(job) == "x.pfm (old) and 2 captures of build7 (new)"
