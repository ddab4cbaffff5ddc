# SPDX-License-Identifier: Zlib
"""Settings of the site for Sphinx, which ./dev docs runs on what stage.py has put together."""

import pathlib
import re
import sys

import furo

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(here))

build = (root / "CMakeLists.txt").read_text()
version = re.search(r"project\([^)]*VERSION ([\d.]+)", build).group(1)
project = "Overture"
html_title = f"Overture {version}"
extensions = ["myst_parser", "pages"]
overture_root = str(root)
overture_clang_arguments = ["-I/usr/include/SDL2", f"-I{here}/sdl3"]

source_suffix = {".md": "markdown", ".hpp": "overture-header", ".h": "overture-header"}
root_doc = "index"
highlight_language = "text"
smartquotes = False
myst_heading_anchors = 4
# Markdown as elsewhere: a line may begin with % and is no comment.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]

html_theme = "furo"
html_static_path = [str(here / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
pygments_style = "default"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#14557b", "color-brand-content": "#14557b",
                            "font-stack": "system-ui, sans-serif",
                            "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, "
                                                     "Consolas, monospace"},
    "dark_css_variables": {"color-brand-primary": "#7cc0e8", "color-brand-content": "#7cc0e8"},
}


def add_dark_colours(app, config):
    """Debian's build of the theme has dark colours only for those who choose them: also follow the
    system."""
    theme = pathlib.Path(furo.__file__).parent / "theme/furo/static/styles/furo.css"
    dark = re.search(r'body\[data-theme="dark"\] (\{.*?\})', theme.read_text(), re.DOTALL)
    folder = pathlib.Path(app.doctreedir) / "theme"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dark.css").write_text("@media (prefers-color-scheme: dark) "
                                     f"{{ body[data-theme=auto] {dark.group(1)} }}\n")
    config.html_static_path.append(str(folder))
    app.add_css_file("dark.css", priority=400)


def setup(app):
    app.connect("config-inited", add_dark_colours)
