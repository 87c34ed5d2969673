# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parsers for perfmon captures and sampling buffers (docs/pfmparse.md).

The names here are the public interface: what a program that reads captures uses,
and what a package needs that brings a decoder for a format of its own. Everything
else may move. Inside, imports go one way, from the top to the bottom:

    __main__            the command line
    commands/           info, dump and report
    recording           the samples of a capture or of a raw buffer
    formats/, symbols/  buffers to samples; addresses to functions and lines
    capture/            the capture file, with a module for each type of chunk
    errors, layout, grouping
"""

from .capture.file import Capture
from .capture.session import Session, parse_session
from .errors import PfmParseError
from .formats.registry import find as find_format
from .formats.samples import (
    Column,
    Decoded,
    Decoder,
    Format,
    Lazy,
    Lost,
    PmdGroup,
    Region,
    Samples,
)
from .layout import struct_dtype
from .recording import Batch, Recording, open_capture, open_raw

# That of ../../VERSION, which the package does not have once it is installed.
__version__ = "0.9.0"

__all__ = [
    "Batch",
    "Capture",
    "Column",
    "Decoded",
    "Decoder",
    "Format",
    "Lazy",
    "Lost",
    "PfmParseError",
    "PmdGroup",
    "Recording",
    "Region",
    "Samples",
    "Session",
    "find_format",
    "open_capture",
    "open_raw",
    "parse_session",
    "struct_dtype",
]
