"""How the pages are built: `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import smixup

project = "smixup"
author = "The smixup authors"
release = version = smixup.__version__
exclude_patterns = ["_ext", "gallery", "conf.py", "_gallery/*.ipynb"]
smartquotes = False  # options begin with two hyphens

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
]

myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"  # equations are read without a network
default_role = "code"  # docstrings are plain text: `name` is code

autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
maximum_signature_line_length = 84
napoleon_numpy_docstring = False
napoleon_use_ivar = True
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "_gallery",
    "filename_pattern": r"\.py",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
}

html_theme = "furo"
html_title = f"smixup {release}"
html_copy_source = False
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
