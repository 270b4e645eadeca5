// A capture: its launches over time, the kernels worth looking at, ranges and host call paths.
import { kPalette } from "./axes";
import { barTable, swatch } from "./bars";
import { CaptureTimeline } from "./capture_timeline";
import { comparisonCard, samplesCard, type OpenKernel, type SampledKernel } from "./capture_samples";
import { card, clear, h, svg } from "./dom";
import { count, cut, percent, several, time } from "./format";
import type { Capture, CapturedLaunch, Stacks } from "./kinds";

interface Share {
  kernel: number;
  total: number; // µs
  times: number[];
  example: CapturedLaunch; // the longest
}

export function captureShares(capture: Capture): Share[] {
  const shares = new Map<number, Share>();
  for (const launch of capture.launches) {
    const us = launch.time_us ?? 0;
    const share = shares.get(launch.kernel) ?? { kernel: launch.kernel, total: 0, times: [], example: launch };
    share.total += us;
    share.times.push(us);
    if (us > (share.example.time_us ?? 0)) share.example = launch;
    shares.set(launch.kernel, share);
  }
  return [...shares.values()].sort((a, b) => b.total - a.total);
}

export function captureView(capture: Capture, stacks: Stacks | undefined, sampled: SampledKernel[], open: OpenKernel): HTMLElement {
  const shares = captureShares(capture);
  const total = shares.reduce((sum, share) => sum + share.total, 0);
  const colours = new Map(shares.slice(0, kPalette.length).map((share, k) => [share.kernel, kPalette[k]!]));
  const picked = h("p", { class: "legend" }, "Click a launch for the command that explains it.");
  const timeline = new CaptureTimeline(capture, colours, (launch) => clear(picked, h("code", {}, `burin advise ${capture.file}:${launch.id}`), h("code", {}, `burin explain ${capture.file}:${launch.id} --html launch.html`)));
  addEventListener("themechange", () => timeline.draw());
  const button = (name: string, label: string, by: number): HTMLElement => h("button", { type: "button", "aria-label": label, title: label, onclick: () => timeline.zoom(by) }, name);
  const gaps = timeline.isSparse ? h("label", { class: "faint" }, h("input", { type: "checkbox", checked: true, onchange: (event: Event) => timeline.setCompact((event.target as HTMLInputElement).checked) }), " leave out idle time") : null;
  return h(
    "div",
    { class: "overview" },
    h("section", { class: "card wide timeline-card", id: "launches" }, h("header", { class: "with-tools" }, h("div", {}, h("h2", {}, "Launches"), h("p", { class: "about" }, `${several(capture.launches.length, "launch", "launches")}, ${time(total)} on the GPU.`)), h("div", { class: "tools" }, gaps, button("−", "Zoom out", 1.6), button("+", "Zoom in", 1 / 1.6))), timeline.element, picked),
    card("Kernels", "By total time. A click shows where the kernel runs.", { class: "wide", id: "shares" }, kernelTable(capture, shares, total, colours, sampled, (kernel) => timeline.highlight(kernel), open)),
    samplesCard(capture, sampled, open),
    comparisonCard(capture),
    rangesCard(capture, total),
    stacks ? stacksCard(stacks) : null,
    capture.launches.some((launch) => launch.memory) ? card("Private data", null, {}, h("p", {}, "This capture contains the contents of GPU memory, which may be private. They are not part of this report.")) : null,
    capture.problems.length > 0 ? card("Not recorded", null, { id: "problems" }, h("ul", {}, capture.problems.map((problem) => h("li", {}, problem.count > 1 ? `${problem.sentence} (${count(problem.count)} times)` : problem.sentence)))) : null,
  );
}

function kernelTable(capture: Capture, shares: Share[], total: number, colours: Map<number, string>, sampled: SampledKernel[], pick: (kernel: number) => void, open: OpenKernel): HTMLElement {
  const views = new Map(sampled.map((each) => [each.kernel, each.view]));
  const samplesOf = (id: number, samples: number): HTMLElement | string => {
    const view = views.get(id);
    return view === undefined ? count(samples) : h("button", { type: "button", class: "text", title: "Samples by instruction and line", onclick: () => open(view) }, count(samples));
  };
  const hasSamples = capture.kernels.some((kernel) => kernel.samples);
  const most = shares[0]?.total ?? 1;
  const heads = ["total", "share", "launches", "median", hasSamples ? "samples" : ""].filter(Boolean);
  return h(
    "table",
    { class: "plain kernels" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "kernel"), h("th", { scope: "col", class: "bar-head" }, h("span", { class: "unseen" }, "bar")), heads.map((name) => h("th", { scope: "col", class: "number" }, name)))),
    h(
      "tbody",
      {},
      shares.slice(0, 60).map((share) => {
        const kernel = capture.kernels[share.kernel - 1]!;
        const sorted = [...share.times].sort((a, b) => a - b);
        return h(
          "tr",
          {},
          h("td", { title: kernel.demangled }, swatch(colours.get(share.kernel) ?? "#8a929e"), h("button", { type: "button", class: "text", onclick: () => pick(share.kernel) }, cut(kernel.demangled, 96)), kernel.has_code ? null : h("span", { class: "faint" }, " no code")),
          h("td", { class: "bar" }, h("div", { class: "track" }, h("div", { class: "fill", style: { width: `${(100 * share.total) / most}%`, background: colours.get(share.kernel) ?? "#8a929e" } }))),
          h("td", { class: "number" }, time(share.total)),
          h("td", { class: "number" }, percent(total > 0 ? share.total / total : 0)),
          h("td", { class: "number" }, count(share.times.length)),
          h("td", { class: "number" }, time(sorted[Math.floor(sorted.length / 2)]!)),
          hasSamples ? h("td", { class: "number" }, samplesOf(share.kernel, kernel.samples ?? 0)) : null,
        );
      }),
    ),
  );
}

function rangesCard(capture: Capture, total: number): HTMLElement | null {
  const sums = new Map<string, { total: number; launches: number }>();
  for (const launch of capture.launches) {
    if (!launch.ranges) continue;
    const names = launch.ranges.split("/");
    for (let depth = 1; depth <= names.length; ++depth) {
      const key = names.slice(0, depth).join("/");
      const sum = sums.get(key) ?? { total: 0, launches: 0 };
      sum.total += launch.time_us ?? 0;
      sum.launches += 1;
      sums.set(key, sum);
    }
  }
  if (sums.size === 0) return null;
  const rows = [...sums.entries()].sort((a, b) => b[1].total - a[1].total).slice(0, 20);
  return card("Ranges", "Time on the GPU in the ranges (NVTX) of the program.", { id: "ranges" }, barTable(["range", "time", "launches"], rows.map(([name, sum]) => ({ label: cut(name, 60), share: total > 0 ? sum.total / total : 0, value: time(sum.total), note: several(sum.launches, "launch", "launches") })), { class: "noted" }));
}

interface Frame {
  name: string;
  total: number;
  inside: Map<string, Frame>;
}

// Host call paths as an icicle: callers above, kernels at the bottom, width by time on the GPU.
function stacksCard(stacks: Stacks): HTMLElement | null {
  const root: Frame = { name: "all", total: 0, inside: new Map() };
  for (const [path, value] of Object.entries(stacks)) {
    if (path === "schema" || typeof value !== "number") continue;
    root.total += value;
    let at = root;
    for (const name of path.split(";")) {
      const next = at.inside.get(name) ?? { name, total: 0, inside: new Map() };
      next.total += value;
      at.inside.set(name, next);
      at = next;
    }
  }
  // Callers that all paths share say nothing.
  let top = root;
  while (top.inside.size === 1 && [...top.inside.values()][0]!.inside.size > 0) top = [...top.inside.values()][0]!;
  const known = [...root.inside.values()].some((frame) => frame.inside.size > 0);
  if (root.total === 0 || !known || top.inside.size === 0) return null;
  const [width, tall] = [1120, 19];
  const parts: SVGElement[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number): void => {
    const wide = (width * frame.total) / top.total;
    if (wide < 1.5 || depth > 40) return;
    deepest = Math.max(deepest, depth);
    const leaf = frame.inside.size === 0;
    parts.push(
      svg("g", { class: leaf ? "leaf" : "frame" }, svg("rect", { x: x.toFixed(1), y: depth * tall, width: Math.max(1, wide - 0.7).toFixed(1), height: tall - 1, rx: 2 }), wide > 40 ? svg("text", { x: (x + 4).toFixed(1), y: depth * tall + 13 }, cut(frame.name.replace(/^void /, ""), Math.floor(wide / 6.3))) : null, svg("title", {}, `${frame.name}\n${time(frame.total / 1000)}, ${percent(frame.total / root.total)}`)),
    );
    let left = x;
    for (const inner of [...frame.inside.values()].sort((a, b) => b.total - a.total)) {
      draw(inner, left, depth + 1);
      left += (width * inner.total) / top.total;
    }
  };
  let left = 0;
  for (const inner of [...top.inside.values()].sort((a, b) => b.total - a.total)) {
    draw(inner, left, 0);
    left += (width * inner.total) / top.total;
  }
  return card("Host call paths", `Who launched what; the width is time on the GPU.${top === root ? "" : ` Below ${cut(top.name, 60)}.`}`, { class: "wide", id: "stacks" }, svg("svg", { viewBox: `0 0 ${width} ${(deepest + 1) * tall}`, class: "chart whole icicle", role: "img", "aria-label": "Host call paths by time on the GPU" }, parts));
}

// The facts at the top of the page.
export function captureFacts(capture: Capture): [string, string, string][] {
  const total = capture.launches.reduce((sum, launch) => sum + (launch.time_us ?? 0), 0);
  const starts = capture.launches.filter((launch) => launch.start_ns !== null);
  const first = starts.reduce((least, launch) => Math.min(least, launch.start_ns!), Infinity);
  const last = starts.reduce((most, launch) => Math.max(most, launch.start_ns! + 1000 * (launch.time_us ?? 0)), 0);
  const facts: [string, string, string][] = [["launches", count(capture.launches.length), several(new Set(capture.launches.map((launch) => launch.kernel)).size, "kernel")], ["GPU time", time(total), starts.length > 0 ? `in ${time((last - first) / 1000)}` : ""]];
  const samples = capture.kernels.reduce((sum, kernel) => sum + (kernel.samples ?? 0), 0);
  if (samples > 0) facts.push(["PC samples", count(samples), ""]);
  if (capture.comparison) facts.push(["median error of predictions", percent(capture.comparison.median_error), capture.comparison.machine]);
  return facts;
}
