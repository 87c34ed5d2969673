# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export OTLP profiles, and read them with an independent decoder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Optional

import pytest
from helpers import every_format
from helpers.exporting import NAMES, by_label, called, exported
from helpers.programs import Program
from helpers.wire_format import fields, numbers
from helpers.writers import Sample, session, simple_capture

Message = list[tuple[int, Any]]


class Profiles:
    """The profiles of a file, and the tables that the profiles refer to."""

    def __init__(self, data: bytes) -> None:
        parts = list(fields(data))
        self.resources = [list(fields(body)) for number, body in parts if number == 1]
        (dictionary,) = (body for number, body in parts if number == 2)
        self._tables: dict[int, list[bytes]] = {}
        for number, element in fields(dictionary):
            self._tables.setdefault(number, []).append(element)
        # The first element of each table stands for a missing value.
        assert {number: table[0] for number, table in self._tables.items()} == {
            number: b"" for number in range(1, 8)
        }

    def text(self, number: int) -> str:
        """Return a string of the string table."""
        return self._tables[5][number].decode()

    def attributes(self, which: list[int]) -> dict[str, Any]:
        """Return attributes by key."""
        found = {}
        for number in which:
            attribute = dict(fields(self._tables[6][number]))
            ((kind, value),) = fields(attribute[2])
            found[self.text(attribute[1])] = value.decode() if kind == 1 else value
        return found

    def all(self) -> Iterator[tuple[str, str, Message]]:
        """Yield the host, the type and unit, and the fields of each profile."""
        for resource in self.resources:
            known = dict(resource)
            host = dict(fields(dict(fields(known[1]))[1]))[2][2:].decode()
            for number, body in fields(known[2]):
                if number == 2:
                    profile = list(fields(body))
                    kind = dict(fields(dict(profile)[1]))
                    yield host, f"{self.text(kind[1])}/{self.text(kind[2])}", profile

    def samples(self, kind: Optional[str] = None) -> Iterator[tuple[Message, int]]:
        """Yield the fields and the value of each sample, of one type or of all."""
        for _, found, profile in self.all():
            for number, body in profile:
                if number == 2 and kind in (None, found):
                    sample = list(fields(body))
                    (value,) = numbers(dict(sample)[4])
                    yield sample, value

    def stack(self, sample: Message) -> tuple[str, ...]:
        """Return the functions of a sample, innermost first."""
        ((_, places),) = fields(self._tables[7][dict(sample)[1]])
        return tuple(name for at in numbers(places) for name in self._names(at))

    def _names(self, location: int) -> Iterator[str]:
        for number, body in fields(self._tables[2][location]):
            if number == 3:
                function = self._tables[3][dict(fields(body))[1]]
                yield self.text(dict(fields(function))[1])

    def places(self) -> list[dict[int, Any]]:
        """Return the fields of all locations."""
        return [dict(fields(body)) for body in self._tables[2][1:]]

    def mapping(self, number: int) -> dict[int, Any]:
        """Return the fields of a mapping."""
        return dict(fields(self._tables[1][number]))


def read(path: Path) -> Profiles:
    """Return the profiles in a file."""
    return Profiles(path.read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_otlp_functions_agree_with_report_by_event(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures[name]
    options = ("--weight", "period")
    profiles = read(exported(file, "otlp", tmp_path / "p", *options))
    events = dict.fromkeys(kind.partition("/")[0] for _, kind, _ in profiles.all())
    for kind in events:
        event, _, weight = kind.partition(" ")
        found: Counter[str] = Counter()
        for sample, value in profiles.samples(f"{kind}/count"):
            found[profiles.stack(sample)[0]] += value
        assert found == by_label(file, "--event", event, *options[: 2 * bool(weight)])
    assert "cycles" in events and "cycles period" in events


def test_otlp_stacks_have_their_callers(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    profiles = read(exported(captures["callstack"], "otlp", tmp_path / "p"))
    stacks: Counter[tuple[str, ...]] = Counter()
    for sample, value in profiles.samples():
        stacks[profiles.stack(sample)] += value
    assert stacks["hot", "main"] == 60 and stacks["warm", "main"] == 30
    assert stacks["do_work", "_text", "hot", "main"] == 3


def test_otlp_samples_have_process_and_thread(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    profiles = read(exported(captures["flight"], "otlp", tmp_path / "p"))
    names = {every_format.TGID: "program", every_format.WORKER: "worker"}
    found = set()
    for sample, _ in profiles.samples():
        attributes = profiles.attributes(numbers(dict(sample)[2]))
        assert attributes["process.pid"] == every_format.TGID
        assert attributes["thread.name"] == names[attributes["thread.id"]]
        found.add(attributes["thread.id"])
    assert found == set(names)


def test_otlp_places_have_level_and_file(
    captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    profiles = read(exported(captures["callstack"], "otlp", tmp_path / "p"))
    levels, build_ids = {}, {}
    for place in profiles.places():
        (level,) = profiles.attributes(numbers(place[4])).values()
        file = profiles.mapping(place[1])
        name = profiles.text(file[4]).rpartition("/")[2]
        levels[name] = level
        build_ids[name] = profiles.attributes(numbers(file.get(5, b"")))
    assert levels["[kernel]"] == "kernel" and levels["hotspots"] == "native"
    key = "process.executable.build_id.gnu"
    assert build_ids["hotspots"] == {key: program.build_id}
    assert build_ids["[kernel]"] == {}


def test_otlp_profiles_have_time_and_period(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    profiles = read(exported(captures["default"], "otlp", tmp_path / "p"))
    for host, kind, profile in profiles.all():
        known = dict(profile)
        assert host == "build7" and known[3] == session()["start_ns"]
        period = dict(fields(known[5]))
        assert f"{profiles.text(period[1])}/{profiles.text(period[2])}" == kind
        assert known[4] > 0 and known[6] > 0


def test_otlp_keeps_hosts_apart(tmp_path: Path) -> None:
    files = []
    for host in ("one", "two"):
        document = session()
        document["machine"]["host"] = host
        path = tmp_path / host
        path.write_bytes(simple_capture([Sample()], document))
        files.append(str(path))
    out = tmp_path / "p"
    assert called("export", *files, "--to", "otlp", "-o", str(out))[0] == 0
    assert [host for host, _, _ in read(out).all()] == ["one", "two"]


def test_otlp_refuses_sums_above_63_bits(tmp_path: Path) -> None:
    path = tmp_path / "x.pfm"
    samples = [Sample(last_reset_val=1)] * 2
    path.write_bytes(simple_capture(samples))
    argv = ("export", str(path), "--to", "otlp", "-o", str(tmp_path / "p"))
    status, _, err = called(*argv, "--weight", "period")
    assert status == 1 and "does not fit into 63 bits" in err
