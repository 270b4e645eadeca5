"""Pictures of emulated sizes: throughput on several GPUs, and throughput beside how busy memory is (Fig. 4)."""

import math

from saturation.emulated import memory_correlation

WIDTH, HEIGHT = 250, 170  # of one panel
COLUMNS = 4
LEFT, RIGHT, TOP, BOTTOM = 38, 10, 26, 26
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


class Panel:
    """Curves over sizes, each a share from 0 to 1."""

    def __init__(self, title, index):
        self.title = title
        self.x, self.y = index % COLUMNS * WIDTH, index // COLUMNS * HEIGHT
        self.curves, self.marks = [], []

    def add(self, points, colour, style=""):
        self.curves.append((points, colour, style))

    def svg(self):
        sizes = [size for points, _, _ in self.curves for size, _ in points]
        low, high = math.log(min(sizes)), math.log(max(sizes))

        def at(size, share):
            across = (math.log(size) - low) / (high - low)
            return (self.x + LEFT + across * (WIDTH - LEFT - RIGHT),
                    self.y + HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM))

        parts = [f'<text x="{self.x + LEFT}" y="{self.y + 16}" fill="#333">{self.title}</text>']
        for share in (0, 0.5, 1):
            (left, height), (right, _) = at(min(sizes), share), at(max(sizes), share)
            parts.append(f'<line x1="{left:.1f}" y1="{height:.1f}" x2="{right:.1f}" y2="{height:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{left - 4:.1f}" y="{height + 4:.1f}" text-anchor="end" fill="#333">{share:.0%}</text>')
        for size, anchor in ((min(sizes), "start"), (max(sizes), "end")):
            parts.append(f'<text x="{at(size, 0)[0]:.1f}" y="{self.y + HEIGHT - 8}" text-anchor="{anchor}" '
                         f'fill="#333">{size:,}</text>')
        for points, colour, style in self.curves:
            places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
            parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="1.5" {style}/>')
        for size, share, colour in self.marks:
            x, y = at(size, share)
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        return parts


def picture(panels, legend):
    height = math.ceil(len(panels) / COLUMNS) * HEIGHT + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for panel in panels:
        parts += panel.svg()
    place = LEFT
    for words, colour in legend:
        parts.append(f'<text x="{place}" y="{height - 12}" fill="{colour}">{words}</text>')
        place += 7 * len(words) + 14
    return "\n".join([*parts, "</svg>"]) + "\n"


def plot_machines(by_machine, measured):
    """Throughput over sizes as a share of the largest, on each machine; dots are saturation points. The recorded
    throughput of the H200 is dotted."""
    panels = []
    for index, row in enumerate(measured):
        panel = Panel(row["kernel"], index)
        most = max(size["throughput"] for size in row["sizes"])
        panel.add([(size["size"], size["throughput"] / most) for size in row["sizes"]], "#000",
                  'stroke-dasharray="2 3"')
        for (machine, found), colour in zip(by_machine.items(), COLOURS):
            of = found[row["kernel"]]
            if isinstance(of, str):
                continue
            most = max(throughput for _, throughput, _ in of["samples"])
            points = [(size, throughput / most) for size, throughput, _ in of["samples"]]
            panel.add(points, colour, f'data-machine="{machine}"')
            panel.marks += [(size, share, colour) for size, share in points if size == of["saturation_point"]]
        panels.append(panel)
    legend = [(f"{machine}, emulated", colour) for machine, colour in zip(by_machine, COLOURS)]
    return picture(panels, [*legend, ("dotted: H200, measured; dots: saturation points", "#333")])


def plot_memory(found):
    """Throughput as a share of the largest, and the busy share of the busiest memory unit."""
    panels = []
    for name, of in sorted(found.items()):
        if isinstance(of, str):
            continue
        correlation = memory_correlation(of["samples"])
        panel = Panel(f"{name}: correlation {correlation:.2f}" if correlation is not None else name, len(panels))
        most = max(throughput for _, throughput, _ in of["samples"])
        panel.add([(size, throughput / most) for size, throughput, _ in of["samples"]], COLOURS[0])
        panel.add([(size, min(1, busy)) for size, _, busy in of["samples"]], COLOURS[1])
        panels.append(panel)
    return picture(panels, [("throughput, of its largest", COLOURS[0]),
                            ("busy share of the busiest memory unit", COLOURS[1])])
