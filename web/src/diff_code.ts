// The source lines of two builds of a kernel side by side, in the order of the source, each with its
// instructions of both builds.
import { h, type Child } from "./dom";
import type { Code } from "./documents";
import { fileName, hex, opcode, percent, time } from "./format";
import { sassText, sourceLine } from "./highlight";
import type { Diff, DiffLine } from "./kinds";

type KernelDiff = Diff["kernels"][number];
type LinePair = KernelDiff["lines"][number];

export interface Sides {
  before: Code;
  after: Code;
}
export interface Times {
  before: number; // µs
  after: number;
}

// In the order of the new source; removed lines stay where they were in the old one.
export function inSourceOrder(pairs: readonly LinePair[]): LinePair[] {
  const place = (line: DiffLine): [string, number] => [line.file ?? "", line.line ?? 0];
  const compare = (a: DiffLine, b: DiffLine): number => {
    const [[fileA, lineA], [fileB, lineB]] = [place(a), place(b)];
    return fileA === fileB ? lineA - lineB : fileA < fileB ? -1 : 1;
  };
  const ordered = pairs.filter((pair) => pair.after).sort((a, b) => compare(a.after!, b.after!));
  const removed = pairs.filter((pair) => !pair.after && pair.before).sort((a, b) => compare(a.before!, b.before!));
  for (const pair of removed) {
    const [file, line] = place(pair.before!);
    const next = ordered.findIndex((each) => each.before && place(each.before)[0] === file && place(each.before)[1] > line);
    ordered.splice(next < 0 ? ordered.length : next, 0, pair);
  }
  return ordered;
}

function sourceText(code: Code | undefined, line: DiffLine | null): string | undefined {
  if (!code || !line?.file || !line.line) return undefined;
  const file = code.files.find((each) => each.path === line.file);
  const part = file?.parts.find((each) => line.line! >= each.first && line.line! < each.first + each.text.length);
  return part?.text[line.line - part.first];
}

// The instructions of each line of the kernel's own source.
function instructionsByLine(code: Code): Map<string, number[]> {
  const lines = new Map<string, number[]>();
  code.place.forEach((index, i) => {
    const place = code.places[index];
    const key = place ? `${code.files[place.file]!.path}:${place.line}` : ":";
    lines.set(key, [...(lines.get(key) ?? []), i]);
  });
  return lines;
}
const keyOf = (line: DiffLine | null): string => (line?.file && line.line ? `${line.file}:${line.line}` : ":");

// Pairs of equal opcodes, in order: the longest common subsequence. Absent on one side: -1.
export function align(before: readonly string[], after: readonly string[]): [number, number][] {
  const [n, m] = [before.length, after.length];
  if (n * m > 250000) return [...before.map((_, i): [number, number] => [i, i < m ? i : -1]), ...after.slice(n).map((_, j): [number, number] => [-1, n + j])];
  const longest = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; --i) for (let j = m - 1; j >= 0; --j) longest[i]![j] = before[i] === after[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && before[i] === after[j]) pairs.push([i++, j++]);
    else if (j >= m || (i < n && longest[i + 1]![j]! >= longest[i]![j + 1]!)) pairs.push([i++, -1]);
    else pairs.push([-1, j++]);
  }
  return pairs;
}

function sassTable(sides: Sides, was: number[], is: number[]): HTMLElement {
  const names = (code: Code, list: number[]): string[] => list.map((i) => opcode(code.text[i]!));
  const cell = (code: Code, i: number | undefined, mark: string): Child[] => [
    h("td", { class: "offset" }, i === undefined ? "" : hex(16 * i)),
    h("td", { class: `code ${i === undefined ? "" : mark}` }, i === undefined ? "" : h("code", {}, sassText(code.text[i]!))),
  ];
  return h(
    "table",
    { class: "sass-diff" },
    h("colgroup", {}, h("col", { class: "wide" }), h("col", {}), h("col", { class: "narrow" }), h("col", {})),
    h("thead", { class: "unseen" }, h("tr", {}, ["offset before", "SASS before", "offset after", "SASS after"].map((name) => h("th", { scope: "col" }, name)))),
    h(
      "tbody",
      {},
      align(names(sides.before, was), names(sides.after, is)).map(([i, j]) => h("tr", {}, cell(sides.before, i < 0 ? undefined : was[i], j < 0 ? "removed" : ""), cell(sides.after, j < 0 ? undefined : is[j], i < 0 ? "added" : ""))),
    ),
  );
}

// One row for each line that has code in either build; a click shows the instructions of both.
export function linesBesideSass(kernel: KernelDiff, sides: Sides | undefined, spent: Times | undefined): HTMLElement {
  const rows = inSourceOrder(kernel.lines);
  const [was, is] = [sides && instructionsByLine(sides.before), sides && instructionsByLine(sides.after)];
  const us = (line: DiffLine | null, total: number): number => (line?.share ?? 0) * total;
  const gain = (pair: LinePair): number => (spent ? us(pair.before, spent.before) - us(pair.after, spent.after) : (pair.before?.share ?? 0) - (pair.after?.share ?? 0));
  const profiled = rows.some((pair) => (pair.before?.share ?? 0) + (pair.after?.share ?? 0) > 0);
  const most = Math.max(1e-12, ...rows.map((pair) => Math.abs(gain(pair))));
  // Those that changed most are open from the start.
  const opened = new Set([...rows].sort((a, b) => Math.abs(gain(b)) - Math.abs(gain(a)) || Math.abs((b.after?.instructions ?? 0) - (b.before?.instructions ?? 0)) - Math.abs((a.after?.instructions ?? 0) - (a.before?.instructions ?? 0))).slice(0, 2));
  const amount = (line: DiffLine | null, total: number | undefined): string => (!line ? "" : !profiled ? `${line.instructions}` : total ? time(us(line, total)) : percent(line.share));
  const side = (code: Code | undefined, line: DiffLine | null, other: string | undefined, total: number | undefined, mark: string): Child[] => {
    const text = sourceText(code, line);
    const same = line !== null && text !== undefined && text === other;
    return [
      h("span", { class: "offset", title: line?.file }, line ? (line.line ?? "–") : ""),
      h("span", { class: "number" }, amount(line, total)),
      h("code", { class: line && !same ? mark : "" }, text === undefined ? (line ? (line.file ? fileName(line.file) : "no line information") : "") : sourceLine(text, false).nodes),
    ];
  };
  const row = (pair: LinePair): HTMLElement => {
    const texts = [sourceText(sides?.before, pair.before), sourceText(sides?.after, pair.after)];
    const saved = gain(pair);
    const width = `${((50 * Math.abs(saved)) / most).toFixed(1)}%`;
    const summary = h(
      sides ? "summary" : "div",
      { class: "diff-row" },
      h("span", { class: "diverging", role: "img", "aria-label": profiled && spent ? `${time(Math.abs(saved))} ${saved >= 0 ? "less" : "more"}` : "", title: profiled && spent ? `${time(Math.abs(saved))} ${saved >= 0 ? "less" : "more"}` : "" }, h("i", { class: saved >= 0 ? "less" : "more", style: { width } })),
      side(sides?.before, pair.before, texts[1], spent?.before, "removed"),
      side(sides?.after, pair.after, texts[0], spent?.after, "added"),
    );
    if (!sides) return summary;
    const details = h("details", { open: opened.has(pair) }, summary);
    const fill = (): void => {
      if (details.open && details.children.length === 1) details.append(sassTable(sides, was!.get(keyOf(pair.before)) ?? [], is!.get(keyOf(pair.after)) ?? []));
    };
    details.addEventListener("toggle", fill);
    fill();
    return details;
  };
  const what = !profiled ? "instrs" : spent ? "time" : "share";
  return h(
    "div",
    { class: "diff-code" },
    h("div", { class: "diff-row diff-head" }, h("span", {}, profiled ? "less · more" : ""), [kernel.before.demangled, kernel.after.demangled].flatMap((_, k) => [h("span", {}, "line"), h("span", { class: "number" }, what), h("span", {}, k === 0 ? "before" : "after")])),
    rows.map(row),
  );
}
