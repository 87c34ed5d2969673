# SPDX-License-Identifier: MIT OR GPL-2.0
"""Generate the C lines of a new format's record from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

# Types, and the size in bytes of an element.
SIZES = {f"{sign}{8 * size}": size for sign in "us" for size in (1, 2, 4, 8)}
SIZES["char"] = 1
WORD = 8
MAX_NAME = 31
# Maximum size of a record, which must fit into each region of the default buffer.
MAX_RECORD = 4096

FIELD = re.compile(r"(?P<name>[^:]*):(?P<type>\w*?)(?:x(?P<length>[0-9]{1,9}))?")
NAME = re.compile(r"[a-z][a-z0-9_]*")
# Other spellings of the types, for hints.
ALIKE = re.compile(r"(?:__)?(?P<sign>[us]?)(?:int)?(?P<bits>8|16|32|64)(?:_t)?")
# pfmparse omits columns named like padding, and uses pmdN for the values of PMDs.
UNSEEN = re.compile(r".*(pad|reserved)|pmd\d+$")
KEYWORDS = frozenset(
    "alignas alignof and asm auto bool break case catch char class const constexpr "
    "continue current decltype default delete do double else enum explicit export "
    "extern fallthrough false float for friend goto if inline int linux long mutable "
    "namespace new noinline noinstr not notrace nullptr operator or private "
    "protected public register restrict return short signed sizeof static struct "
    "switch template this throw true try typedef typeid typename typeof union unix "
    "unsigned using virtual void volatile while xor".split()
)


class MemberError(Exception):
    """A member cannot be declared; the text has the reason and a remedy."""


@dataclass(frozen=True)
class Member:
    """A member of a structure.

    length: length of an array, 0 for a single value. value: the expression to which the
    handler sets the member; None if the format's author must write it. tested: the
    value that the KUnit suite expects. pmd: the PMD whose value the handler takes, if
    any.
    """

    name: str
    type: str
    length: int = 0
    about: str = "describe it here"
    value: str | None = None
    tested: str = "0"
    pmd: str | None = None

    @property
    def size(self) -> int:
        """Return the size in bytes."""
        return SIZES[self.type] * (self.length or 1)

    @property
    def columns(self) -> list[str]:
        """Return the names of the member's columns in pfmparse."""
        if self.length and self.type != "char":
            return [f"{self.name}{i}" for i in range(self.length)]
        return [self.name]

    def declaration(self) -> str:
        """Return the member's line in the structure."""
        type_ = self.type if self.type == "char" else f"__{self.type}"
        return f"{type_}\t{self.name}{f'[{self.length}]' if self.length else ''};"

    def assignment(self) -> str:
        """Return the member's line in the handler."""
        if self.value is not None:
            return f".{self.name} = {self.value},"
        return f".{self.name} = {self._none()}, /* set your value here */"

    def expectation(self) -> str:
        """Return the member's line in the KUnit suite."""
        return f".{self.name} = {self._none() if self.value is None else self.tested},"

    def _none(self) -> str:
        return "{}" if self.length else "0"


Read = TypeVar("Read")


def _known(name: str, type_: str, about: str, value: str, tested: str) -> Member:
    return Member(name, type_, 0, about, value, tested)


def _sampled(name: str, pmd: str, about: str, tested: int) -> Member:
    """Return a member with a PMD's value, or 0 if the sample does not include it.

    tested: a value that all types can hold.
    """
    value = f"pfm_smpl_value_or(arg, {pmd}, 0)"
    return Member(name, "u64", 0, about, value, str(tested), pmd)


# Members whose line in the handler is generated.
KNOWN = {
    member.name: member
    for member in (
        _known("ip", "u64", "instruction pointer", "data->ip", "PFM_CALLS_IP(1)"),
        _known("tstamp", "u64", "time in ns", "tstamp", "PFM_CALLS_TSTAMP"),
        _known(
            *("event", "u64", "eventid of the event that overflowed"),
            *("arg->pmd_eventid", "77"),
        ),
        _known("tid", "u32", "thread", "data->tid", "PFM_CALLS_TID"),
        _known("tgid", "u32", "its process", "data->tgid", "PFM_CALLS_TGID"),
        _known("cpu", "u32", "CPU", "arg->ovfl_cpu", "PFM_CALLS_CPU"),
        _known("ovfl_pmd", "u16", "PMD that overflowed", "arg->ovfl_pmd", "1"),
        _known("set", "u16", "its event set", "arg->active_set", "PFM_CALLS_SET"),
        _known(
            *("period", "u64", "events from the reset to the overflow"),
            *("-arg->pmd_last_reset", "-PFM_CALLS_LAST_RESET"),
        ),
        _sampled("addr", "PFM_PMD_ADDRESS", "data address", 6),
        _sampled("latency", "PFM_PMD_LATENCY", "latency of the access in cycles", 7),
        _sampled("weight2", "PFM_PMD_WEIGHT2", "second part of perf's weight", 8),
        _sampled("weight3", "PFM_PMD_WEIGHT3", "third part of perf's weight", 9),
        _sampled("source", "PFM_PMD_SOURCE", "union perf_mem_data_src", 10),
        _sampled("physical", "PFM_PMD_PHYSICAL", "physical address of the data", 11),
        _sampled("transaction", "PFM_PMD_TRANSACTION", "PERF_TXN_*", 12),
    )
}
NUM_PMDS = _known(
    *("num_pmds", "u32", "number of 64-bit values that follow"),
    *("n", "ARRAY_SIZE(values)"),
)
VERSION = _known("version", "u32", *3 * ("PFM_NEWFMT_SMPL_VERSION",))
# Members of each record.
SAMPLE = ("ip", "tstamp", "event", "tid", "tgid", "cpu")


def record(last: Member, texts: Iterable[str]) -> list[Member]:
    """Return a record's members: the common ones and those from the command line."""
    members = [*(KNOWN[name] for name in SAMPLE), last]
    members += each("--field", texts, field)
    expect_different(members)
    return packed(members)


def each(option: str, texts: Iterable[str], read: Callable[[str], Read]) -> list[Read]:
    """Apply read() to each text of an option. A MemberError quotes the text."""
    members = []
    for text in texts:
        try:
            members.append(read(text))
        except MemberError as error:
            raise MemberError(f"{option} '{text}': {error}") from None
    return members


def packed(members: Sequence[Member], pad: str = "pad") -> list[Member]:
    """Return the members from the largest to the smallest type, and padding at the end.

    pad: name of the padding. Raises MemberError if the members are too large.
    """
    ordered = sorted(members, key=lambda member: -SIZES[member.type])
    size = sum(member.size for member in ordered)
    if size > MAX_RECORD:
        raise MemberError(
            f"the fields have {size} bytes together: use at most {MAX_RECORD}"
        )
    if rest := -size % WORD:
        ordered.append(Member(pad, "u8", rest, "0", "{}", "{}"))
    return ordered


def lines(members: Sequence[Member]) -> dict[str, str]:
    """Return the replacements of the templates' placeholders for a record's members."""
    width = max(len(member.name) for member in members) + 1
    return {
        "RECORD_ABOUT": "\n".join(
            f"@{member.name + ':':{width}} {member.about}" for member in members
        ),
        "RECORD_MEMBERS": "\n".join(member.declaration() for member in members),
        "RECORD_VALUES": "\n".join(member.assignment() for member in members),
        "RECORD_EXPECTED": "\n".join(member.expectation() for member in members),
        "SAMPLED_VALUES": sampled_values(
            "5", {member.pmd: member.tested for member in members if member.pmd}
        ),
    }


def sampled_values(first: str, tested: Mapping[str, str]) -> str:
    """Return the lines with the values of PMDs of a sample in the KUnit suite.

    first: the value of PMD0. tested: PMD -> value.
    """
    order = [member.pmd for member in KNOWN.values() if member.pmd]
    values = [f"{{ {pmd}, {tested[pmd]} }}," for pmd in order if pmd in tested]
    return "\n".join([f"{{ 0, {first} }},", *values])


def field(text: str) -> Member:
    """Return the member that a --field describes: NAME:TYPE or NAME:TYPExN."""
    found = FIELD.fullmatch(text)
    if found is None and FIELD.fullmatch(text.partition("=")[0]):
        raise MemberError("only formats of the model 'table' merge fields")
    if found is None:
        raise MemberError("use NAME:TYPE or NAME:TYPExN, such as latency:u64")
    name, type_, length = found["name"], found["type"], int(found["length"] or 0)
    check_name(name)
    _check_type(type_)
    if found["length"] and not length:
        raise MemberError("an array needs at least one element")
    if type_ == "char" and not length:
        raise MemberError("use u8 or s8 for a number, or charxN for text")
    if name in KNOWN and not length:
        return replace(KNOWN[name], type=type_)
    return Member(name, type_, length)


def check_name(name: str) -> None:
    """Raise MemberError if a member cannot have this name."""
    if not NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise MemberError(
            f"invalid name '{name}': use at most {MAX_NAME} lower-case letters, digits "
            "and underscores, beginning with a letter"
        )
    if name in KEYWORDS:
        raise MemberError(
            f"'{name}' is reserved in C or C++, or is a macro in the kernel; use "
            "another name"
        )
    if UNSEEN.match(name):
        raise MemberError(
            f"pfmparse does not show columns such as '{name}': use a name that is not "
            "pmdN and does not contain 'pad' or 'reserved'"
        )


def _check_type(type_: str) -> None:
    """Raise MemberError if the type does not exist."""
    if type_ in SIZES:
        return
    alike = ALIKE.fullmatch(type_)
    meant = f"; did you mean '{alike['sign'] or 's'}{alike['bits']}'?" if alike else ""
    known = ", ".join(SIZES)
    raise MemberError(f"unknown type '{type_}'{meant or f'; use {known}'}")


def expect_different(members: Iterable[Member]) -> None:
    """Raise MemberError if two members have a column or a name in common."""
    names: set[str] = set()
    for member in members:
        for name in {member.name, *member.columns}:
            if name in names:
                raise MemberError(
                    f"there are two fields '{name}': leave one out, or rename it"
                )
            names.add(name)
