# SPDX-License-Identifier: Zlib
"""Bar charts for docs/measurements.md: how many times faster than something else, as SVG."""

import math
from xml.sax.saxutils import escape

WIDTH, LABELS, VALUES, TOP = 760, 300, 60, 84
BAR, GAP = 16, 12  # the height of a bar, the gap between groups
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # distinct for colour-blind readers
SLOWER, GOAL = "#888888", "#111111"


def picture(title, bars):
    """`bars` are (what, than, value, goal or None), those of one `what` side by side. The scale is
    logarithmic and its line is at 1, which is as fast."""
    groups = list(dict.fromkeys(what for what, *_ in bars))
    others = list(dict.fromkeys(than for _, than, *_ in bars))
    low = min(0.9, *(value for _, _, value, _ in bars))
    high = max(2.0, *(max(value, goal or 0) for _, _, value, goal in bars))

    def place(value):
        return LABELS + math.log(value / low) / math.log(high / low) * (WIDTH - LABELS - VALUES)

    lines, y = [], TOP
    for group in groups:
        mine = [bar for bar in bars if bar[0] == group]
        middle = y + len(mine) * BAR / 2 + 5
        lines.append(f'<text x="{LABELS - 10}" y="{middle:.0f}" text-anchor="end">'
                     f"{escape(group)}</text>")  # fmt: skip
        for _, than, value, goal in mine:
            begin, end = sorted((place(1), place(value)))
            colour = COLOURS[others.index(than) % len(COLOURS)] if value >= 1 else SLOWER
            lines.append(f'<rect x="{begin:.1f}" y="{y + 1}" width="{max(end - begin, 1):.1f}" '
                         f'height="{BAR - 2}" fill="{colour}"/>')  # fmt: skip
            if goal is not None:
                lines.append(f'<path d="M{place(goal):.1f} {y}v{BAR}" stroke="{GOAL}" '
                             'stroke-width="2"/>')  # fmt: skip
            right = max(end, place(goal) if goal is not None else 0)
            lines.append(f'<text x="{right + 5:.1f}" y="{y + BAR - 4}">{value:.3g}</text>')
            y += BAR
        y += GAP
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" '
            f'height="{y}" font-family="sans-serif" font-size="13">',
            '<rect width="100%" height="100%" fill="white"/>',
            '<text x="12" y="26" font-size="16" font-weight="bold">',
            f"{escape(title)}</text>"]  # fmt: skip
    x = 12
    for other, colour in zip(others, COLOURS):
        head += [f'<rect x="{x}" y="44" width="12" height="12" fill="{colour}"/>',
                 f'<text x="{x + 18}" y="55">than {escape(other)}</text>']  # fmt: skip
        x += 40 + 8 * len("than " + other)
    head += [f'<path d="M{x + 6} 42v16" stroke="{GOAL}" stroke-width="2"/>',
             f'<text x="{x + 14}" y="55">goal</text>',
             f'<path d="M{place(1):.1f} {TOP - 8}V{y - GAP + 6}" stroke="black"/>']  # fmt: skip
    return "\n".join([*head, *lines, "</svg>"]) + "\n"
