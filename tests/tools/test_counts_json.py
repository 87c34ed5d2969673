# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print counts as JSON."""

from __future__ import annotations

import json

from counts import Counts, cpu, thread


def test_json_counts_have_event_rows(counts: Counts) -> None:
    script = [*thread(10, 25, "unsupported"), "times 9 4 3", "end 3"]
    printed = counts.printed("--json -e cycles,instructions,r1", *script)
    assert len(printed.splitlines()) == 1
    told = json.loads(printed)
    assert (told["version"], told["runs"], told["exit_status"]) == (1, 1, 3)
    assert (told["interval"], told["deviations"]) == (None, None)
    assert told["times"] == {"elapsed_ns": 9, "user_ns": 4, "system_ns": 3}
    (row,) = told["rows"]
    assert (row["cpu"], row["tid"], row["comm"]) == (None, 7, "worker")
    assert row["events"] == [
        {
            "event": "cycles",
            "state": "counted",
            "count": 10,
            "deviation_percent": None,
            "share_percent": 100.0,
            "ratio": None,
        },
        {
            "event": "instructions",
            "state": "counted",
            "count": 25,
            "deviation_percent": None,
            "share_percent": 100.0,
            "ratio": {"value": 2.5, "unit": "insn per cycle"},
        },
        {
            "event": "r1",
            "state": "not supported",
            "count": None,
            "deviation_percent": None,
            "share_percent": None,
            "ratio": None,
        },
    ]


def test_json_interval_is_one_line(counts: Counts) -> None:
    script = [
        *(*cpu(0, 5), *cpu(1, 6), "times 1000 0 0", "interval"),
        *(*cpu(0, 7), *cpu(1, 8), "times 1600 0 0", "end 3"),
    ]
    options = "--json --print-interval=1000 --system-wide -e r1"
    told = [json.loads(line) for line in counts.printed(options, *script).splitlines()]
    assert [one["interval"] for one in told] == [1, 2]
    assert [one["exit_status"] for one in told] == [None, 3]
    assert [one["interval_end_ns"] for one in told] == [1000, 1600]
    assert [one["times"]["elapsed_ns"] for one in told] == [1000, 600]
    assert [
        [(row["cpu"], row["events"][0]["count"]) for row in one["rows"]] for one in told
    ] == [[(0, 5), (1, 6)], [(0, 7), (1, 8)]]


def test_json_interval_without_counts_has_exit_status(counts: Counts) -> None:
    script = [*thread(5), "times 1000 0 0", "interval", "times 1600 0 0", "end 3"]
    printed = counts.printed("--json --print-interval=1000 -e r1", *script)
    told = [json.loads(line) for line in printed.splitlines()]
    assert [one["exit_status"] for one in told] == [None, 3]
    assert (told[1]["interval"], told[1]["rows"]) == (2, [])


def test_json_means_include_deviations(counts: Counts) -> None:
    script: list[str] = []
    for count in (90, 110):
        script += [*thread(count), "times 1000 0 0", f"end {count - 90}"]
    told = json.loads(counts.printed("--json --repeat=2 -e r1", *script))
    assert (told["runs"], told["exit_status"]) == (2, 20)
    assert told["deviations"]["elapsed_ns"] == 0
    (event,) = told["rows"][0]["events"]
    assert (event["count"], round(event["deviation_percent"])) == (100, 10)
