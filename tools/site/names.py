# SPDX-License-Identifier: Zlib
"""Finds the place of the site where a name is explained."""

import re


class Names:
    """Knows the anchors of all declarations, by name."""

    def __init__(self, all_headers, documents=()):
        self.documents = set(documents)
        self.places = {}   # name -> [(header, class or "", anchor, is a type)]
        self.anchors = {}  # id of an entry -> anchor
        self.files = {}    # end of a path -> header
        for path, header in all_headers.items():
            taken = set()
            for entry in header.entries:
                self.add(path, entry, entry.scope, taken)
            parts = path.split("/")
            for start in range(len(parts)):
                self.files.setdefault("/".join(parts[start:]), []).append(path)

    def add(self, path, entry, outer, taken):
        name = next((name for name in entry.names if re.search(r"\w", name)), "entry")
        anchor = base = re.sub(r"[^\w]+", "-", f"{outer}-{name}" if outer else name).strip("-")
        number = 1
        while anchor.lower() in taken:
            number += 1
            anchor = f"{base}-{number}"
        taken.add(anchor.lower())
        self.anchors[id(entry)] = anchor
        for each in entry.names:
            self.places.setdefault(each, []).append((path, outer, anchor, entry.is_type))
        for member in entry.members:
            self.add(path, member, entry.names[0], taken)

    def anchor(self, entry):
        return self.anchors[id(entry)]

    @staticmethod
    def document(path):
        return "include/" + path.rpartition(".")[0]

    def find_type(self, name, path):
        """(document, anchor) of a type, as it is named in code."""
        places = [each for each in self.places.get(name, []) if each[3] and not each[1]]
        return self.nearest(places, path)

    def find_text(self, text, path, scope):
        """(document, anchor) of what a comment of a header names, if it is certain."""
        if text.endswith(".md"):
            return (text.removesuffix(".md"), "") if text in self.documents else None
        if re.search(r"\.(hpp|h)$", text):
            found = self.files.get(text.removeprefix("include/"), [])
            near = [each for each in found if each.split("/")[1] == path.split("/")[1]]
            found = near if len(near) == 1 else found
            return (self.document(found[0]), "") if len(found) == 1 else None
        name = re.sub(r"\(\)$|<.*", "", text)
        outer, _, last = name.rpartition("::")
        outer = outer.rpartition("::")[2]
        places = self.places.get(last, [])
        if outer and outer not in ("overture", "text", "literals", "sdl"):
            places = [each for each in places if each[1] == outer] or (
                self.places.get(outer, []) if last not in self.places else [])
            return self.nearest(places, path)
        if text.endswith("()"):  # a member of this class, of this header, or a function
            inside = [each for each in places if each[1] == scope and each[0] == path]
            here = [each for each in places if each[0] == path]
            return self.nearest(inside or here or [each for each in places if not each[1]], path)
        places = [each for each in places if each[0] == path or not each[1]]
        return self.nearest([each for each in places if each[3] or "_" in name], path)

    def nearest(self, places, path):
        """The place in the same header, in the same module, or the only one."""
        module = path.rpartition("/")[0]
        for those in ([each for each in places if each[0] == path],
                      [each for each in places if each[0].startswith(module + "/") and module],
                      places):
            if len({each[1] for each in those}) == 1:
                return self.document(those[0][0]), those[0][2]
            if those:
                return None
        return None
