# SPDX-License-Identifier: MIT OR GPL-2.0
"""Configuration of Sphinx for the API reference: `make docs`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "parsers"))

project = "perfmon"
author = "perfmon developers"
version = release = (ROOT / "VERSION").read_text().strip()
extensions = ["sphinx.ext.autodoc"]
autodoc_member_order = "bysource"
autodoc_type_aliases = {"Column": "Column", "Data": "Data"}
python_use_unqualified_type_names = True
html_theme = "alabaster"
html_copy_source = False
html_show_copyright = False
