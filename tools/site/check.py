# SPDX-License-Identifier: Zlib
"""Checks the site that Sphinx has built.

  check.py SITE    links inside lead somewhere, and every document and public header has its page
                   in the navigation; lists the links that leave the site, which it does not fetch
"""

import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser

import headers
import stage


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.links = []
        self.anchors = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if values.get("id"):
            self.anchors.add(values["id"])
        for name in ("href", "src"):
            if values.get(name):
                self.links.append(values[name])


def check(site, expected):
    """(problems, links that leave the site): `expected` are pages that the front page must list."""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    problems = []
    leaving = set()
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                leaving.add(link)
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            shown = f"{path.relative_to(site)}: {link}"
            if not target.is_file():
                problems.append(f"{shown} leads nowhere")
            elif url.fragment and target in pages and not is_anchor(url, pages[target]):
                problems.append(f"{shown}: no such place in that page")
    front = {link.partition("#")[0] for link in pages[site / "index.html"].links}
    problems += [f"{page} is not in the navigation" for page in expected if page not in front]
    return problems, sorted(leaving)


def is_anchor(url, page):
    return urllib.parse.unquote(url.fragment) in page.anchors


def expected_pages():
    documents = [path.with_suffix(".html").as_posix() for path in stage.documents()]
    include = stage.ROOT / "include"
    return documents + [f"include/{path.rpartition('.')[0]}.html"
                        for path in headers.public_headers(include)]


def main(site):
    site = pathlib.Path(site).resolve()
    problems, leaving = check(site, expected_pages())
    print(f"{len(leaving)} links leave the site (not fetched):")
    for link in leaving:
        print(f"  {link}")
    for problem in problems:
        print(f"site: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
