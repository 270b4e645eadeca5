// Two builds or captures: what got faster, and why.
import { barTable, swatch } from "./bars";
import { card, h, type Child } from "./dom";
import { count, cut, fileName, percent, time, times } from "./format";
import { decodeCode } from "./decode";
import { linesBesideSass, type Sides, type Times } from "./diff_code";
import type { Diff, DiffSide } from "./kinds";
import { colour, reason } from "./stalls";

// The code of kernels of the difference, by their index in it.
type PackedCode = Parameters<typeof decodeCode>[0];
export interface PackedSides {
  schema: string;
  kernels: { kernel: number; before: PackedCode[]; after: PackedCode[] }[];
}
type KernelDiff = Diff["kernels"][number];

const timeOf = (side: DiffSide): number | null => side.measured_us ?? side.predicted_us;

export function diffView(diff: Diff, packed: PackedSides | undefined): HTMLElement {
  const sides = new Map((packed?.kernels ?? []).map((each) => [diff.kernels[each.kernel], { before: decodeCode(each.before[0]!), after: decodeCode(each.after[0]!) }]));
  const kernels = [...diff.kernels].sort((a, b) => change(b) - change(a));
  return h(
    "div",
    { class: "overview" },
    card("Kernels", `${fileName(diff.before)} → ${fileName(diff.after)}`, { class: "wide", id: "kernels" }, summary(diff)),
    kernels.filter((kernel) => kernel.changed).slice(0, 20).flatMap((kernel) => kernelCards(kernel, sides.get(kernel))),
    diff.notes.length > 0 ? card("Notes", null, { class: "wide" }, h("ul", {}, diff.notes.map((note) => h("li", {}, note)))) : null,
  );
}

const change = (kernel: KernelDiff): number => (kernel.time_ratio ? Math.abs(Math.log(kernel.time_ratio)) : kernel.changed ? 1e-6 : 0);

// 1.43× faster, in words of the ratio of times.
function verdict(ratio: number | null): Child {
  if (ratio === null) return "–";
  if (Math.abs(ratio - 1) < 0.005) return "same time";
  return h("b", { class: ratio < 1 ? "good" : "bad" }, ratio < 1 ? `${times(1 / ratio)} faster` : `${times(ratio)} slower`);
}

function summary(diff: Diff): HTMLElement {
  const row = (name: string, before: Child, after: Child, what: Child): HTMLElement => h("tr", {}, h("td", { title: name }, h("code", {}, cut(name, 90))), h("td", { class: "number" }, before), h("td", { class: "number" }, after), h("td", { class: "nowrap" }, what));
  const us = (side: DiffSide): string => {
    const value = timeOf(side);
    return value === null ? "–" : time(value);
  };
  return h(
    "table",
    { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "kernel"), h("th", { scope: "col", class: "number" }, "before"), h("th", { scope: "col", class: "number" }, "after"), h("th", { scope: "col" }, "change"))),
    h(
      "tbody",
      {},
      diff.kernels.map((kernel) => row(kernel.after.demangled, us(kernel.before), us(kernel.after), kernel.time_ratio !== null ? verdict(kernel.time_ratio) : kernel.changed ? "changed" : "same")),
      diff.gone.map((side) => row(side.demangled, us(side), "–", "gone")),
      diff.added.map((side) => row(side.demangled, "–", us(side), "new")),
    ),
  );
}

function kernelCards(kernel: KernelDiff, sides: Sides | undefined): (HTMLElement | null)[] {
  const title = cut(kernel.after.demangled, 80);
  const spent = timesOf(kernel);
  return [
    card(title, kernel.renamed ? `was ${cut(kernel.before.demangled, 80)}` : null, { class: "kernel-diff" }, h("p", { class: "hero" }, verdict(kernel.time_ratio), spent ? h("span", { class: "faint" }, `${time(spent.before)} → ${time(spent.after)}`) : null), why(kernel, spent), counted(kernel), advice(kernel)),
    card("Where the time went", spent ? "Time by stall reason: warp time in proportion to the kernel's time, so that the changes add up." : "Shares of warp time before and after.", { class: "stalls-diff" }, stalls(kernel, spent)),
    kernel.lines.length > 0 ? card("Lines and SASS", `Lines of both builds are aligned${sides ? "; a click shows the instructions of both" : ". The SASS of both builds is not in this report"}.`, { class: "wide lines-diff" }, linesBesideSass(kernel, sides, spent)) : null,
  ];
}

// Both measured, or both predicted.
function timesOf(kernel: KernelDiff): Times | undefined {
  const { before, after } = kernel;
  if (before.measured_us !== null && after.measured_us !== null) return { before: before.measured_us, after: after.measured_us };
  if (before.predicted_us !== null && after.predicted_us !== null) return { before: before.predicted_us, after: after.predicted_us };
  return undefined;
}

const stallName = (name: string): string => (name === "issuing" ? "issuing" : reason(name).label);

// The stall and the line that changed most in the direction of the whole.
function why(kernel: KernelDiff, spent: Times | undefined): HTMLElement | null {
  if (!spent || Math.abs(spent.before / spent.after - 1) < 0.005) return null;
  const whole = spent.before - spent.after;
  const names = new Set([...Object.keys(kernel.before.stalls), ...Object.keys(kernel.after.stalls)]);
  const saved = (name: string): number => (kernel.before.stalls[name] ?? 0) * spent.before - (kernel.after.stalls[name] ?? 0) * spent.after;
  const ranked = [...names].map((name) => ({ name, us: saved(name) })).filter((each) => each.us * whole > 0).sort((a, b) => Math.abs(b.us) - Math.abs(a.us));
  const lines = kernel.lines.map((pair) => ({ line: pair.after ?? pair.before!, us: (pair.before?.share ?? 0) * spent.before - (pair.after?.share ?? 0) * spent.after })).filter((each) => each.us * whole > 0 && each.line.file && each.line.line).sort((a, b) => Math.abs(b.us) - Math.abs(a.us));
  if (ranked.length === 0) return null;
  const word = whole > 0 ? "less" : "more";
  const [first, second] = ranked;
  const place = lines[0];
  return h("p", { class: "why", id: "why" }, `${time(Math.abs(whole))} ${word}: `, h("b", {}, stallName(first!.name)), ` takes ${time(Math.abs(first!.us))} ${word}`, second && Math.abs(second.us) > 0.15 * Math.abs(whole) ? `, ${stallName(second.name)} ${time(Math.abs(second.us))} ${word}` : "", place ? [`. By line, most at `, h("code", {}, `${fileName(place.line.file!)}:${place.line.line}`), `: ${time(Math.abs(place.us))} ${word}`] : "", ".");
}

// Counts that differ: registers, spills, instructions by class.
function counted(kernel: KernelDiff): HTMLElement {
  const rows: [string, number, number][] = [];
  for (const [name, after] of Object.entries(kernel.after)) {
    const before = kernel.before[name];
    if (typeof after === "number" && typeof before === "number" && !name.endsWith("_us") && name !== "launches" && after !== before) rows.push([name.replaceAll("_", " "), before, after]);
  }
  const [a, b] = [kernel.before.classes, kernel.after.classes] as Record<string, number>[];
  for (const name of new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])) {
    if ((a?.[name] ?? 0) !== (b?.[name] ?? 0)) rows.push([name, a?.[name] ?? 0, b?.[name] ?? 0]);
  }
  if (rows.length === 0) return h("p", { class: "empty" }, "Registers, memory and instruction counts are the same.");
  return h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "count"), ["before", "after", "change"].map((name) => h("th", { scope: "col", class: "number" }, name)))), h("tbody", {}, rows.map(([name, before, after]) => h("tr", {}, h("td", {}, name), h("td", { class: "number" }, count(before)), h("td", { class: "number" }, count(after)), h("td", { class: "number" }, `${after > before ? "+" : "−"}${count(Math.abs(after - before))}`)))));
}

function advice(kernel: KernelDiff): HTMLElement | null {
  if (kernel.advice.length === 0) return null;
  return h("table", { class: "plain" }, h("caption", {}, "Advice"), h("tbody", {}, kernel.advice.map((each) => h("tr", {}, h("td", {}, each.rule), h("td", {}, each.change), h("td", { class: "number" }, each.before ? times(each.before) : "–"), h("td", { class: "number" }, each.after ? times(each.after) : "–"), h("td", {}, each.file && each.line ? `${fileName(each.file)}:${each.line}` : "")))));
}

function stalls(kernel: KernelDiff, spent: Times | undefined): HTMLElement {
  const names = [...new Set([...Object.keys(kernel.before.stalls), ...Object.keys(kernel.after.stalls)])];
  const amount = (share: number, total: number | undefined): number => share * (total ?? 1);
  const rows = names
    .map((name) => ({ name, before: amount(kernel.before.stalls[name] ?? 0, spent?.before), after: amount(kernel.after.stalls[name] ?? 0, spent?.after) }))
    .filter((row) => Math.max(row.before, row.after) > 0.005 * (spent ? Math.max(spent.before, spent.after) : 1))
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  if (rows.length === 0) return h("p", { class: "empty" }, "No profile: give a launch (--grid, --block, --arg) or two captures.");
  const most = Math.max(...rows.map((row) => Math.max(row.before, row.after)));
  const fill = (name: string): string => (name === "issuing" ? "var(--issue)" : colour(name));
  const text = (value: number): string => (spent ? time(value) : percent(value));
  return barTable(
    ["reason", spent ? "time" : "share", "change"],
    rows.flatMap((row) => [
      { label: [swatch(fill(row.name)), stallName(row.name)], share: row.before / most, value: text(row.before), fill: `color-mix(in srgb, ${fill(row.name)} 45%, var(--surface))`, note: "before" },
      { label: "", share: row.after / most, value: text(row.after), fill: fill(row.name), note: `after, ${row.after >= row.before ? "+" : "−"}${text(Math.abs(row.after - row.before))}` },
    ]),
    { class: "noted pairs" },
  );
}
