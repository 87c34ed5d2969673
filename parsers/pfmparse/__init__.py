# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parsers for perfmon captures and sampling buffers (docs/pfmparse.md).

The names exported here are the public interface, both for programs that read captures
and for packages that add a decoder for another format. Everything else may move.
Inside the package, a module imports only from its own layer and the layers below:

    __main__            the command line
    commands/           info, dump, report and others
    exports/            captures in the formats of other tools
    analysis/           selection, grouping, stacks: what views and exports share
    recording           the samples of a capture or of a raw buffer
    formats/, symbols/  buffers to samples; addresses to functions and lines
    capture/            the capture file, with a module for each type of chunk
    errors, arrays, layout, grouping, pipeline, status_line
"""

from .capture.file import Capture
from .capture.session import Session, parse_session
from .capture.template import session_template
from .errors import PfmParseError
from .formats.chains import Chains
from .formats.decoding import Decoded, Decoder, Format, Lost, Region
from .formats.registry import find as find_format
from .formats.roles import Role
from .formats.samples import Column, Lazy, PmdGroup, Samples
from .formats.sink import SINK_ARGUMENT, Records, sink_decoder
from .layout import Data, bad_field, integers, struct_dtype, structures
from .recording import Batch, Recording, open_capture, open_raw
from .symbols.location import Detail, Frame, Location
from .symbols.options import SymbolOptions
from .symbols.resolver import Addresses, Resolver

# A copy of ../../VERSION, which is not part of the installed package.
__version__ = "0.9.0"

__all__ = [
    "Addresses",
    "Batch",
    "Capture",
    "Chains",
    "Column",
    "Data",
    "Decoded",
    "Decoder",
    "Detail",
    "Format",
    "Frame",
    "Lazy",
    "Location",
    "Lost",
    "PfmParseError",
    "PmdGroup",
    "Recording",
    "Records",
    "Region",
    "Resolver",
    "Role",
    "SINK_ARGUMENT",
    "Samples",
    "Session",
    "SymbolOptions",
    "bad_field",
    "find_format",
    "integers",
    "open_capture",
    "open_raw",
    "parse_session",
    "session_template",
    "sink_decoder",
    "struct_dtype",
    "structures",
]
