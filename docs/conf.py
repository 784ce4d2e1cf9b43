"""Sphinx configuration. It builds without a network: nothing is fetched."""

import gc
import hashlib
import logging
import os
import re
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import metadata
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

_root = Path(__file__).parents[1]
sys.path.append(str(_root / "docs/_ext"))
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Notebooks import the examples' tools; the process that they are forked from, `run_notebook`.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(_root), str(_root / "docs/_ext"), os.environ.get("PYTHONPATH", "")]
)
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a hint of the debugger's
os.environ["MATPLOTLIBRC"] = str(Path(__file__).with_name("matplotlibrc"))
# Another process imports what notebooks need while this one imports the package.
if hasattr(os, "fork"):
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload(["run_notebook", "gallery"])
    forkserver.ensure_running()

import torch
from docutils import nodes
from sphinx import addnodes
from sphinx.ext.viewcode import viewcode_anchor
from sphinx.search.en import SearchEnglish
from sphinx.util import inspect as sphinx_inspect

import torchopt
from torchopt import typing
from torchopt.io import published
from torchopt.io.calls import CallRepr
from torchopt.io.names import WRITTEN_IN, import_rooms, set_module

gc.freeze()  # what is imported stays; documents are many objects that live long
gc.set_threshold(200_000, 50, 1000)
import_rooms()
for (
    name
) in published.ROOMS.split():  # imported later, they would name classes once more
    import_module(f"torchopt.{name}")
# Comments, the order of members and source are where a thing is written, not where it is exported.
for path, module in [*WRITTEN_IN.items()]:
    set_module(resolve_name(path), module)
# PyTorch's pages have it there, and the class says torch.jit.
set_module(torch.futures.Future, "torch.futures")

project = "TorchOpt"
author = "The TorchOpt developers"
copyright = "2026, The TorchOpt developers"
version = release = torchopt.__version__

extensions = [
    "gallery",
    "myst_nb",
    "second_names",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "summary",
    "trend",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Each notebook runs in a folder and a process of its own; an exception or a warning fails the build.
# It runs again when its code, the package or what examples share changes.
_package = hashlib.sha256(torch.__version__.encode())
for folder in (Path(torchopt.__file__).parent, _root / "examples/tools"):
    for path in sorted(folder.rglob("*.py")):
        _package.update(path.read_bytes())
nb_execution_mode = "cache"
nb_execution_cache_path = str(
    Path(__file__).parent / "_build/notebooks" / _package.hexdigest()[:16]
)
nb_output_stderr = "warn"
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "signature"
autodoc_type_aliases = {
    name: f"torchopt.typing.{name}"
    for name in typing.__all__
    if not isinstance(getattr(typing, name), type)
}
# Trees of terms, of sets and of batches, which refer to themselves.
autodoc_type_aliases |= {
    name: f"torchopt.solver.types.{name}" for name in ("Batches", "Sets", "Terms")
}
# Within a union or a callable, Sphinx 9 writes the representation of an alias.
sphinx_inspect.TypeAliasForwardRef.__repr__ = lambda self: self.name
# A default is shown as a program writes it: a function by its name, a transformation as its call.
_described_object = sphinx_inspect.object_description


def default_value(value, **options):
    """Return the text of a default value; Sphinx would print `<...>`, or the fields of a tuple."""
    if isinstance(value, torchopt.GradientTransformation):
        return repr(value)
    text = _described_object(value, **options)
    name = getattr(value, "__name__", "...")
    return text if text[0] != "<" else name if name.isidentifier() else "..."


sphinx_inspect.object_description = default_value
# The signature to show is that of each class: Sphinx passes over a `__new__` of this name.
CallRepr.__new__.__module__, CallRepr.__new__.__qualname__ = "typing", "Generic.__new__"
autosummary_generate = False
maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True

# The inventories list the names that the pages refer to; an unknown name fails the build.
intersphinx_mapping = {
    "python": ("https://docs.python.org/3/", "inventories/python.inv"),
    "torch": ("https://docs.pytorch.org/docs/stable/", "inventories/torch.inv"),
}
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"optree(\..*)?"),
    (r"py:class", r"torch\.dtype"),  # their pages have it as an attribute
    (
        r"py:.*",
        r"(torch|concurrent)(\.\w+)*\._\w+(\..*)?",
    ),  # where a class of theirs is written
    (r"py:class", r"torch\.nn\.modules\..*"),
    (r"py:class", r"torch\.distributed\.rpc\..*"),  # made where RPC is there
    (r"py:class", r"torchopt\.optim\.states\.ModuleState"),
    # Types of fields, and bases, by the private modules where they stand.
    (r"py:.*", r"torchopt(\.\w+)*\._\w+\..*"),
    (r"py:.*", r"torchopt\.errors\._\w+"),  # what an error and a warning have in common
    (r"py:.*", r"torchopt(\.\w+)*\._\w+"),  # type variables
    # Types that rooms share, and no page has.
    (r"py:.*", r"torchopt\.(solver\.types|pytree\.typing)\..*"),
    (r"py:.*", r"torchopt\.diff\.(equations|flat_problem|kinds|problem|solution)\..*"),
    (r"py:.*", r"torchopt\.visual\.data\.GraphData"),
    (
        r"py:class",
        r"torchopt\.compat\.linear_solve\.(CG|NormalCG)",
    ),  # what functions return
    # Type variables and literals that autodoc leaves as they are written.
    (
        r"py:class",
        r"_\w+|Baseline|Digraph|InitVar|JVP|Lengths|NonFinite|OnFailure|Shaping|Tasks",
    ),
    (r"py:class", r"CopyMode|Policy|Replicated|Varying|nn\.Module|dict\[int \| None"),
    (r"py:class", r"Dim|Method|Restart|Scaling|Step|Variant"),
    (r"py:class", r"Aux|InnerSolver|Names|(LeastSquares|Minimize)?Options|P"),
    (r"py:class", r"Accumulate|Mode|Precision|Reduction|Scale|Strategy"),
    (r"py:class", r"torchopt\.(prox|sets)\.\w+\.(T|Ball)"),
]

# Each word is stemmed once, not once for each page.
SearchEnglish.stem = staticmethod(cache(SearchEnglish({}).stem))

html_theme = "furo"
html_title = f"TorchOpt {release}"  # on top of each page
# Links to edit a page, once the project has an address (CONTRIBUTING.md, "A release").
_urls = dict(
    line.split(", ") for line in metadata("torchopt-diff").get_all("Project-URL")
)
if "Source" in _urls:
    html_theme_options = {
        "source_repository": _urls["Source"],
        "source_branch": "main",
        "source_directory": "docs/",
    }
# The file of MathJax that contains its fonts, so that formulas need no network.
_mathjax = (
    Path(find_spec("sphinx-mathjax-offline").origin).parent
    / "static/mathjax/tex-svg.js"
)
mathjax_path = _mathjax.name
html_static_path = ["_static", str(_mathjax)]
html_css_files = ["gallery.css"]
html_js_files = [("copy.js", {"defer": "defer"})]


def public_bases(app, name, cls, options, bases):
    """Leave out of "Bases:" what a reader of the reference need not know, such as how objects print."""
    bases[:] = [
        b for b in bases if not getattr(b, "__module__", "").startswith("torchopt.io.")
    ]
    bases[:] = bases or [object]


_titles, _navigation = {}, {}


def keep_titles(app, env):
    """Keep of each page's contents what the navigation shows: Sphinx copies all, for each page."""
    for page, contents in env.tocs.items():
        _titles[page] = contents.deepcopy()
        for entry in _titles[page]:
            below = [*entry.findall(addnodes.toctree)]
            entry[1:] = [nodes.bullet_list("", *below)] if below else []


def navigation(app, page, template, context, doctree):
    """Make the navigation from titles alone, and that of source pages once for a folder."""
    make = context["toctree"]

    def of_titles(**options):
        contents, app.env.tocs = app.env.tocs, _titles
        try:
            return make(**options)
        finally:
            app.env.tocs = contents

    def of_folder(**options):
        folder = page.rpartition("/")[0]
        if folder not in _navigation:
            _navigation[folder] = of_titles(**options)
        return _navigation[folder]

    context["toctree"] = of_folder if page.startswith("_modules/") else of_titles


_described = {}


def keep_descriptions(app, document):
    """Keep which description links to a source; the page of second names, read last, adds none."""
    for signature in document.findall(addnodes.desc_signature):
        for link in signature.findall(viewcode_anchor):
            source = link["reftarget"], link["refid"]
            _described.setdefault(source, (link["refdoc"], *signature["ids"]))


def link_descriptions(app, page, template, context, doctree):
    """Link a source back to its description: Sphinx takes one module's name for all of a file."""

    def link(match):
        if (page, match[2]) not in _described:  # its page has not been read again
            return match[0]
        docname, identifier, *_ = _described[page, match[2]]
        uri = app.builder.get_relative_uri(page, docname)
        return f'{match[1]}href="{uri}#{identifier}"'

    if page.startswith("_modules/torchopt"):
        back = r'(id="([^"]+)">\n<a class="viewcode-back" )href="[^"]*"'
        context["body"] = re.sub(back, link, context["body"])


def setup(app):
    """Register what is above."""
    app.connect("doctree-read", keep_descriptions)
    app.connect("html-page-context", link_descriptions)
    app.connect("env-updated", keep_titles)
    app.connect("html-page-context", navigation, priority=400)  # the theme: 500
    app.connect("autodoc-process-bases", public_bases)
