# SPDX-License-Identifier: Zlib
"""Words that the text of Overture does not use, and what to write instead.

Each is nearly always wrong, so that the rule needs no judgement: the text is British English with
one spelling for each word ("disk"), and its sentences name their subjects. What takes a reader
("after" or "behind", the better noun) is left to reviews.
"""

import re

# Refused in comments, string literals, scripts and Markdown (outside of `code`), in either case.
REFUSED = (
    (r"discs?", "disk"),
    (r"colors?|colored|coloring", "colour"),
    (r"grays?|grayscale", "grey"),
    (r"(?-i:[Bb]ehaviors?)", "behaviour"),  # BEHAVIOR is a lump of Doom's maps
    (r"center(s|ed|ing)?", "centre"),
    (r"neighbors?|neighboring|favorites?", "-our"),
    (r"canceled|canceling", "cancelled, cancelling"),
    (r"catalogs?", "catalogue"),
    (
        r"(de|re|un)?(initial|normal|recogn|optim|serial|organ|custom|minim|maxim|summar"
        r"|special|general|real)iz(e|es|ed|er|ers|ing|ation|ations)",
        "-ise",
    ),
    (r"analyz(e|es|ed|er|ing)", "analyse"),
    (r"nobody|somebody|everybody", "the noun: a thread, a caller, every waiter"),
    (r"(to|by|of|for|from|with|lets|tells|than) who", "a noun: by the thread that"),
    (r"who has (said|asked|set|taken|got)", "a noun: the thread that, a registered reader"),
    (r"(that|which|it|this|what) (is|are) none(?! of)", "is not"),
    (r"(?<!since )(?<!until )(?<!by )(?<!from )(?<!only )then\.", "nothing: the order says it"),
    (r"(begin|begins|begun|start|starts|started|run|runs) behind", "after"),
)
REFUSED = tuple(
    (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), instead)
    for pattern, instead in REFUSED
)

# Refused as parts of names, of files and in code.
REFUSED_IN_NAMES = ((re.compile(r"(?<![A-Za-z])discs?(?![A-Za-z])", re.IGNORECASE), "disk"),)

# These files list the words themselves.
LISTS_OF_WORDS = (
    "tools/tidy/words.py",
    "tests/tidy/words_test.py",
    "compat/physfs/error_texts.hpp",  # the words of an interface
)
