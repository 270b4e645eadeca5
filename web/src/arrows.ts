// Arrows in the gutter of the instruction list, from a cause to the instruction that waits for it.
// They are drawn over what is in sight; an end that is out of sight is named at the edge.
import { clear, svg } from "./dom";
import { hex, percent } from "./format";
import { colour } from "./stalls";

export interface Arrow {
  cause: number; // row
  waits: number; // row
  other: number; // the instruction at the end that is not selected
  reason: number;
  amount: number;
  main: boolean; // the one that was asked for
}

const kWidth = 54;

export class CauseArrows {
  readonly element = svg("svg", { class: "arrows", "aria-hidden": "true" });

  constructor(private readonly rowHeight: number, private readonly reasons: readonly string[], private readonly go: (instruction: number) => void) {}

  draw(arrows: readonly Arrow[], list: HTMLElement): void {
    const height = list.clientHeight;
    const y = (row: number): number => row * this.rowHeight + this.rowHeight / 2 - list.scrollTop;
    const inside = (at: number): number => Math.max(7, Math.min(height - 7, at));
    const total = arrows.reduce((sum, arrow) => sum + arrow.amount, 0);
    this.element.setAttribute("width", String(kWidth));
    this.element.setAttribute("height", String(height));
    const parts: SVGElement[] = [];
    arrows.forEach((arrow, k) => {
      const [from, to] = [y(arrow.cause), y(arrow.waits)];
      if ((from < 0 && to < 0) || (from > height && to > height)) return;
      const stroke = arrow.reason >= 0 ? colour(this.reasons[arrow.reason]!) : "var(--ink)";
      const end = kWidth - 7;
      const bend = 2 + Math.min(24, 6 * k);
      const share = total > 0 ? arrow.amount / total : 0;
      parts.push(
        svg("path", { class: `arrow ${arrow.main ? "main" : ""}`, style: { stroke }, "stroke-width": (1.2 + 2.3 * share).toFixed(1), d: `M${end} ${inside(from)}C${bend} ${inside(from)} ${bend} ${inside(to)} ${end} ${inside(to)}` }),
        svg("circle", { cx: end, cy: inside(from), r: 3, style: { fill: stroke } }),
        svg("path", { d: `M${kWidth - 1} ${inside(to)}l-8 -4.5v9z`, style: { fill: stroke } }),
      );
      const hidden = from !== inside(from) ? from : to !== inside(to) ? to : undefined;
      if (hidden === undefined) return;
      parts.push(svg("text", { x: 2, y: hidden < 0 ? 13 : height - 5, class: "arrow-label", onclick: () => this.go(arrow.other) }, `${hidden < 0 ? "↑" : "↓"} ${hex(16 * arrow.other)}`, svg("title", {}, percent(share))));
    });
    clear(this.element, parts);
  }
}
