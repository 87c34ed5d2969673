# SPDX-License-Identifier: MIT OR GPL-2.0
"""Bindings for the functions of elfutils' libdw and libelf that are used."""

from __future__ import annotations

import ctypes as c
from functools import lru_cache
from typing import Any, NamedTuple

# Arguments of Dwfl_Callbacks.find_debuginfo: module, its user data, name and base;
# file; debug link and its checksum; output for the path found, which must be allocated
# with malloc().
_FIND_ARGUMENTS: list[Any] = [c.c_void_p, c.c_void_p, c.c_char_p, c.c_uint64]
_FIND_ARGUMENTS += [c.c_char_p, c.c_char_p, c.c_uint32, c.POINTER(c.c_void_p)]
FindDebuginfo = c.CFUNCTYPE(c.c_int, *_FIND_ARGUMENTS)


class Callbacks(c.Structure):
    """Dwfl_Callbacks of <elfutils/libdwfl.h>."""

    _fields_ = [
        ("find_elf", c.c_void_p),
        ("find_debuginfo", FindDebuginfo),
        ("section_address", c.c_void_p),
        ("debuginfo_path", c.POINTER(c.c_char_p)),
    ]


class Die(c.Structure):
    """Dwarf_Die of <elfutils/libdw.h>; if ``abbrev`` is NULL, libdw looks it up."""

    _fields_ = [
        ("addr", c.c_void_p),
        ("cu", c.c_void_p),
        ("abbrev", c.c_void_p),
        ("padding", c.c_long),
    ]


class Attribute(c.Structure):
    """Dwarf_Attribute of <elfutils/libdw.h>."""

    _fields_ = [
        ("code", c.c_uint),
        ("form", c.c_uint),
        ("valp", c.c_void_p),
        ("cu", c.c_void_p),
    ]


class Ehdr(c.Structure):
    """The start of GElf_Ehdr of <gelf.h>, with the fields that are used."""

    _fields_ = [
        ("e_ident", c.c_uint8 * 16),
        ("e_type", c.c_uint16),
        ("e_machine", c.c_uint16),
        ("e_version", c.c_uint32),
        ("e_rest", c.c_uint64 * 5),
    ]


class Phdr(c.Structure):
    """GElf_Phdr of <gelf.h>."""

    _fields_ = [
        ("p_type", c.c_uint32),
        ("p_flags", c.c_uint32),
        ("p_offset", c.c_uint64),
        ("p_vaddr", c.c_uint64),
        ("p_paddr", c.c_uint64),
        ("p_filesz", c.c_uint64),
        ("p_memsz", c.c_uint64),
        ("p_align", c.c_uint64),
    ]


class Shdr(c.Structure):
    """GElf_Shdr of <gelf.h>."""

    _fields_ = [
        ("sh_name", c.c_uint32),
        ("sh_type", c.c_uint32),
        ("sh_flags", c.c_uint64),
        ("sh_addr", c.c_uint64),
        ("sh_offset", c.c_uint64),
        ("sh_size", c.c_uint64),
        ("sh_link", c.c_uint32),
        ("sh_info", c.c_uint32),
        ("sh_addralign", c.c_uint64),
        ("sh_entsize", c.c_uint64),
    ]


class Sym(c.Structure):
    """GElf_Sym of <gelf.h>."""

    _fields_ = [
        ("st_name", c.c_uint32),
        ("st_info", c.c_uint8),
        ("st_other", c.c_uint8),
        ("st_shndx", c.c_uint16),
        ("st_value", c.c_uint64),
        ("st_size", c.c_uint64),
    ]


class ElfData(c.Structure):
    """Elf_Data of <libelf.h>."""

    _fields_ = [
        ("d_buf", c.c_void_p),
        ("d_type", c.c_int),
        ("d_version", c.c_uint),
        ("d_size", c.c_size_t),
        ("d_off", c.c_int64),
        ("d_align", c.c_size_t),
    ]


class Libraries(NamedTuple):
    """The loaded libraries libdw and libelf."""

    dw: c.CDLL
    elf: c.CDLL


@lru_cache(maxsize=None)
def libraries() -> Libraries:
    """Returns libdw and libelf with prototypes; raises OSError if one is missing.

    Functions that are called for each DIE have no argument types, because converting
    the arguments would take as long as the call.
    """
    dw, elf = c.CDLL("libdw.so.1"), c.CDLL("libelf.so.1")
    pointer, u64, u64_out = c.c_void_p, c.c_uint64, c.POINTER(c.c_uint64)
    string, size_out = c.c_char_p, c.POINTER(c.c_size_t)
    prototypes: list[tuple[Any, Any, list[Any]]] = [
        (dw.dwfl_begin, pointer, [c.POINTER(Callbacks)]),
        (dw.dwfl_end, None, [pointer]),
        (dw.dwfl_report_begin, None, [pointer]),
        (
            dw.dwfl_report_elf,
            pointer,
            [pointer, string, string, c.c_int, u64, c.c_bool],
        ),
        (dw.dwfl_report_end, c.c_int, [pointer, pointer, pointer]),
        (
            dw.dwfl_module_build_id,
            c.c_int,
            [pointer, c.POINTER(c.POINTER(c.c_ubyte)), u64_out],
        ),
        (dw.dwfl_module_getelf, pointer, [pointer, u64_out]),
        (dw.dwfl_module_getdwarf, pointer, [pointer, u64_out]),
        (dw.dwfl_module_getsymtab, c.c_int, [pointer]),
        (dw.dwfl_module_getsymtab_first_global, c.c_int, [pointer]),
        (
            dw.dwfl_module_getsym_info,
            string,
            [pointer, c.c_int, c.POINTER(Sym)]
            + [pointer, pointer, c.POINTER(pointer), u64_out],
        ),
        (dw.dwarf_getelf, pointer, [pointer]),
        (dw.dwarf_get_units, c.c_int, [pointer] * 7),
        (dw.dwarf_getsrclines, c.c_int, [pointer, c.POINTER(pointer), size_out]),
        (dw.dwarf_getsrcfiles, c.c_int, [pointer, c.POINTER(pointer), size_out]),
        (dw.dwarf_filesrc, string, [pointer, c.c_size_t, pointer, pointer]),
        (dw.dwarf_onesrcline, pointer, [pointer, c.c_size_t]),
        (dw.dwarf_lineaddr, c.c_int, [pointer, u64_out]),
        (dw.dwarf_lineno, c.c_int, [pointer, c.POINTER(c.c_int)]),
        (dw.dwarf_lineendsequence, c.c_int, [pointer, c.POINTER(c.c_bool)]),
        (dw.dwarf_linesrc, string, [pointer, pointer, pointer]),
        (dw.dwarf_getsrc_die, pointer, [c.POINTER(Die), u64]),
        (dw.dwarf_diename, string, [c.POINTER(Die)]),
        (dw.dwarf_formstring, string, [c.POINTER(Attribute)]),
        (dw.dwarf_decl_file, string, [c.POINTER(Die)]),
        (dw.dwarf_getscopes_die, c.c_int, [c.POINTER(Die), c.POINTER(c.POINTER(Die))]),
        (dw.strdup, pointer, [string]),
        (dw.free, None, [pointer]),
        (elf.gelf_getclass, c.c_int, [pointer]),
        (elf.gelf_getehdr, pointer, [pointer, c.POINTER(Ehdr)]),
        (elf.elf_getphdrnum, c.c_int, [pointer, size_out]),
        (elf.gelf_getphdr, pointer, [pointer, c.c_int, c.POINTER(Phdr)]),
        (elf.elf_nextscn, pointer, [pointer, pointer]),
        (elf.gelf_getshdr, pointer, [pointer, c.POINTER(Shdr)]),
        (elf.elf_rawdata, c.POINTER(ElfData), [pointer, pointer]),
        (elf.elf_getdata, c.POINTER(ElfData), [pointer, pointer]),
        (
            elf.elf_getdata_rawchunk,
            c.POINTER(ElfData),
            [pointer, c.c_int64, c.c_size_t, c.c_int],
        ),
        (elf.elf_getshdrstrndx, c.c_int, [pointer, size_out]),
        (elf.elf_strptr, string, [pointer, c.c_size_t, c.c_size_t]),
    ]
    for function, result, arguments in prototypes:
        function.restype, function.argtypes = result, arguments
    dw.dwfl_standard_find_debuginfo.argtypes = _FIND_ARGUMENTS
    dw.dwarf_ranges.restype = c.c_ssize_t
    for function in (dw.dwarf_attr, dw.dwarf_attr_integrate, dw.dwarf_formref_die):
        function.restype = pointer
    return Libraries(dw, elf)


def available() -> bool:
    """Returns whether libdw and libelf are installed."""
    try:
        libraries()
    except OSError:
        return False
    return True
