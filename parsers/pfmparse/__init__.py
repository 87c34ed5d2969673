# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parsers for perfmon captures and sampling buffers (docs/pfmparse.md).

The names exported here are the public interface (docs/library.md) for programs that
read captures, and for packages that add a format's parser or an export. All other names
may change. Inside the package, a module imports only from its own layer and the layers
below:

    __main__            the command line
    commands/           info, dump, report and others
    web/                the page of the serve command
    library             captures as tables of numpy arrays
    exports/            captures in the formats of other tools
    analysis/           selection, grouping, stacks: what views and exports share
    recording           the samples of a capture or of a raw buffer
    formats/, symbols/  decode buffers; look up functions and lines of addresses
    capture/            the capture file, with a module for each type of chunk
    errors, layout, pipeline, status_line
"""

from importlib import import_module
from typing import TYPE_CHECKING

# "import X as X" makes X public for type checkers, but flake8 reports it as unused.
# flake8: noqa: F401
if TYPE_CHECKING:
    from .capture.file import Capture as Capture
    from .capture.session import Session as Session
    from .capture.session import parse_session as parse_session
    from .capture.template import session_template as session_template
    from .errors import PfmParseError as PfmParseError
    from .exports.interface import Export as Export
    from .exports.interface import ExportError as ExportError
    from .exports.interface import Job as Job
    from .formats.c_header import header_struct as header_struct
    from .formats.chains import Chains as Chains
    from .formats.decoding import Decoded as Decoded
    from .formats.decoding import Decoder as Decoder
    from .formats.decoding import Format as Format
    from .formats.decoding import Lost as Lost
    from .formats.decoding import Region as Region
    from .formats.registry import find_format as find_format
    from .formats.roles import Role as Role
    from .formats.samples import Column as Column
    from .formats.samples import Lazy as Lazy
    from .formats.samples import PmdGroup as PmdGroup
    from .formats.samples import Roles as Roles
    from .formats.samples import Samples as Samples
    from .formats.samples import record_columns as record_columns
    from .formats.sink import SINK_ARGUMENT as SINK_ARGUMENT
    from .formats.sink import Records as Records
    from .formats.sink import sink_decoder as sink_decoder
    from .layout import Data as Data
    from .layout import bad_field as bad_field
    from .layout import integers as integers
    from .layout import struct_dtype as struct_dtype
    from .layout import structures as structures
    from .library import Captures as Captures
    from .library import open as open
    from .recording import Batch as Batch
    from .recording import Recording as Recording
    from .recording import open_capture as open_capture
    from .recording import open_raw as open_raw
    from .symbols.location import Detail as Detail
    from .symbols.location import Frame as Frame
    from .symbols.location import Location as Location
    from .symbols.location import SymbolOptions as SymbolOptions
    from .symbols.resolver import Addresses as Addresses
    from .symbols.resolver import Resolver as Resolver

# A copy of ../../VERSION, because the installed package does not contain that file.
__version__ = "0.9.0"

# The public names and their modules. A module is imported only when one of its names is
# used, because commands such as `pfmparse --version` need none of them.
_MODULES = {
    "Addresses": "symbols.resolver",
    "Batch": "recording",
    "Capture": "capture.file",
    "Captures": "library",
    "Chains": "formats.chains",
    "Column": "formats.samples",
    "Data": "layout",
    "Decoded": "formats.decoding",
    "Decoder": "formats.decoding",
    "Detail": "symbols.location",
    "Export": "exports.interface",
    "ExportError": "exports.interface",
    "Format": "formats.decoding",
    "Frame": "symbols.location",
    "Job": "exports.interface",
    "Lazy": "formats.samples",
    "Location": "symbols.location",
    "Lost": "formats.decoding",
    "PfmParseError": "errors",
    "PmdGroup": "formats.samples",
    "Recording": "recording",
    "Records": "formats.sink",
    "Region": "formats.decoding",
    "Resolver": "symbols.resolver",
    "Role": "formats.roles",
    "Roles": "formats.samples",
    "SINK_ARGUMENT": "formats.sink",
    "Samples": "formats.samples",
    "Session": "capture.session",
    "SymbolOptions": "symbols.location",
    "bad_field": "layout",
    "find_format": "formats.registry",
    "header_struct": "formats.c_header",
    "integers": "layout",
    "open": "library",
    "open_capture": "recording",
    "open_raw": "recording",
    "parse_session": "capture.session",
    "record_columns": "formats.samples",
    "session_template": "capture.template",
    "sink_decoder": "formats.sink",
    "struct_dtype": "layout",
    "structures": "layout",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Imports a public name from its module and returns it."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Returns all names, including those that are not imported yet."""
    return sorted({*globals(), *__all__})
