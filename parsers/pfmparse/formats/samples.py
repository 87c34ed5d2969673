# SPDX-License-Identifier: MIT OR GPL-2.0
"""Samples, stored as columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from itertools import takewhile
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ..errors import PfmParseError, RequestError, blamed
from ..layout import NDArray, field_names
from ..text import amount
from .chains import Chains
from .roles import AGGREGATES, Role

Column = NDArray[np.integer[Any]]
Roles = Mapping[Role, Union[str, Mapping[str, str]]]

CODE = "instruction address"  # what messages call the role ADDRESS
BLOCK = 1 << 12  # samples whose fields are copied at once; they fit into the cache


def constant(value: NDArray[Any], count: int) -> Column:
    """Returns a column that has ``value`` in all elements, but stores it only once."""
    column: Column = np.ndarray((count,), value.dtype, value, strides=(0,))
    column.flags.writeable = False
    return column


def compact(column: Column) -> Column:
    """Returns one element of a column made by constant(), otherwise the column."""
    return column[:1] if column.size and column.strides == (0,) else column


class Lazy(Mapping[str, Column]):
    """Columns that are computed on demand."""

    def __init__(self, makers: Mapping[str, Callable[[], Column]]) -> None:
        self._makers = makers

    def __getitem__(self, name: str) -> Column:
        return self._makers[name]()

    def __contains__(self, name: object) -> bool:
        # Mapping's own method would compute the column to find out whether it exists.
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def made_once(names: Iterable[str], make: Callable[[str], Column]) -> Lazy:
    """Returns columns that are computed on demand and then cached."""
    column = cache(make)
    return Lazy({name: partial(column, name) for name in names})


def record_columns(records: NDArray[np.void], *without: str) -> dict[str, Column]:
    """Returns the integer fields of a structured array, except those ``without``.

    For an array of integers, each element becomes a column, such as chain0, chain1.
    Text, reserved fields and padding do not become columns.
    """
    columns: dict[str, Column] = {}
    for name in field_names(records.dtype):
        field = records[name]
        if name in without or field.dtype.kind not in "iub":
            continue
        if field.ndim == 1:
            columns[name] = field
        else:
            columns.update({f"{name}{i}": each for i, each in enumerate(field.T)})
    return columns


@dataclass(frozen=True)
class PmdGroup:
    """PMD values of the samples that recorded the same PMDs.

    ``which`` selects the group's m samples from a column. ``pmds`` are k PMD indices in
    ascending order. ``values`` has shape (m, k).
    """

    which: Union[slice, NDArray[np.intp]]
    pmds: tuple[int, ...]
    values: NDArray[np.uint64]


@dataclass(frozen=True)
class Samples:
    """Samples in the order in which they were recorded.

    ``columns`` maps the name of each field of the entries to its values, integers of
    shape (count,). Every sample is in at most one of ``groups``. ``derived`` has
    columns for reports that are computed from other columns. ``roles`` assigns roles to
    columns whose names do not imply them (docs/writing_a_parser.md); these may be
    derived columns. ``chains`` are the samples' call chains.

    A column of the role WEIGHT is the number of samples that each sample represents.
    In ``roles``, a role in AGGREGATES can have several columns: a mapping of quantities
    to columns.
    """

    count: int
    columns: Mapping[str, Column]
    groups: tuple[PmdGroup, ...] = ()
    derived: Mapping[str, Column] = field(default_factory=dict)
    roles: Roles = field(default_factory=dict)
    chains: Optional[Chains] = None

    def __post_init__(self) -> None:
        """Raises ValueError if the arrays are inconsistent."""
        for columns in (self.columns, self.derived):
            if type(columns) is not Lazy:
                _check(columns, self.count)
        for group in self.groups:
            _check_group(group, self.count)
        if self.roles:
            _check_roles(self)
        if self.chains is not None and self.chains.count != self.count:
            chains = amount(self.chains.count, "call chains")
            raise ValueError(f"{chains} for {amount(self.count, 'samples')}")

    @classmethod
    def of_records(
        cls,
        records: NDArray[np.void],
        groups: tuple[PmdGroup, ...] = (),
        roles: Optional[Roles] = None,
        chains: Optional[Chains] = None,
    ) -> Samples:
        """Makes samples whose columns are the fields of a structured array.

        Text, reserved fields and padding do not become columns.
        """
        arrays = [n for n in field_names(records.dtype) if records.dtype[n].shape]
        columns = record_columns(records, *arrays)
        return cls(records.size, columns, groups, roles=roles or {}, chains=chains)

    def has(self, name: str) -> bool:
        """Returns whether there is such a column."""
        return name in self.columns or name in self.derived

    def column(self, name: str) -> Column:
        """Returns a column; raises PfmParseError if the samples do not have it."""
        if name in self.columns:
            return _made(self.columns, name, self.count)
        if name in self.derived:
            return _made(self.derived, name, self.count)
        raise self.lacks(name)

    def fields(self) -> dict[str, Column]:
        """Returns all columns except derived ones."""
        columns = self.columns
        return {name: _made(columns, name, self.count) for name in columns}

    def name_of(self, role: Role) -> Optional[str]:
        """Returns the name of the column that has a role, or None."""
        found = self.roles.get(role) if self.roles else None
        if isinstance(found, str):
            return found
        usual = [name for name in role.usual if self.has(name)]
        if usual and self.roles:
            given = {name for _, name in _with_roles(self.roles)}
            usual = [name for name in usual if name not in given]
        return usual[0] if usual else None

    def aggregates(self, role: Role) -> Mapping[str, str]:
        """Returns the columns with this role, one of AGGREGATES, by quantity."""
        found = self.roles.get(role, {})
        return {found: found} if isinstance(found, str) else found

    def powers(self, name: str) -> list[str]:
        """Returns the columns of a histogram with the role LOG2: name0, name1, ..."""
        return list(takewhile(self.has, (f"{name}{bits}" for bits in range(65))))

    def summaries(self, role: Role) -> list[str]:
        """Returns all columns with this role, one of AGGREGATES."""
        names = list(self.aggregates(role).values())
        if role is not Role.LOG2:
            return names
        return [column for name in names for column in self.powers(name)]

    def role(self, role: Role) -> Column:
        """Returns the column with this role; raises PfmParseError if none has it."""
        name = self.name_of(role)
        if name is not None:
            return self.column(name)
        if role is not Role.ADDRESS:
            raise self.lacks(role.value)
        remedy = "use pfmparse report --by COLUMN, for other tools with --csv or --json"
        raise RequestError(f"{self.lacks(CODE)}; {remedy}")

    def lacks(self, what: str) -> PfmParseError:
        """Returns an error about a missing column, which lists the existing columns."""
        there = ", ".join([*self.columns, *self.derived]) or "no columns at all"
        return RequestError(f"the samples have no {what}; they have {there}")

    @property
    def summarise(self) -> bool:
        """Whether each row summarises several samples, so has no PMD's value."""
        counted = self.name_of(Role.WEIGHT) is not None
        return not self.groups and (counted or any(map(self.aggregates, AGGREGATES)))

    def pmd_values(self, pmd: int) -> tuple[Column, NDArray[np.bool_]]:
        """Returns the values of a PMD, and a mask of the samples that recorded it.

        Values that were not recorded are 0.
        """
        values = np.zeros(self.count, np.uint64)
        there = np.zeros(self.count, np.bool_)
        for group in self.groups:
            if pmd in group.pmds:
                values[group.which] = group.values[:, group.pmds.index(pmd)]
                there[group.which] = True
        return values, there

    def weights(self) -> Optional[Column]:
        """Returns how many samples each one represents; None if all represent one."""
        name = self.name_of(Role.WEIGHT)
        return None if name is None else self.column(name)

    def total(self) -> int:
        """Returns the sum of the samples' weights."""
        weights = self.weights()
        if weights is None:
            return self.count
        # Sum the numbers' upper and lower halves separately, so that no sum overflows.
        wide = weights.astype(np.uint64, copy=False)
        high, low = wide >> np.uint64(32), wide & np.uint64(0xFFFFFFFF)
        return (int(high.sum()) << 32) + int(low.sum())

    def to_array(self) -> NDArray[np.void]:
        """Copies all samples to one structured array of shape (count,).

        Its fields are the columns, and ``pmdN`` for each PMD N that any sample
        recorded; ``pmdN`` is 0 for samples without a value.
        """
        pmds = sorted({pmd for group in self.groups for pmd in group.pmds})
        columns = self.fields()
        fields = [(name, column.dtype) for name, column in columns.items()]
        fields += [(f"pmd{pmd}", np.dtype("<u8")) for pmd in pmds]
        array = np.zeros(self.count, np.dtype(fields))
        for start in range(0, self.count, BLOCK):
            part = slice(start, start + BLOCK)
            for name, column in columns.items():
                array[name][part] = column[part]
        for group in self.groups:
            for at, pmd in enumerate(group.pmds):
                array[f"pmd{pmd}"][group.which] = group.values[:, at]
        return array


def _made(columns: Mapping[str, Column], name: str, count: int) -> Column:
    """Returns a column; checks columns that are computed on demand."""
    if type(columns) is not Lazy:
        return columns[name]
    try:
        column = columns[name]
        _check({name: column}, count)
    except PfmParseError:
        raise
    # A format of another package may raise any exception: name the column.
    except Exception as error:
        raise RequestError(f"column {name}: {blamed(error)}") from error
    return column


def _check(columns: Mapping[str, Column], count: int) -> None:
    """Raises ValueError if an array is not a column of ``count`` samples."""
    expected = (count,)
    for name, column in columns.items():
        if not isinstance(column, np.ndarray) or column.dtype.kind not in "iub":
            raise ValueError(f"column {name} is not a numpy array of integers")
        if column.shape != expected:
            shape = " x ".join(map(str, column.shape)) or "zero-dimensional"
            text = f"column {name} has {shape} values for {amount(count, 'samples')}"
            raise ValueError(text)


def _with_roles(roles: Roles) -> list[tuple[Role, str]]:
    """Returns roles and their columns."""
    return [
        (role, name)
        for role, found in roles.items()
        for name in ([found] if isinstance(found, str) else found.values())
    ]


def _check_roles(samples: Samples) -> None:
    """Raises ValueError if a role is invalid, or does not fit the columns."""
    for role, found in samples.roles.items():
        if not isinstance(role, Role):
            raise ValueError(f"{role!r} is not a pfmparse.Role")
        if isinstance(found, str):
            continue
        if role not in AGGREGATES:
            raise ValueError(f"role {role.name} needs the name of one column")
        if not isinstance(found, Mapping):
            raise ValueError(
                f"role {role.name} needs a column, or {{quantity: column}}"
            )
    pairs = _with_roles(samples.roles)
    names = [name for _, name in pairs]
    for role, name in pairs:
        first = f"{name}0" if role is Role.LOG2 else name
        if not samples.has(first):
            raise ValueError(f"role {role.name}: there is no column {first}")
        if role in AGGREGATES and names.count(name) > 1:
            raise ValueError(f"role {role.name}: column {name} has another role, too")
    if "count" in samples.aggregates(Role.SUM):
        text = "the number of samples, count, is not a sum: use the role WEIGHT"
        raise ValueError(f"role SUM: {text}")


def _check_group(group: PmdGroup, count: int) -> None:
    """Raises ValueError if the values do not match the group's samples and PMDs."""
    which = group.which
    if isinstance(which, slice):
        members = len(range(*which.indices(count)))
    else:
        members = which.size
    expected = (members, len(group.pmds))
    if group.values.shape != expected:
        text = f"values of PMDs {group.pmds} have shape {group.values.shape}"
        raise ValueError(f"{text}, not {expected}")


def alike(one: Samples, other: Samples) -> bool:
    """Returns whether the samples have the same columns, so that they can be joined."""
    return _shape(one) == _shape(other)


def _shape(samples: Samples) -> tuple[object, ...]:
    chains = samples.chains
    known = None if chains is None else (chains.kernel is None, chains.files is None)
    columns = _kinds(samples.columns), _kinds(samples.derived)
    return columns, dict(samples.roles), known


def _kinds(columns: Mapping[str, Column]) -> list[tuple[str, object]]:
    """Returns the names of columns, and the types of those not computed on demand."""
    if isinstance(columns, Lazy):
        return [(name, None) for name in columns]
    return [(name, column.dtype) for name, column in columns.items()]


def join(parts: Sequence[Samples]) -> Samples:
    """Returns the concatenated samples, all of which must be alike()."""
    if len(parts) == 1:
        return parts[0]
    starts = [0, *np.cumsum([part.count for part in parts]).tolist()]
    groups = [
        _shifted(group, part.count, start)
        for part, start in zip(parts, starts)
        for group in part.groups
    ]
    chains = [part.chains for part in parts if part.chains is not None]

    def column(name: str) -> Column:
        return _joined([part.column(name) for part in parts])

    return Samples(
        starts[-1],
        made_once(parts[0].columns, column),
        tuple(groups),
        made_once(parts[0].derived, column),
        parts[0].roles,
        Chains.joined(chains) if chains else None,
    )


def _joined(columns: Sequence[Column]) -> Column:
    """Returns the concatenated columns: a constant() if all elements are equal."""
    short = [compact(column) for column in columns]
    if all(column.size == 1 and column[0] == short[0][0] for column in short):
        return constant(short[0], sum(column.size for column in columns))
    return np.concatenate(columns)


def _shifted(group: PmdGroup, count: int, start: int) -> PmdGroup:
    """Returns a group of PMD values for ``count`` samples from index ``start`` on."""
    which = group.which
    if isinstance(which, slice):
        if which == slice(None):
            return PmdGroup(slice(start, start + count), group.pmds, group.values)
        which = np.arange(count)[which]
    return PmdGroup(which + start, group.pmds, group.values)
