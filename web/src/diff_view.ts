// Two builds or captures: what got faster, and why.
import { barTable, swatch } from "./bars";
import { card, h, type Child } from "./dom";
import { count, cut, fileName, percent, time, times } from "./format";
import type { Diff, DiffLine, DiffSide } from "./kinds";
import { colour, reason } from "./stalls";

type KernelDiff = Diff["kernels"][number];

const timeOf = (side: DiffSide): number | null => side.measured_us ?? side.predicted_us;

export function diffView(diff: Diff): HTMLElement {
  const kernels = [...diff.kernels].sort((a, b) => change(b) - change(a));
  return h(
    "div",
    { class: "overview" },
    card("Kernels", `${fileName(diff.before)} → ${fileName(diff.after)}`, { class: "wide", id: "kernels" }, summary(diff)),
    kernels.filter((kernel) => kernel.changed).slice(0, 20).flatMap(kernelCards),
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

function kernelCards(kernel: KernelDiff): (HTMLElement | null)[] {
  const title = cut(kernel.after.demangled, 80);
  return [
    card(title, kernel.renamed ? `was ${cut(kernel.before.demangled, 80)}` : null, { class: "kernel-diff" }, h("p", { class: "hero" }, verdict(kernel.time_ratio)), counted(kernel), advice(kernel)),
    card("Where warp time goes", "Shares before and after.", {}, stalls(kernel)),
    kernel.lines.length > 0 ? card("Lines", "By the change of their share of warp time; lines of both builds are aligned.", { class: "wide lines-diff" }, lines(kernel)) : null,
  ];
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

function stalls(kernel: KernelDiff): HTMLElement {
  const names = [...new Set([...Object.keys(kernel.before.stalls), ...Object.keys(kernel.after.stalls)])];
  const rows = names.map((name) => ({ name, before: kernel.before.stalls[name] ?? 0, after: kernel.after.stalls[name] ?? 0 })).filter((row) => Math.max(row.before, row.after) > 0.005).sort((a, b) => Math.max(b.before, b.after) - Math.max(a.before, a.after));
  if (rows.length === 0) return h("p", { class: "empty" }, "No profile: give a launch (--grid, --block, --arg) or two captures.");
  const most = Math.max(...rows.map((row) => Math.max(row.before, row.after)));
  const fill = (name: string): string => (name === "issuing" ? "var(--issue)" : colour(name));
  return barTable(
    ["reason", "share", "change"],
    rows.flatMap((row) => [
      { label: [swatch(fill(row.name)), row.name === "issuing" ? "issued" : reason(row.name).label], share: row.before / most, value: percent(row.before), fill: `color-mix(in srgb, ${fill(row.name)} 45%, var(--surface))`, note: "before" },
      { label: "", share: row.after / most, value: percent(row.after), fill: fill(row.name), note: `after, ${row.after >= row.before ? "+" : "−"}${percent(Math.abs(row.after - row.before))}` },
    ]),
    { class: "noted pairs" },
  );
}

function lines(kernel: KernelDiff): HTMLElement {
  const name = (line: DiffLine | null): string => (line ? (line.file && line.line ? `${fileName(line.file)}:${line.line}` : "no line") : "–");
  const rows = [...kernel.lines].sort((a, b) => Math.abs((b.after?.share ?? 0) - (b.before?.share ?? 0)) - Math.abs((a.after?.share ?? 0) - (a.before?.share ?? 0))).slice(0, 25);
  const top = (line: DiffLine | null): Child => {
    const first = Object.entries(line?.stalls ?? {}).sort((a, b) => b[1] - a[1])[0];
    return first ? [swatch(colour(first[0])), reason(first[0]).label] : "";
  };
  return h(
    "table",
    { class: "plain" },
    h("thead", {}, h("tr", {}, ["before", "after"].map((each) => h("th", { scope: "col" }, each)), ["share before", "share after", "instructions"].map((each) => h("th", { scope: "col", class: "number" }, each)), h("th", { scope: "col" }, "top stall after"))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, h("code", {}, name(row.before))), h("td", {}, h("code", {}, name(row.after))), h("td", { class: "number" }, row.before ? percent(row.before.share) : "–"), h("td", { class: "number" }, row.after ? percent(row.after.share) : "–"), h("td", { class: "number" }, `${row.before?.instructions ?? 0} → ${row.after?.instructions ?? 0}`), h("td", { class: "nowrap" }, top(row.after))))),
  );
}
