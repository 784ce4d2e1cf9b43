"""Sphinx configuration. It builds without a network: nothing is fetched."""

from pkgutil import resolve_name

import torchopt
from torchopt.io.names import WRITTEN_IN, set_module

# Comments, the order of members and source are where a thing is written, not where it is exported.
for path, module in WRITTEN_IN.items():
    set_module(resolve_name(path), module)

project = "TorchOpt"
author = "The TorchOpt developers"
copyright = "2026, The TorchOpt developers"
version = release = torchopt.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "none"
autosummary_generate = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

# A reference to a name that is not there fails the build; other packages' pages are not at hand.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(torch|optree|concurrent|collections|pathlib|abc)(\..*)?"),
    # Types of fields, and bases, by the private modules where they stand.
    (r"py:.*", r"torchopt(\.\w+)*\._\w+\..*"),
    (r"py:.*", r"torchopt\.errors\._\w+"),  # what an error and a warning have in common
    # Types that rooms share, and no page has.
    (r"py:.*", r"torchopt\.diff\.(kinds|problem|solution)\..*"),
    (r"py:.*", r"torchopt\.visual\.data\.GraphData"),
    (r"py:class", r"TensorTree"),
]

html_theme = "furo"
html_title = f"TorchOpt {release}"
html_static_path = ["_static"]
