"""Trajectories of tuning with and without the guided search as a seed: what share of the optimum the best
configuration has after so many measured trials (as Figs. 7 and 8 of the SAAKE paper)."""

import math

TRIALS = 60
WIDTH, HEIGHT = 250, 170  # of one panel
COLUMNS = 4
LEFT, RIGHT, TOP, BOTTOM = 38, 10, 26, 26
CURVES = (("without", "#D55E00", "the ensemble alone"), ("with", "#0072B2", "seeded with guided"))
LOWEST = 0.4  # share at the bottom


class Panel:
    def __init__(self, row, x, y):
        self.row, self.x, self.y = row, x, y

    def at(self, trial, share):
        across = math.log(trial) / math.log(TRIALS)
        up = (max(LOWEST, share) - LOWEST) / (1 - LOWEST)
        return (f"{self.x + LEFT + across * (WIDTH - LEFT - RIGHT):.1f},"
                f"{self.y + HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM):.1f}")

    def text(self, place, words, anchor, dx=0, dy=0):
        x, y = map(float, place.split(","))
        return f'<text x="{x + dx:.1f}" y="{y + dy:.1f}" text-anchor="{anchor}" fill="#333">{words}</text>'

    def svg(self):
        row = self.row
        name = row["space"] + (" (held out)" if row["held_out"] else "")
        parts = [f'<text x="{self.x + LEFT}" y="{self.y + 16}" fill="#333">{name}</text>']
        for share in (0.4, 0.6, 0.8, 0.95, 1):
            left, right = self.at(1, share), self.at(TRIALS, share)
            x1, y1 = left.split(",")
            x2, y2 = right.split(",")
            parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#ddd"/>')
            if share != 1:
                parts.append(self.text(left, f"{share:.0%}", "end", -4, 4))
        for trial in (1, 5, 20, 60):
            parts.append(self.text(self.at(trial, LOWEST), trial, "middle", 0, 14))
        for which, colour, _ in CURVES:
            path = row[f"{which}_path"]["trials"][:TRIALS]
            numbered = list(enumerate(path, 1))
            band = [self.at(k, low) for k, (low, _, _) in numbered]
            band += [self.at(k, high) for k, (_, _, high) in reversed(numbered)]
            parts.append(f'<polygon points="{" ".join(band)}" fill="{colour}" fill-opacity="0.12"/>')
            line = " ".join(self.at(k, mean) for k, (_, mean, _) in numbered)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        return parts


def plot(rows):
    """The text of an SVG file."""
    rows = sorted(rows, key=lambda row: (not row["held_out"], row["space"]))
    height = math.ceil(len(rows) / COLUMNS) * HEIGHT + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index, row in enumerate(rows):
        parts += Panel(row, index % COLUMNS * WIDTH, index // COLUMNS * HEIGHT).svg()
    place = LEFT
    for _, colour, words in CURVES:
        parts.append(f'<text x="{place}" y="{height - 12}" fill="{colour}">{words}</text>')
        place += 130
    parts.append(f'<text x="{place}" y="{height - 12}">share of the optimum over measured trials: mean of the seeds, '
                 "least to most shaded</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"
