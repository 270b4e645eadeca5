// Occupancy: what limits the number of resident blocks, and how the time depends on it.
import { barTable } from "./bars";
import { card, h, svg } from "./dom";
import type { Explain, Predict } from "./documents";
import { count, percent, time } from "./format";

export function occupancyCard(predict: Predict, explain: Explain | undefined): HTMLElement {
  const limits = [...(predict.occupancy_limits ?? [])].sort((a, b) => a.blocks - b.blocks);
  const most = 2 * predict.resident_blocks;
  const ladder = explain?.occupancy_ladder ?? [];
  return card(
    "Occupancy",
    `${count(predict.resident_warps)}${predict.max_warps ? ` of ${count(predict.max_warps)}` : ""} warps per SM: ${count(predict.resident_blocks)} blocks, limited by ${predict.limiters.join(" and ") || "nothing"}. Achieved: ${percent(predict.achieved_occupancy)}.`,
    { id: "occupancy" },
    limits.length > 0
      ? barTable(["limit", "blocks per SM"], limits.map((limit) => ({ label: limit.name, share: limit.blocks / most, value: `${count(limit.blocks)} blocks`, fill: limit.blocks <= predict.resident_blocks ? "var(--hot)" : "var(--accent)" })))
      : null,
    ladder.length > 1 ? ladderChart(ladder) : h("p", { class: "legend" }, "burin explain --ladder adds the time for each number of resident blocks."),
  );
}

// Time over resident warps; the first rung is the launch as it is.
function ladderChart(ladder: Explain["occupancy_ladder"]): SVGElement {
  const [width, height, left, bottom, top] = [460, 190, 58, 34, 12];
  const highest = Math.max(...ladder.map((rung) => rung.time_us));
  const warps = Math.max(...ladder.map((rung) => rung.warps));
  const x = (w: number): number => left + ((width - left - 24) * w) / warps;
  const y = (t: number): number => top + (height - top - bottom) * (1 - t / (1.08 * highest));
  const points = [...ladder].sort((a, b) => a.warps - b.warps);
  const base = ladder[0]!;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", id: "ladder", role: "img", "aria-label": `Time by resident warps: ${points.map((rung) => `${rung.warps} warps ${time(rung.time_us)}`).join(", ")}` },
    [0, 0.5, 1].map((part) => [
      svg("line", { x1: left, x2: width - 8, y1: y(part * highest), y2: y(part * highest), class: "grid" }),
      svg("text", { x: left - 6, y: y(part * highest) + 4, class: "tick end" }, part === 0 ? "0" : time(part * highest)),
    ]),
    svg("path", { class: "line", d: points.map((rung, k) => `${k ? "L" : "M"}${x(rung.warps).toFixed(1)} ${y(rung.time_us).toFixed(1)}`).join("") }),
    points.map((rung, k) => {
      const at = x(rung.warps);
      const roomy = k === 0 || k === points.length - 1 || at - x(points[k - 1]!.warps) > 26;
      return [
        svg("circle", { cx: at, cy: y(rung.time_us), r: rung === base ? 5 : 3.5, class: rung === base ? "dot now" : "dot" }, svg("title", {}, `${rung.blocks} blocks, ${rung.warps} warps per SM: ${time(rung.time_us)}`)),
        roomy ? svg("text", { x: at, y: height - bottom + 15, class: "tick middle" }, rung.warps) : null,
      ];
    }),
    svg("text", { x: (left + width) / 2, y: height - 4, class: "tick middle" }, "resident warps per SM"),
  );
}
