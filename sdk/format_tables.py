# SPDX-License-Identifier: MIT OR GPL-2.0
"""Generate the C and Python lines of a new format's table from the command line.

A table merges all samples with the same key into one record (perfmon_fmt_table.h).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from format_members import (
    KNOWN,
    SIZES,
    Member,
    MemberError,
    each,
    expect_different,
    field,
    lines,
    packed,
    sampled_values,
)

# Limit of a record's size, because the handler builds a record on its stack.
MAX_RECORD = 512
LOG2 = "log2"
# Ways to merge samples in a field, and the roles of such fields in pfmparse.
ROLES = dict(sum="SUM", min="MIN", max="MAX", first="", last="", log2="LOG2")
# The result of each merge, given the values of the samples.
MERGED: Mapping[str, Callable[[Sequence[int]], int]] = {
    "sum": sum,
    "min": min,
    "max": max,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}
# A line of the parser's template. The roles of other fields are added after it.
WEIGHT = 'pfm.Role.WEIGHT: "count",'
# The values of a merged PMD in the samples of the KUnit suite. The first, the last, the
# smallest and the largest value differ. All types can hold them.
SAMPLES = (20, 10, 40, 30)
COUNT = Member(
    *("count", "u64", 0, "number of samples with this key", "1"),
    str(len(SAMPLES)),
)
# The key consists of EVENT and of each --field without a merge; if every --field has a
# merge, it consists of EVENT and USUAL.
EVENT = replace(KNOWN["event"], type="u32")
USUAL = (KNOWN["tgid"], KNOWN["ip"])
# Keys of `pfmparse report --by` that print a column better than the column's own name.
KEYS = {"addr": "data-address", "source": "data-source"}


@dataclass(frozen=True)
class Value:
    """A value that each sample has, and the payload fields into which it is merged.

    A value that is not merged is a part of the key.
    """

    member: Member
    merges: tuple[str, ...]

    def fields(self) -> list[Member]:
        """Return the fields of the payload."""
        return [self.field(merge) for merge in self.merges]

    def field(self, merge: str) -> Member:
        """Return the field of the payload into which a merge goes."""
        return self._histogram() if merge == LOG2 else self._merged(merge)

    def merge_words(self) -> list[str]:
        """Return the macro calls that merge a sample into each of these fields."""
        return [
            f"PFM_TABLE_{merge.upper()}({field.name})"
            if merge != LOG2
            else f"PFM_TABLE_LOG2({field.name}, {self._carrier().name})"
            for merge, field in zip(self.merges, self.fields())
        ]

    def _merged(self, merge: str) -> Member:
        return replace(
            self.member,
            name=f"{self.member.name}_{merge}",
            # A sum of a smaller type would soon wrap.
            type="u64" if merge == "sum" else self.member.type,
            about=f"{merge} of: {self.member.about}",
            tested=self._tested(merge),
        )

    def _tested(self, merge: str) -> str:
        """Return the result of a merge in the KUnit suite."""
        if self.member.pmd:
            return str(MERGED[merge](SAMPLES))
        if merge == "sum":
            return f"{len(SAMPLES)} * {self.member.tested}"
        return self.member.tested

    def _carrier(self) -> Member:
        """Return the field from which the histogram takes a sample's value."""
        return self._merged(next(merge for merge in self.merges if merge != LOG2))

    def _histogram(self) -> Member:
        """Return an array of counts: of zeros, and of values of each length in bits."""
        carrier = self._carrier()
        return Member(
            f"{self.member.name}_hist",
            "u32",
            8 * SIZES[carrier.type] + 1,
            f"counts by powers of two of: {self.member.about}",
            "{}",
            f"{{ {self._counts(carrier.type)} }}",
        )

    def _counts(self, type_: str) -> str:
        """Return the initialisers of a histogram's counts in the KUnit suite."""
        if not self.member.pmd:
            index = f"PFM_CALLS_LOG2({type_}, {self.member.tested})"
            return f"[{index}] = {len(SAMPLES)}"
        counts = Counter(value.bit_length() for value in SAMPLES)
        return ", ".join(f"[{index}] = {count}" for index, count in counts.items())


def words(texts: Iterable[str]) -> dict[str, str]:
    """Return the replacements of the templates' placeholders for a format's table.

    Raises MemberError.
    """
    values = each("--field", texts, _value)
    key = [value.member for value in values if not value.merges]
    merged = [_apart(value, key) for value in values if value.merges]
    payload = [COUNT, *(field for value in merged for field in value.fields())]
    merges = [text for value in merged for text in value.merge_words()]
    members = [EVENT, *(key or USUAL)]
    expect_different([*members, *payload])
    record = [*packed(members, "key_pad"), *packed(payload)]
    if (size := sum(member.size for member in record)) > MAX_RECORD:
        raise MemberError(
            f"a record has {size} bytes, but the handler's stack has room for "
            f"{MAX_RECORD}: use fewer fields (or add fields to the generated source, "
            "and build the samples in the memory that pfm_table_priv() returns)"
        )
    return {
        **lines(record),
        "SAMPLED_VALUES": _sampled(key, merged),
        "SAMPLES": ", ".join(map(str, SAMPLES)),
        "TABLE_MERGES": ",\n".join(["PFM_TABLE_COUNT(count)", *merges]),
        WEIGHT: "\n".join([WEIGHT, *_roles(merged)]),
        "REPORT": f"report --by {_column(key)}" if key else "report",
    }


def _apart(value: Value, key: Sequence[Member]) -> Value:
    """Return a merged value; without its PMD if the PMD is part of the key, too.

    All samples with the same key have the same value of such a PMD.
    """
    if all(value.member.pmd != member.pmd for member in key):
        return value
    return replace(value, member=replace(value.member, pmd=None))


def _sampled(key: Sequence[Member], merged: Sequence[Value]) -> str:
    """Return the lines with the values of PMDs of a sample in the KUnit suite."""
    tested = {value.member.pmd: "merged" for value in merged if value.member.pmd}
    tested |= {member.pmd: member.tested for member in key if member.pmd}
    return sampled_values("merged", tested)


def _roles(values: Sequence[Value]) -> list[str]:
    """Return the lines of Python that give the fields their roles."""
    found = []
    for merge, role in ROLES.items():
        some = [value for value in values if merge in value.merges]
        if role and some:
            pairs = [
                f'    "{value.member.name}": "{value.field(merge).name}",'
                for value in some
            ]
            found += [f"pfm.Role.{role}: {{", *pairs, "},"]
    return found


def _column(key: Sequence[Member]) -> str:
    """Return what `pfmparse report --by` calls a column of the table's key."""
    numbers = [member for member in key if member.type != "char"]
    column = numbers[0].columns[0] if numbers else EVENT.name
    return KEYS.get(column, column)


def _value(text: str) -> Value:
    """Return the value that a --field describes: NAME:TYPE or NAME:TYPE=MERGE,..."""
    declared, equals, after = text.partition("=")
    member = field(declared)
    merges = tuple(after.split(",")) if equals else ()
    known = ", ".join(ROLES)
    for merge in merges:
        if merge not in ROLES:
            raise MemberError(f"unknown merge '{merge}'; use one of {known}")
    if len(set(merges)) < len(merges):
        raise MemberError("each way to merge can be given only once")
    if merges and member.name == COUNT.name:
        raise MemberError(
            "the name 'count' is reserved for the number of samples: use another one"
        )
    if merges and member.length:
        raise MemberError(
            "an array cannot be merged: leave out '=MERGE' to make it a part of the key"
        )
    if merges == (LOG2,):
        raise MemberError(
            f"log2 cannot be used alone: add another merge, such as {declared}=max,log2"
        )
    if LOG2 in merges and member.type.startswith("s"):
        raise MemberError("a histogram by powers of two needs an unsigned type")
    if "sum" in merges and member.type.startswith("s"):
        raise MemberError("a sum must not decrease: use an unsigned type")
    return Value(member, merges)
