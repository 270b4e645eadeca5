// The roofline of a launch, on logarithmic axes: operations per second over operations per byte of
// DRAM traffic. The roofs are the lower bounds of this very launch: its DRAM time, and the time of
// its busiest arithmetic unit.
import { svg, h } from "./dom";
import type { Explain } from "./documents";
import { percent, rate } from "./format";

// 10 T of 1e13.
const tickOf = (p: number): string => {
  const [size, unit] = ([[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const).find(([each]) => p >= 0.999 * each) ?? [1, ""];
  return `${Math.round(p / size)} ${unit}FLOP/s`;
};

const kArithmetic = new Set(["fma", "alu", "half", "fp64", "xu", "tensor"]);

export function roofline(explain: Explain): HTMLElement {
  const { operations, dram_bytes, per_second, most_per_second } = explain.roofline;
  const bound = (test: (name: string) => boolean): number =>
    Math.max(0, ...explain.bounds.filter((b) => test(b.name)).map((b) => b.time_us)) / 1e6;
  const intensity = operations / dram_bytes;
  const bandwidth = bound((name) => name === "dram") > 0 ? dram_bytes / bound((name) => name === "dram") : per_second / intensity;
  const arithmetic = bound((name) => kArithmetic.has(name));
  const peak = arithmetic > 0 ? operations / arithmetic : most_per_second;
  const ridge = peak / bandwidth;

  const [width, height, left, right, top, bottom] = [460, 260, 62, 14, 14, 36];
  const low = Math.floor(Math.log10(Math.min(intensity, ridge))) - 1;
  const high = Math.ceil(Math.log10(Math.max(intensity, ridge))) + 1;
  const ceiling = Math.ceil(Math.log10(peak * 1.2));
  const floor = Math.min(ceiling - 3, Math.floor(Math.log10(per_second)) - 0.5);
  const x = (i: number): number => left + ((width - left - right) * (Math.log10(i) - low)) / (high - low);
  const y = (p: number): number => Math.min(height - bottom, top + (height - top - bottom) * (1 - (Math.log10(p) - floor) / (ceiling - floor)));
  const decades = (from: number, to: number): number[] => Array.from({ length: Math.floor(to) - Math.ceil(from) + 1 }, (_, k) => 10 ** (Math.ceil(from) + k));
  const start = 10 ** low < 10 ** floor / bandwidth ? 10 ** floor / bandwidth : 10 ** low;
  const at = (p: number): string => `${x(intensity).toFixed(1)} ${y(p).toFixed(1)}`;
  const flip = x(intensity) > width * 0.62;
  const chart = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `Roofline: ${rate(per_second, "FLOP")} at ${intensity.toPrecision(3)} operations per byte; the roof there is ${rate(most_per_second, "FLOP")}` },
    decades(low, high).map((i) => [svg("line", { x1: x(i), x2: x(i), y1: top, y2: height - bottom, class: "grid" }), svg("text", { x: x(i), y: height - bottom + 15, class: "tick middle" }, i >= 0.01 && i < 1e4 ? String(+i.toPrecision(1)) : i.toExponential(0))]),
    decades(floor, ceiling).map((p) => [svg("line", { x1: left, x2: width - right, y1: y(p), y2: y(p), class: "grid" }), svg("text", { x: left - 6, y: y(p) + 4, class: "tick end" }, tickOf(p))]),
    svg("path", { class: "roof", d: `M${x(start).toFixed(1)} ${y(start * bandwidth).toFixed(1)}L${x(ridge).toFixed(1)} ${y(peak).toFixed(1)}L${(width - right).toFixed(1)} ${y(peak).toFixed(1)}` }),
    svg("line", { x1: x(intensity), x2: x(intensity), y1: y(per_second), y2: y(most_per_second), class: "gap" }),
    svg("circle", { cx: x(intensity), cy: y(most_per_second), r: 4, class: "dot hollow" }),
    svg("circle", { cx: x(intensity), cy: y(per_second), r: 5, class: "dot now" }, svg("title", {}, rate(per_second, "FLOP"))),
    svg("text", { x: x(intensity) + (flip ? -10 : 10), y: y(per_second) + 4, class: `label ${flip ? "end" : ""}`, "data-at": at(per_second) }, rate(per_second, "FLOP")),
    svg("text", { x: (left + width) / 2, y: height - 4, class: "tick middle" }, "operations per byte of DRAM traffic"),
  );
  return h(
    "div",
    {},
    chart,
    h("p", { class: "legend" }, `${percent(per_second / most_per_second, 0)} of what ${explain.roofline.limit === "dram" ? `DRAM bandwidth (${rate(bandwidth, "B")})` : `the arithmetic units (${rate(peak, "FLOP")})`} would allow at ${intensity.toPrecision(3)} operations per byte.`),
  );
}
