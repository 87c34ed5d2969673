# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export for pprof, and read the file with an independent decoder."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from helpers import every_format
from helpers.exporting import NAMES, by_label, called, exported, reported
from helpers.programs import Program, compiled
from helpers.wire_format import fields, numbers
from helpers.writers import Sample, captured, mapped, session, simple_capture

Tree = dict[int, Any]


@dataclass
class Profile:
    """A profile's messages, by field number."""

    messages: dict[int, list[Any]] = field(default_factory=dict)

    def text(self, number: int) -> str:
        """Return an entry of the string table."""
        raw = self.messages[6][number]
        assert isinstance(raw, bytes)
        return raw.decode()

    def types(self) -> list[str]:
        """Return the value types as "type/unit"."""
        found = (dict(fields(body)) for body in self.messages[1])
        return [f"{self.text(t[1])}/{self.text(t[2])}" for t in found]

    def by_id(self, kind: int) -> dict[int, list[tuple[int, Any]]]:
        """Return mappings, locations or functions by ID."""
        found = {}
        for body in self.messages.get(kind, []):
            all_of_it = list(fields(body))
            assert all_of_it[0][0] == 1
            found[all_of_it[0][1]] = all_of_it
        assert 0 not in found
        return found

    def names(self, location: int) -> list[str]:
        """Return the functions of a location, innermost first."""
        functions = self.by_id(5)
        lines = [dict(fields(b)) for n, b in self.by_id(4)[location] if n == 4]
        return [self.text(dict(functions[line[1]])[2]) for line in lines]

    def samples(self) -> list[tuple[list[str], list[int], dict[str, Any]]]:
        """Return the stack (innermost first), values and labels of each sample."""
        found = []
        for body in self.messages.get(2, []):
            parts = list(fields(body))
            stack = [numbers(b) for n, b in parts if n == 1][0]
            values = [numbers(b) for n, b in parts if n == 2][0]
            labels = {}
            for label in (dict(fields(b)) for n, b in parts if n == 3):
                value = self.text(label[2]) if 2 in label else label[3]
                labels[self.text(label[1])] = value
            names = [name for at in stack for name in self.names(at)]
            found.append((names, values, labels))
        return found


def read(path: Path) -> Profile:
    """Return the profile in a file."""
    profile = Profile()
    for number, value in fields(gzip.decompress(path.read_bytes())):
        profile.messages.setdefault(number, []).append(value)
    assert profile.messages[6][0] == b""
    return profile


def innermost(profile: Profile, value: int) -> Counter[str]:
    """Sum a value by innermost function."""
    counts: Counter[str] = Counter()
    for names, values, _ in profile.samples():
        counts[names[0]] += values[value]
    return +counts


@pytest.mark.parametrize("name", NAMES)
def test_pprof_functions_agree_with_report_by_event(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures[name]
    profile = read(exported(file, "pprof", tmp_path / "p"))
    events = [kind.removesuffix("/count") for kind in profile.types()]
    assert events[0] == "cycles"
    found: Counter[str] = Counter()
    for at, event in enumerate(events):
        ours = innermost(profile, at)
        assert ours == by_label(file, "--event", event)
        found += ours
    assert found == by_label(file)


def test_pprof_weights_are_further_values(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures["default"]
    options = ("--weight", "period")
    profile = read(exported(file, "pprof", tmp_path / "p", *options))
    kinds = ["cycles", "cycles period", "loads", "loads period"]
    assert profile.types() == [f"{kind}/count" for kind in kinds]
    loads = ("--event", "loads")
    assert innermost(profile, 2) == by_label(file, *loads)
    assert innermost(profile, 3) == by_label(file, *loads, *options)


def test_pprof_stacks_have_their_callers(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    profile = read(exported(captures["callstack"], "pprof", tmp_path / "p"))
    stacks: Counter[tuple[str, ...]] = Counter()
    for names, values, _ in profile.samples():
        stacks[tuple(names)] += sum(values)
    assert stacks["hot", "main"] == 60 and stacks["warm", "main"] == 30
    assert stacks["do_work", "_text", "hot", "main"] == 3


def test_pprof_labels_name_event_and_thread(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures["flight"]
    profile = read(exported(file, "pprof", tmp_path / "p"))
    counts: Counter[int] = Counter()
    for _, values, labels in profile.samples():
        counts[labels["tid"]] += sum(values)
        names = {every_format.TGID: "program", every_format.WORKER: "worker"}
        assert labels["process"] == every_format.TGID
        assert labels["thread"] == names[labels["tid"]]
        assert values[["cycles", "loads"].index(labels["event"])] == sum(values)
    rows = reported(file, "--by", "tid")
    assert counts == {row["key"]: row["count"] for row in rows}


def test_pprof_mappings_have_build_ids(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    profile = read(exported(captures["nway"], "pprof", tmp_path / "p"))
    mappings = {}
    for number, body in profile.by_id(3).items():
        values = dict(body)
        assert (values.get(2, 0), values[3], values.get(4, 0)) == (0, (1 << 64) - 1, 0)
        mappings[profile.text(values[5])] = number, profile.text(values.get(6, 0))
    number, build_id = mappings[str(program.path)]
    assert build_id == program.build_id
    assert mappings["[kernel]"][1] == ""
    (warm,) = {
        dict(body)[3]
        for at, body in profile.by_id(4).items()
        if dict(body)[2] == number and profile.names(at) == ["warm"]
    }
    assert warm == program.address("warm") + 1


def test_pprof_inlined_functions_share_a_location(tmp_path: Path) -> None:
    source = tmp_path / "inlined.c"
    source.write_text(
        "static volatile int sink;\n"
        "static inline __attribute__((always_inline)) void inner(void)\n"
        "{ sink++; sink++; sink++; }\n"
        "__attribute__((noinline)) void outer(void)\n{ inner(); }\n"
        "int main(void) { outer(); return 0; }\n"
    )
    program = compiled(tmp_path / "inlined", source=source)
    file = tmp_path / "x.pfm"
    file.write_bytes(
        captured([Sample(ip=program.ip("outer"))], mapped(program.mapping))
    )
    profile = read(exported(file, "pprof", tmp_path / "p"))
    ((names, _, _),) = profile.samples()
    if names == ["outer"]:
        pytest.skip("this machine cannot look up inlined functions")
    assert names == ["inner", "outer"]
    assert len(profile.by_id(4)) == 1


def test_pprof_refuses_sum_beyond_63_bits(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    argv = ["export", str(captures["default"]), "--to", "pprof"]
    argv += ["-o", str(tmp_path / "p"), "--weight", "last_reset_val"]
    status, _, err = called(*argv)
    assert status == 1 and "does not fit into 63 bits" in err
    assert not (tmp_path / "p").exists()


def test_pprof_labels_name_hosts_if_they_differ(tmp_path: Path) -> None:
    def hosts(*names: str) -> set[Any]:
        files = []
        for number, name in enumerate(names):
            sess = session()
            sess["machine"]["host"] = name
            files.append(str(tmp_path / f"{number}.pfm"))
            Path(files[-1]).write_bytes(simple_capture([Sample()], sess))
        argv = ["export", *files, "--to", "pprof", "-o", str(tmp_path / "p")]
        assert called(*argv)[0] == 0
        return {labels.get("host") for _, _, labels in read(tmp_path / "p").samples()}

    assert hosts("a", "b") == {"a", "b"} and hosts("a", "a") == {None}


@pytest.mark.parametrize("start,told", [(10**18, True), (1 << 63, False)])
def test_pprof_omits_times_beyond_63_bits(
    start: int, told: bool, tmp_path: Path
) -> None:
    file = tmp_path / "x.pfm"
    file.write_bytes(simple_capture([Sample()], {**session(), "start_ns": start}))
    body = gzip.decompress(exported(file, "pprof", tmp_path / "p").read_bytes())
    found = dict(fields(body))
    assert (found.get(9) == start) is told and (10 in found) is told


def test_pprof_names_lacking_data(captures: dict[str, Path], tmp_path: Path) -> None:
    argv = ["export", str(captures["flight"]), "--to", "pprof"]
    _, _, err = called(*argv, "-o", str(tmp_path / "p"))
    for text in ("times", "CPUs", "losses"):
        assert f"pprof does not store {text}\n" in err
