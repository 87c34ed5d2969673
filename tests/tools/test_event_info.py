# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print the description of an event: meaning, encoding, suffixes, parameters, fields.
"""

from __future__ import annotations

import json

import pytest
from encoder import TRACING, Encoder
from pfmon import ERROR, Pfmon, without_kernel

PERF = "perf::PERF_COUNT_HW_CACHE_L1D"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("cycles", ["Meaning:   CPU cycles", "hardware event 0, user space"]),
        ("cs", ["switches to another thread", "user space and kernel"]),
        ("LLC-stores:k", ["cache event 0x102, kernel"]),
        ("cycles:pp", ["precise level 2"]),
        ("r1a8", ["raw 0x1a8", "config 0x1a8, config1 0, config2 0"]),
        (PERF, ["PMU:       perf: ", "Unit masks:", ":READ  ", "Modifiers:"]),
    ],
)
def test_events(encoder: Encoder, name: str, lines: list[str]) -> None:
    told = encoder.told(name)
    assert told.startswith(f"Name:      {name}\n")
    assert [line for line in lines if line not in told] == []


def test_several_events_and_patterns(encoder: Encoder) -> None:
    told = encoder.told("cs,^L1-dcache-load")
    names = [line.split()[1] for line in told.splitlines() if line.startswith("Name:")]
    assert names == ["cs", "L1-dcache-loads", "L1-dcache-load-misses"]


def test_parameters_of_a_pmu(encoder: Encoder) -> None:
    files = {
        "format/event": "config:0-7",
        "format/ldlat": "config1:0-15",
        "events/mem-loads": "event=0xcd,ldlat=3",
        "events/mem-loads.unit": "Bytes",
    }
    encoder.add_pmu("cpu", 4, files)
    for name in ("mem-loads:ldlat=30", "cpu/mem-loads,ldlat=30/"):
        told = encoder.told(name)
        assert "config 0xcd, config1 0x1e, config2 0" in told
        assert "Event:     mem-loads stands for event=0xcd,ldlat=3" in told
        assert "Unit:      Bytes" in told
        assert "\tevent  0 to 0xff, in config:0-7\n" in told
        assert "\tldlat  0 to 0xffff, in config1:0-15\n" in told


def test_event_info_lists_cpus_of_shared_pmu(encoder: Encoder) -> None:
    encoder.add_pmu("uncore", 9, {"cpumask": "0,8", "events/reads": "config=1"})
    assert "CPUs:      0,8, at all privilege levels" in encoder.told("uncore/reads/")


def test_fields_of_a_tracepoint(encoder: Encoder) -> None:
    encoder.add_tracepoint("sched:sched_switch", 300)
    fields = "\tfield:int common_pid;\toffset:4;\n\n\tfield:pid_t next_pid;\toffset:56;"
    encoder.add(f"{TRACING}/events/sched/sched_switch/format", fields)
    told = encoder.told("sched:sched_switch")
    assert "tracepoint event 0x12c" in told
    assert told.endswith("sched/sched_switch/format:\n\tpid_t next_pid\n")


def test_event_info_reports_unknown_event(pfmon: Pfmon) -> None:
    run = pfmon("-i", "cycles,nosuch")
    assert run.returncode == ERROR
    assert run.stdout.startswith("Name:      cycles\n")
    assert "unknown event 'nosuch'" in run.stderr


def test_event_info_lists_suffixes_without_perfmon(pfmon: Pfmon) -> None:
    without_kernel()
    told = pfmon("-i", "cycles").stdout
    assert "Here:      unknown: perfmon is not loaded" in told
    assert "Suffixes:  u, k, uk, p, pp, ppp\n" in told


def test_event_info_json_has_source_and_encoding(encoder: Encoder) -> None:
    encoder.add_tracepoint("sched:sched_switch", 300)
    field = "\tfield:pid_t next_pid;\toffset:56;"
    encoder.add(f"{TRACING}/events/sched/sched_switch/format", field)
    switch, cycles, raw = encoder.told_as_json("info", "sched:sched_switch,cycles,r1a8")
    assert (switch["source"], switch["fields"]) == ("tracepoint", ["pid_t next_pid"])
    assert (cycles["name"], cycles["source"]) == ("cycles", "generic")
    assert cycles["meaning"] == "CPU cycles"
    assert (cycles["config"], cycles["pmc_meaning"]) == (
        0,
        "hardware event 0, user space, precise level 0",
    )
    assert (raw["source"], raw["config"], raw["config1"]) == ("raw", 0x1A8, 0)


def test_event_info_json_of_sysfs_event(encoder: Encoder) -> None:
    files = {
        "format/event": "config:0-7",
        "format/far": "config9:0-7",
        "events/loads": "event=0xcd",
        "events/loads.unit": "Bytes",
        "cpumask": "0,8",
    }
    encoder.add_pmu("uncore", 9, files)
    (told,) = encoder.told_as_json("info", "uncore/loads/")
    assert (told["pmu"], told["cpus"]) == ("uncore", "0,8")
    assert "suffixes" not in told
    assert told["terms"] == [
        {"name": "loads", "stands_for": "event=0xcd", "unit": "Bytes"}
    ]
    assert told["parameters"] == [
        {"name": "event", "place": "config:0-7", "largest": 255},
        {"name": "far", "place": "config9:0-7", "largest": None},
    ]


def test_json_of_libpfm4(encoder: Encoder) -> None:
    (told,) = encoder.told_as_json("info", PERF)
    assert (told["source"], told["pmu"]) == ("libpfm4", "perf")
    masks = {mask["name"]: mask for mask in told["unit_masks"]}
    assert set(masks["READ"]) == {"name", "meaning", "default"}
    assert {"boolean"} <= {each["value"] for each in told["modifiers"]}


def test_event_info_json_has_reason(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("-j", "-i", "cycles")
    (told,) = json.loads(run.stdout)["events"]
    assert told["counted"] is None
    assert told["reason"].startswith("perfmon is not loaded")
    assert told["suffixes"] == ["u", "k", "uk", "p", "pp", "ppp"]
