# SPDX-License-Identifier: MIT OR GPL-2.0
"""Make numpy dtypes of structures from the C header that declares them."""

from __future__ import annotations

import os
import re
from typing import Any, Iterator, Union

import numpy as np

from ..layout import Field, struct_dtype
from ..text import amount
from .sink import SINK_ARGUMENT

TYPES = {
    "char": "S1",
    **{f"__u{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
    **{f"__s{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
}
# A structure whose members become fields of the structure that contains it.
SINK = "pfm_sink_arg_t"
WORD = 8

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DECLARATION = re.compile(r"\s*([^;\s][^;]*)(;?)")
_MEMBER = re.compile(r"(\w+)\s+(\w+)\s*(?:\[\s*(\w+)\s*\])?", re.ASCII)
# A leading zero is not allowed, because C reads 010 as 8.
_LENGTH = re.compile(r"[1-9][0-9]{0,4}")


def header_struct(
    header: Union[str, "os.PathLike[str]"], name: str
) -> np.dtype[np.void]:
    """Returns the dtype of the structure that a C header declares as ``name``.

    The declaration is ``typedef struct { ... } name;``. Its members are integers of
    fixed size (``__u8`` to ``__s64``), arrays of these or of ``char``, or a
    ``pfm_sink_arg_t``, whose members become fields of the dtype. Padding between or
    after members is not allowed.

    Raises OSError if the header cannot be read. Raises ValueError, with the line, if
    the header has no such declaration.
    """
    with open(header, encoding="utf-8") as stream:
        text = _COMMENT.sub(_blank, stream.read())
    return _Struct(os.path.basename(header), text, name).dtype()


def _blank(comment: re.Match[str]) -> str:
    """Returns a space and the comment's line ends, to preserve line numbers."""
    return " " + "\n" * comment[0].count("\n")


class _Struct:
    """A structure in the text of a header."""

    def __init__(self, file: str, text: str, name: str) -> None:
        end = rf"\s*{re.escape(name)}\s*;"
        found = re.search(rf"\btypedef\s+struct\s*{{([^{{}}]*)}}{end}", text)
        if found is None:
            raise ValueError(f"{file} has no 'typedef struct {{ ... }} {name};'")
        self._file, self._text, self._name = file, text, name
        self._start, self._end = found.span(1)

    def dtype(self) -> np.dtype[np.void]:
        """Returns the dtype.

        Raises ValueError if a member cannot be read, or if there is padding.
        """
        fields: list[Field] = []
        end, widest = 0, 1
        for member, kind, length, line in self._members():
            spec, align = self._type(kind, line)
            self._expect_aligned(end, align, f"before '{member}'", line)
            widest = max(widest, align)
            if kind == SINK:
                assert spec.names and spec.fields
                new = [(n, spec[n], end + spec.fields[n][1]) for n in spec.names]
            else:
                if spec.kind == "S" and not length:
                    text = f"'{member}' is a single char: use __u8 or __s8 for a number"
                    raise self._error(line, text)
                spec = _array(spec, length)
                new = [(member, spec, end)]
            for twice in {n for n, _, _ in new} & {n for n, _, _ in fields}:
                raise self._error(line, f"there are two fields '{twice}': rename one")
            fields += new
            end += spec.itemsize
        self._expect_aligned(end, widest, "at the end", self._line(self._end))
        return struct_dtype(end, fields)

    def _members(self) -> Iterator[tuple[str, str, int, int]]:
        """Yields name, type, length of the array or 0, and line of each member."""
        for found in _DECLARATION.finditer(self._text, self._start, self._end):
            line = self._line(found.start(1))
            member = _MEMBER.fullmatch(found[1].strip())
            if member is None or not found[2]:
                text = " ".join(found[1].split())
                raise self._error(line, f"'{text}' is not a member such as '__u64 ip'")
            yield member[2], member[1], self._length(member[3], line), line

    def _type(self, kind: str, line: int) -> tuple[np.dtype[Any], int]:
        """Returns the dtype and the alignment of a type."""
        if kind == SINK:
            return SINK_ARGUMENT, WORD
        if kind not in TYPES:
            known = ", ".join([*TYPES, SINK])
            raise self._error(line, f"unknown type '{kind}'; use one of {known}")
        spec = np.dtype(TYPES[kind])
        return spec, spec.itemsize

    def _length(self, text: str | None, line: int) -> int:
        """Returns the length of an array: a number or a macro of the header, or 0."""
        if text is None:
            return 0
        define = rf"^[ \t]*#[ \t]*define[ \t]+{text}\b(.*)"
        macros = re.findall(define, self._text, re.MULTILINE)
        number = macros[0].strip() if len(macros) == 1 else text
        if not _LENGTH.fullmatch(number):
            raise self._error(
                line,
                f"array length '{text}' is not a number from 1 to 99999; a "
                "macro must be defined exactly once, as such a number",
            )
        return int(number)

    def _expect_aligned(self, end: int, align: int, where: str, line: int) -> None:
        if missing := -end % align:
            text = f"{amount(missing, 'bytes')} of padding {where}: declare them, "
            text += "for example as "
            raise self._error(line, f"{text}'__u8 pad[{missing}]', or move members")

    def _line(self, position: int) -> int:
        return self._text.count("\n", 0, position) + 1

    def _error(self, line: int, text: str) -> ValueError:
        return ValueError(f"{self._file}:{line}: {self._name}: {text}")


def _array(spec: np.dtype[Any], length: int) -> np.dtype[Any]:
    """Returns the dtype of an array of ``length`` elements; 0 means no array."""
    if not length:
        return spec
    return np.dtype(f"S{length}" if spec.kind == "S" else f"({length},){spec.str}")
