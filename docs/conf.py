"""How the pages are built: `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import smixup  # noqa: E402

project = "smixup"
author = "The smixup authors"
release = version = smixup.__version__
root_doc = "index"
exclude_patterns = ["_*", "results", "conf.py"]
smartquotes = False  # options begin with two hyphens

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "markdown_docstrings",
    "generated",
    "gallery",
    "unbroken",
]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

html_math_renderer = "mathml"  # equations are read without a network
default_role = "code"  # docstrings are Markdown: `name` is code

autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
maximum_signature_line_length = 84
strip_signature_backslash = True  # so that napoleon keeps the underscore of `classes_`
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"smixup {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#00664b",
        "color-brand-content": "#00664b",
    },
    "dark_css_variables": {
        "color-brand-primary": "#3fd0a4",
        "color-brand-content": "#3fd0a4",
    },
}
highlight_language = "text"  # a block without a language is no Python
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
