"""A picture of all kernels: throughput over problem sizes for each coarsening factor, and what the winner
of each size reaches at the target (the paper's Figs. 2, 3 and 5)."""

import math

WIDTH, HEIGHT = 250, 190  # of one panel
COLUMNS = 4
LEFT, RIGHT, TOP, BOTTOM = 38, 10, 26, 26
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


class Panel:
    """One kernel. Shares of the default's throughput at the target, from 0 to the largest."""

    def __init__(self, row, x, y):
        self.row, self.x, self.y = row, x, y
        self.sizes = [size["size"] for size in row["sizes"]]
        target = row["sizes"][-1]["throughput"]
        factors = sorted({int(factor) for size in row["sizes"] for factor in size["factors"]})
        self.curves = {1: [(size["size"], size["throughput"] / target) for size in row["sizes"]]}
        for factor in factors:
            self.curves[factor] = [
                (size["size"], size["factors"][str(factor)] / target)
                for size in row["sizes"]
                if str(factor) in size["factors"]
            ]
        self.winners = [(size["size"], size["winner_at_target"]) for size in row["sizes"]]
        self.top = 1.1 * max(share for curve in [*self.curves.values(), self.winners] for _, share in curve)

    def at(self, size, share):
        low, high = math.log(self.sizes[0]), math.log(self.sizes[-1])
        across = (math.log(size) - low) / (high - low)
        return (
            self.x + LEFT + across * (WIDTH - LEFT - RIGHT),
            self.y + HEIGHT - BOTTOM - share / self.top * (HEIGHT - TOP - BOTTOM),
        )

    def line(self, points, colour, style=""):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in points))
        return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.5" {style}/>'

    def text(self, x, y, words, anchor="middle", colour="#333"):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'

    def svg(self):
        row = self.row
        title = f"{row['kernel']}: tuning gains {row['gain']:.2f}×"
        parts = [self.text(self.x + LEFT, self.y + 16, title, "start")]
        for share in (0, 0.5, 1):
            left, height = self.at(self.sizes[0], share)
            right = self.at(self.sizes[-1], share)[0]
            parts.append(f'<line x1="{left}" y1="{height:.1f}" x2="{right}" y2="{height:.1f}" stroke="#ddd"/>')
            parts.append(self.text(left - 4, height + 4, f"{share:.0%}", "end"))
        for size in (self.sizes[0], self.sizes[-1]):
            parts.append(self.text(self.at(size, 0)[0], self.y + HEIGHT - 8, f"{size}",
                                   "start" if size == self.sizes[0] else "end"))
        if row["saturation_point"] is not None:
            place, low = self.at(row["saturation_point"], 0)
            parts.append(f'<line x1="{place:.1f}" y1="{low:.1f}" x2="{place:.1f}" y2="{self.y + TOP}" stroke="#555"/>')
        parts.append(self.line(self.winners, "#000", 'stroke-dasharray="3 3"'))
        for (factor, curve), colour in zip(self.curves.items(), COLOURS):
            parts.append(self.line(curve, colour, f'data-factor="{factor}"'))
        return parts


def plot(rows):
    """The text of an SVG file."""
    height = math.ceil(len(rows) / COLUMNS) * HEIGHT + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    factors = set()
    for index, row in enumerate(rows):
        panel = Panel(row, index % COLUMNS * WIDTH, index // COLUMNS * HEIGHT)
        factors |= set(panel.curves)
        parts += panel.svg()
    place = LEFT
    for factor, colour in zip(sorted(factors), COLOURS):
        words = "not coarsened" if factor == 1 else f"coarsened {factor}×"
        parts.append(f'<text x="{place}" y="{height - 14}" fill="{colour}">{words}</text>')
        place += 100
    parts.append(f'<text x="{place}" y="{height - 14}">dashed: performance at the target of the winner of each '
                 "size; vertical: saturation point</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"
