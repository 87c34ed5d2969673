# SPDX-License-Identifier: MIT OR GPL-2.0
"""Store samples as columns and as arrays."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy as np
import pytest
from helpers.readers import decoder
from helpers.writers import Sample, buffer, pmd, session
from pfmparse import Chains, Role
from pfmparse.commands.dump import samples_as_dicts
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import (
    BLOCK,
    Column,
    Lazy,
    PmdGroup,
    Roles,
    Samples,
    alike,
    compact,
    constant,
    join,
    record_columns,
)


def test_sample_array_has_all_columns_and_pmds() -> None:
    samples = [
        Sample(ip=1, pmds=()),
        Sample(ip=2, ovfl_pmd=4, pmds=((5, 55), (7, 77))),
    ]
    sess = session({0: [pmd(0), pmd(4, [5, 7])]})
    array = decoder(sess)(buffer(samples)).regions[0].samples.to_array()
    assert array["ip"].tolist() == [1, 2]
    assert array["tgid"].tolist() == [100, 100]
    assert array["pmd5"].tolist() == [0, 55]
    assert array["pmd7"].tolist() == [0, 77]


def test_record_columns_are_integers_and_elements() -> None:
    kinds = [("ip", "<u8"), ("delta", "<i4"), ("chain", "<u8", 2), ("comm", "S4")]
    records = np.array(
        [(1, -2, (3, 4), b"ls", 5), (6, -7, (8, 9), b"", 5)], [*kinds, ("pad0", "<u4")]
    )
    found = {name: each.tolist() for name, each in record_columns(records).items()}
    assert found == {
        "ip": [1, 6],
        "delta": [-2, -7],
        "chain0": [3, 8],
        "chain1": [4, 9],
    }
    assert [*record_columns(records, "chain", "ip")] == ["delta"]


def columns(**values: list[int]) -> dict[str, Column]:
    """Build columns by name."""
    return {name: np.array(column, "<u8") for name, column in values.items()}


def test_derived_columns_are_for_reports_only() -> None:
    samples = Samples(2, columns(ip=[1, 2]), derived=columns(event_ip=[3, 4]))
    assert samples.has("ip") and samples.has("event_ip") and not samples.has("cpu")
    assert samples.column("event_ip").tolist() == [3, 4]
    assert samples.to_array().dtype.names == ("ip",)


def test_recorded_column_hides_the_derived_one() -> None:
    samples = Samples(1, columns(set=[1]), derived=columns(set=[2]))
    assert samples.column("set").tolist() == [1]


def test_missing_column_is_named() -> None:
    said = "the samples have no dla; they have ip, set"
    with pytest.raises(PfmParseError, match=said) as error:
        Samples(1, columns(ip=[1]), derived=columns(set=[1])).column("dla")
    assert error.value.offset == 0
    with pytest.raises(PfmParseError, match="no latency; they have no columns at all"):
        Samples(1, {}).role(Role.LATENCY)


def test_lazy_columns_are_made_on_demand() -> None:
    made: list[str] = []

    def maker(name: str) -> Callable[[], Column]:
        def make() -> Column:
            made.append(name)
            return np.arange(3)

        return make

    samples = Samples(3, Lazy({"ip": maker("ip"), "cpu": maker("cpu")}))
    assert samples.has("ip") and list(samples.columns) == ["ip", "cpu"] and made == []
    assert samples.column("cpu").tolist() == [0, 1, 2]
    assert made == ["cpu"]


@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 1])
def test_sample_array_has_every_sample(count: int) -> None:
    ips, which = np.arange(count, dtype="<u8"), np.arange(0, count, 2)
    group = PmdGroup(which, (5,), np.arange(which.size, dtype="<u8")[:, np.newaxis])
    array = Samples(count, {"ip": ips}, (group,)).to_array()
    assert array["ip"].tolist() == list(range(count))
    assert array["pmd5"].tolist() == [0 if n % 2 else n // 2 for n in range(count)]


def chains(number: int) -> Chains:
    """Build ``number`` empty chains."""
    return Chains(np.zeros(number + 1, np.intp), np.zeros(0, np.uint64))


def group(members: Any, shape: tuple[int, ...]) -> PmdGroup:
    """Build a group of two PMDs."""
    return PmdGroup(members, (1, 2), np.zeros(shape, np.uint64))


FIVE = {"ip": np.zeros(5, "<u8")}


@pytest.mark.parametrize(
    "given,said",
    [
        ({"columns": columns(ip=[1, 2])}, "column ip has 2 values for 5 samples"),
        ({"columns": {"ip": np.zeros((5, 2), int)}}, "ip has 5 x 2 values for 5"),
        ({"columns": {"ip": np.zeros(5)}}, "ip is not a numpy array of integers"),
        ({"columns": {"ip": [1, 2, 3, 4, 5]}}, "ip is not a numpy array of integers"),
        ({"derived": columns(at=[1])}, "column at has 1 values for 5 samples"),
        ({"groups": (group(slice(None), (4, 2)),)}, r"\(1, 2\) have shape \(4, 2\)"),
        ({"groups": (group(np.arange(3), (3, 1)),)}, r"not \(3, 2\)"),
        ({"roles": {Role.ADDRESS: "pc"}}, "ADDRESS: there is no column pc"),
        ({"roles": {"address": "ip"}}, "'address' is not a pfmparse.Role"),
        ({"roles": {Role.ADDRESS: {"a": "ip"}}}, "ADDRESS needs the name of one col"),
        ({"roles": {Role.SUM: {"a": "b"}}}, "SUM: there is no column b"),
        ({"roles": {Role.LOG2: {"a": "ip"}}}, "LOG2: there is no column ip0"),
        ({"roles": {Role.SUM: ("ip",)}}, "SUM needs a column, or {quantity: column}"),
        (
            {"roles": {Role.SUM: "ip", Role.MAX: {"a": "ip"}}},
            "role SUM: column ip has another role, too",
        ),
        (
            {"roles": {Role.LATENCY: "ip", Role.MIN: "ip"}},
            "role MIN: column ip has another role, too",
        ),
        ({"roles": {Role.SUM: {"count": "ip"}}}, "count, is not a sum"),
        ({"chains": chains(4)}, "4 call chains for 5 samples"),
    ],
)
def test_inconsistent_samples_are_refused(given: dict[str, Any], said: str) -> None:
    arguments: dict[str, Any] = {"count": 5, "columns": FIVE, **given}
    with pytest.raises(ValueError, match=said):
        Samples(**arguments)


def test_consistent_samples_are_accepted() -> None:
    groups = (group(slice(0, 4, 2), (2, 2)), group(np.arange(3), (3, 2)))
    flags: Any = {**FIVE, "flag": np.zeros(5, np.bool_)}
    made = Samples(5, flags, groups, roles={Role.KERNEL: "flag"}, chains=chains(5))
    assert made.role(Role.KERNEL) is flags["flag"]


@pytest.mark.parametrize(
    "maker,said",
    [
        (lambda: np.zeros(2, "<u8"), "column ip: ValueError: .* 2 values for 3"),
        (
            lambda: dict[str, Column]()["x"],
            r"column ip: KeyError: 'x' \(.*test_samples.py, line \d+\)",
        ),
    ],
)
def test_failing_lazy_column_is_named(maker: Any, said: str) -> None:
    made = Samples(3, Lazy({"ip": maker}), derived=Lazy({"at": maker}))
    with pytest.raises(PfmParseError, match=said):
        made.column("ip")
    with pytest.raises(PfmParseError, match="column at: "):
        made.column("at")
    for read in (made.fields, made.to_array):
        with pytest.raises(PfmParseError, match=said):
            read()


def test_column_made_from_a_failing_one_names_that_one() -> None:
    inner = Samples(3, Lazy({"ip": lambda: np.zeros(2, "<u8")}))
    outer = Samples(3, Lazy({"at": lambda: inner.column("ip")}))
    with pytest.raises(PfmParseError, match="^column ip: ValueError: "):
        outer.column("at")


@pytest.mark.parametrize(
    "names,roles,role,name",
    [
        ("ip", {}, Role.ADDRESS, "ip"),
        ("ip event_ip", {}, Role.ADDRESS, "event_ip"),
        ("ip pc", {Role.ADDRESS: "pc"}, Role.ADDRESS, "pc"),
        ("pc", {}, Role.ADDRESS, None),
        ("pid", {}, Role.THREAD, "pid"),
        ("pid tid", {}, Role.THREAD, "tid"),
        ("pid", {Role.PROCESS: "pid"}, Role.THREAD, None),
        ("pid", {Role.PROCESS: "pid"}, Role.PROCESS, "pid"),
    ],
)
def test_role_falls_back_to_usual_names(
    names: str, roles: dict[Role, str], role: Role, name: Optional[str]
) -> None:
    made = Samples(1, columns(**{n: [5] for n in names.split()}), roles=roles)
    assert made.name_of(role) == name
    if name is None:
        what = "instruction address" if role is Role.ADDRESS else role.value
        with pytest.raises(PfmParseError, match=f"the samples have no {what};"):
            made.role(role)
    else:
        assert made.role(role) is made.column(name)


def test_summarised_columns_have_no_usual_role() -> None:
    roles: Roles = {Role.SUM: {"latency": "lat"}, Role.MAX: "dla"}
    made = Samples(1, columns(lat=[5], dla=[6], tid=[7]), roles=roles)
    assert made.name_of(Role.LATENCY) is made.name_of(Role.DATA_ADDRESS) is None
    assert made.name_of(Role.THREAD) == "tid"
    assert made.aggregates(Role.SUM) == {"latency": "lat"}
    assert made.aggregates(Role.MAX) == {"dla": "dla"}
    assert made.aggregates(Role.MIN) == {}


def test_total_of_samples_sums_weights() -> None:
    plain = Samples(3, columns(ip=[1, 2, 3]))
    assert plain.weights() is None and plain.total() == 3
    counted = Samples(2, columns(n=[5, 0]), roles={Role.WEIGHT: "n"})
    assert counted.total() == 5
    many = np.array([(1 << 64) - 1, 1 << 63, 3], np.uint64)
    counted = Samples(3, {"n": many}, roles={Role.WEIGHT: "n"})
    assert counted.total() == (1 << 64) + (1 << 63) + 2


def test_record_fields_become_columns() -> None:
    fields = [("ip", "<u8"), ("reserved", "<u4"), ("pad1", "<u4"), ("pmds", "<u8", 2)]
    records = np.zeros(3, np.dtype(fields))
    records["ip"] = [1, 2, 3]
    made = Samples.of_records(records, roles={Role.DATA_ADDRESS: "ip"})
    assert made.count == 3 and list(made.columns) == ["ip"]
    assert made.role(Role.DATA_ADDRESS).tolist() == [1, 2, 3]


def test_pmd_values_mark_samples_without_the_pmd() -> None:
    group = PmdGroup(np.array([1]), (3, 4), np.array([[30, 40]], np.uint64))
    values, there = Samples(2, {}, (group,)).pmd_values(4)
    assert (values.tolist(), there.tolist()) == ([0, 40], [False, True])
    assert Samples(0, {}).pmd_values(4)[0].size == 0


ONE = {"ip": np.array([1, 2, 3], np.uint64)}
OTHER = {"ip": np.array([4, 5], np.uint64)}


def chains_of(
    lists: Sequence[Sequence[int]], kernel: Optional[list[int]], files: bool = False
) -> Chains:
    """Build chains in an array that has extra elements at both ends."""
    lengths = [len(one) for one in lists]
    addresses = [99, *(address for one in lists for address in one), 98]
    return Chains(
        np.cumsum([1, *lengths]),
        np.array(addresses, np.uint64),
        None if kernel is None else np.array(kernel),
        np.array(addresses, np.uint64) + np.uint64(50) if files else None,
    )


def rows(*parts: Samples) -> list[dict[str, Any]]:
    """Return the samples of all ``parts`` as dictionaries."""
    return [dict(row) for part in parts for row in samples_as_dicts(part)]


@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("files", [False, True])
def test_joined_samples_equal_their_parts(kernel: bool, files: bool) -> None:
    values = np.arange(6, dtype=np.uint64).reshape(3, 2)
    one = Samples(
        3,
        ONE,
        (PmdGroup(slice(None), (2, 5), values),),
        Lazy({"twice": lambda: ONE["ip"] * np.uint64(2)}),
        chains=chains_of([[7, 8], [], [9]], [1, 0, 1] if kernel else None, files),
    )
    groups = (
        PmdGroup(np.array([1]), (2,), np.array([[70]], np.uint64)),
        PmdGroup(slice(0, 1), (3,), np.array([[71]], np.uint64)),
    )
    other = Samples(
        2,
        OTHER,
        groups,
        Lazy({"twice": lambda: OTHER["ip"] * np.uint64(2)}),
        chains=chains_of([[6], [5, 4]], [0, 2] if kernel else None, files),
    )
    assert alike(one, other)
    both = join([one, other])
    assert rows(both) == rows(one, other)
    assert both.column("twice").tolist() == [2, 4, 6, 8, 10]
    assert both.chains is not None and one.chains is not None
    levels = both.chains.in_kernel().tolist()
    if kernel:
        assert levels == [True, False, True, False, True, True]


def test_joined_lazy_columns_are_made_once_on_demand() -> None:
    made: list[str] = []

    def lazy(name: str) -> Samples:
        def column() -> np.ndarray[Any, Any]:
            made.append(name)
            return np.array([1])

        return Samples(1, Lazy({"ip": column, "cpu": column}))

    both = join([lazy("a"), lazy("b")])
    assert made == []
    assert both.column("ip").tolist() == both.column("ip").tolist() == [1, 1]
    assert made == ["a", "b"]


def test_joined_constant_columns_stay_compact() -> None:
    one, other = (
        Samples(n, {"cpu": constant(np.array([value]), n), "ip": np.arange(n)})
        for n, value in ((3, 7), (2, 7))
    )
    both = join([one, other])
    assert both.column("cpu").tolist() == [7] * 5
    assert compact(both.column("cpu")).tolist() == [7]
    assert compact(both.column("ip")).tolist() == [0, 1, 2, 0, 1]


def test_different_constant_columns_are_joined() -> None:
    parts = [Samples(2, {"cpu": constant(np.array([n]), 2)}) for n in (7, 8)]
    assert join(parts).column("cpu").tolist() == [7, 7, 8, 8]


@pytest.mark.parametrize(
    "other",
    [
        Samples(2, {"cpu": OTHER["ip"]}),
        Samples(2, {"ip": np.array([4, 5], np.uint32)}),
        Samples(2, {**OTHER, "weight": OTHER["ip"]}),
        Samples(2, OTHER, derived={"twice": OTHER["ip"]}),
        Samples(2, OTHER, roles={Role.WEIGHT: "ip"}),
        Samples(2, OTHER, chains=chains_of([[1], [2]], None)),
        Samples(2, OTHER, chains=chains_of([[1], [2]], [1, 1])),
        Samples(2, OTHER, chains=chains_of([[1], [2]], None, True)),
    ],
)
def test_samples_with_other_columns_are_not_alike(other: Samples) -> None:
    one = Samples(3, ONE)
    assert alike(one, Samples(2, OTHER)) and not alike(one, other)
    if other.chains is not None:
        one = Samples(3, ONE, chains=chains_of([[1], [2], [3]], None))
        assert alike(one, other) == (other.chains.kernel is other.chains.files)


def test_joining_one_part_returns_it() -> None:
    samples = Samples(3, ONE)
    assert join([samples]) is samples
