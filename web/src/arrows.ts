// Arrows in the gutter of the instruction list, from causes to the instruction that waits. They are
// drawn over what is in sight; a cause out of sight is named at the edge.
import { clear, svg } from "./dom";
import { hex, percent } from "./format";
import { colour } from "./stalls";

export interface Arrow {
  other: number; // instruction
  row: number;
  reason: number;
  amount: number;
  main: boolean; // the one that was asked for
}

const kWidth = 54;

export class CauseArrows {
  readonly element = svg("svg", { class: "arrows", "aria-hidden": "true" });

  constructor(private readonly rowHeight: number, private readonly reasons: readonly string[], private readonly go: (instruction: number) => void) {}

  clear(): void {
    clear(this.element);
  }

  draw(arrows: readonly Arrow[], waits: number, list: HTMLElement): void {
    const height = list.clientHeight;
    const y = (row: number): number => row * this.rowHeight + this.rowHeight / 2 - list.scrollTop;
    const total = arrows.reduce((sum, arrow) => sum + arrow.amount, 0);
    const to = y(waits);
    this.element.setAttribute("width", String(kWidth));
    this.element.setAttribute("height", String(height));
    const parts: SVGElement[] = [];
    arrows.forEach((arrow, k) => {
      const from = y(arrow.row);
      if ((from < 0 && to < 0) || (from > height && to > height)) return;
      const stroke = arrow.reason >= 0 ? colour(this.reasons[arrow.reason]!) : "var(--ink)";
      const bend = 30 - Math.min(26, 5 * k);
      const end = kWidth - 6;
      const out = from < 4 ? 8 : from > height - 4 ? height - 8 : from;
      parts.push(
        svg("path", { class: `arrow ${arrow.main ? "main" : ""}`, style: { stroke }, "stroke-width": (1 + 2.5 * (total > 0 ? arrow.amount / total : 0)).toFixed(1), d: `M${end} ${out}C${bend - 26} ${out} ${bend - 26} ${to} ${end} ${to}` }),
        svg("circle", { cx: end, cy: out, r: 2.5, style: { fill: stroke } }),
      );
      if (out !== from) {
        parts.push(svg("text", { x: 2, y: out < 20 ? 14 : height - 6, class: "arrow-label", onclick: () => this.go(arrow.other) }, `${out < 20 ? "↑" : "↓"} ${hex(16 * arrow.other)}`, svg("title", {}, total > 0 ? percent(arrow.amount / total) : "")));
      }
    });
    if (parts.length > 0) parts.push(svg("path", { class: "arrow-head", d: `M${kWidth - 1} ${to}l-7 -4v8z` }));
    clear(this.element, parts);
  }
}
