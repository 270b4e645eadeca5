// Memory traffic as a flow: the instructions with the most sectors, then L1, L2 and DRAM. The width
// of a ribbon is its bytes.
import { h, svg } from "./dom";
import type { Code, Launch, Predict } from "./documents";
import { bytes, fileName, hex, opcode, percent } from "./format";
import type { Navigator } from "./navigate";

const kSector = 32;
const kShown = 7;

// Instructions of one kind on one line.
interface Flow {
  instruction: number; // the one with the most sectors; -1: all others
  name: string;
  line: string;
  l1: number; // bytes served by each level
  l2: number;
  dram: number;
  all: number;
}

function flows(code: Code): Flow[] {
  const groups = new Map<string, Flow & { members: number }>();
  for (const [i, sectors, l1, l2] of [...(code.accesses ?? [])].sort((a, b) => b[1] - a[1])) {
    if (sectors <= 0) continue;
    const place = code.places[code.place[i]!];
    const line = place ? `${fileName(code.files[place.file]!.path)}:${place.line}` : hex(16 * i);
    const name = opcode(code.text[i]!);
    const flow = groups.get(`${name} ${line}`) ?? { instruction: i, name, line, l1: 0, l2: 0, dram: 0, all: 0, members: 0 };
    flow.members += 1;
    flow.l1 += kSector * l1;
    flow.l2 += kSector * l2;
    flow.dram += kSector * Math.max(0, sectors - l1 - l2);
    flow.all += kSector * sectors;
    groups.set(`${name} ${line}`, flow);
  }
  const list: Flow[] = [...groups.values()].map(({ members, ...flow }) => ({ ...flow, name: members > 1 ? `${members} × ${flow.name}` : flow.name })).sort((a, b) => b.all - a.all);
  const rest = list.splice(kShown);
  if (rest.length > 0) {
    const sum = (key: "l1" | "l2" | "dram" | "all"): number => rest.reduce((total, flow) => total + flow[key], 0);
    list.push({ instruction: -1, name: `${rest.length} more`, line: "", l1: sum("l1"), l2: sum("l2"), dram: sum("dram"), all: sum("all") });
  }
  return list;
}

export function memoryFlow(launch: Launch, go: Navigator): HTMLElement {
  const list = flows(launch.code!);
  return h("div", {}, list.length > 0 ? flowChart(list, launch.predict, go) : null, sharedTable(launch.code!, go));
}

function flowChart(list: Flow[], predict: Predict | undefined, go: Navigator): SVGElement {
  const total = list.reduce((sum, flow) => sum + flow.all, 0);
  const [width, top, gap] = [940, 26, 10];
  const scale = 210 / total;
  const size = (amount: number): number => amount * scale;
  const height = top + list.reduce((sum, flow) => sum + Math.max(26, size(flow.all)) + gap, 0) + 10;
  const columns = { from: 270, l1: 470, l2: 660, dram: 820 };
  const [l1, l2, dram] = [list.reduce((s, f) => s + f.l1, 0), list.reduce((s, f) => s + f.l2, 0), list.reduce((s, f) => s + f.dram, 0)];
  const parts: SVGElement[] = [];
  const ribbon = (x1: number, y1: number, x2: number, y2: number, thick: number, kind: string, title: string): void => {
    if (thick < 0.3) return;
    const middle = (x1 + x2) / 2;
    const curve = (a: number, b: number, c: number, d: number): string => `C${middle} ${b} ${middle} ${d} ${c} ${d}`.replace("NaN", String(a));
    parts.push(svg("path", { class: `ribbon ${kind}`, d: `M${x1} ${y1}${curve(x1, y1, x2, y2)}L${x2} ${y2 + thick}${curve(x2, y2 + thick, x1, y1 + thick)}Z` }, svg("title", {}, title)));
  };
  const node = (x: number, y: number, thick: number, kind: string): void => void parts.push(svg("rect", { x, y, width: 10, height: Math.max(1.5, thick), class: `node ${kind}` }));
  const label = (x: number, y: number, name: string, note: string, anchor = "start"): void =>
    void parts.push(svg("text", { x, y, class: `label ${anchor}` }, name), svg("text", { x, y: y + 15, class: `tick ${anchor}` }, note));

  // The ribbons into L1, stacked in the order of the instructions.
  const base = top + 4;
  let from = top;
  let into = base;
  for (const flow of list) {
    const thick = size(flow.all);
    node(columns.from, from, thick, "instruction");
    ribbon(columns.from + 10, from, columns.l1, into, thick, "l1", `${flow.name} ${flow.line}: ${bytes(flow.all)}`);
    const middle = from + thick / 2;
    const text = svg("text", { x: columns.from - 8, y: middle + 1, class: "label end" }, flow.name, svg("tspan", { class: "faint" }, `  ${flow.line}`));
    const amount = svg("text", { x: columns.from - 8, y: middle + 14, class: "tick end" }, bytes(flow.all));
    if (flow.instruction >= 0) {
      parts.push(svg("g", { class: "link", tabindex: 0, role: "link", "aria-label": `${flow.name} at ${flow.line}, ${bytes(flow.all)}`, onclick: () => go.toCode({ instruction: flow.instruction }), onkeydown: (event: KeyboardEvent) => event.key === "Enter" && go.toCode({ instruction: flow.instruction }) }, text, amount));
    } else {
      parts.push(text, amount);
    }
    from += Math.max(26, thick) + gap;
    into += thick;
  }
  node(columns.l1, base, size(total), "l1");
  // What hits ends at its level; the rest goes on.
  const pass = base;
  node(columns.l2, pass, size(l2 + dram), "l2");
  node(columns.dram, pass, size(dram), "dram");
  ribbon(columns.l1 + 10, pass, columns.l2, pass, size(l2 + dram), "l2", `${bytes(l2 + dram)} miss in L1`);
  ribbon(columns.l2 + 10, pass, columns.dram, pass, size(dram), "dram", `${bytes(dram)} miss in L2`);
  label(columns.l1 - 2, top - 12, `L1 · ${percent(total > 0 ? l1 / total : 0, 0)} hits`, "", "start");
  label(columns.l2 - 2, top - 12, `L2 · ${percent(l2 + dram > 0 ? l2 / (l2 + dram) : 0, 0)} hits`, "", "start");
  label(columns.dram - 2, top - 12, "DRAM", "", "start");
  const below = (x: number, thick: number, lines: string[]): void =>
    lines.forEach((line, k) => parts.push(svg("text", { x, y: pass + thick + 18 + 15 * k, class: "tick" }, line)));
  below(columns.l1, size(total), [`${bytes(total)} requested`, `${bytes(l1)} served here`]);
  below(columns.l2, size(l2 + dram), [`${bytes(l2 + dram)} requested`, `${bytes(l2)} served here`]);
  below(columns.dram, size(dram), predict ? [`${bytes(predict.dram_read_bytes)} read`, `${bytes(predict.dram_write_bytes)} written`] : [bytes(dram)]);
  const tall = Math.max(height, pass + size(total) + 44);
  return svg("svg", { viewBox: `0 0 ${width} ${tall.toFixed(0)}`, class: "chart flow", role: "group", "aria-label": `Memory traffic: ${bytes(total)} requested from L1, ${bytes(l2 + dram)} from L2, ${bytes(dram)} missing in L2` }, parts);
}

// Bank conflicts of shared memory: wavefronts beside those without conflicts.
function sharedTable(code: Code, go: Navigator): HTMLElement | null {
  const rows = (code.accesses ?? []).filter(([, sectors, , , passes]) => sectors === 0 && passes > 0).sort((a, b) => b[4] - a[4]).slice(0, 8);
  if (rows.length === 0) return null;
  return h(
    "table",
    { class: "plain", id: "shared" },
    h("caption", {}, "Shared memory"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "instruction"), h("th", { scope: "col" }, "line"), h("th", { scope: "col", class: "number" }, "wavefronts"), h("th", { scope: "col", class: "number" }, "ideal"), h("th", { scope: "col", class: "number" }, "conflict"))),
    h(
      "tbody",
      {},
      rows.map(([i, , , , passes, ideal]) => {
        const place = code.places[code.place[i]!];
        return h(
          "tr",
          {},
          h("td", {}, h("button", { type: "button", class: "text", onclick: () => go.toCode({ instruction: i }) }, opcode(code.text[i]!), " ", hex(16 * i))),
          h("td", {}, place ? `${fileName(code.files[place.file]!.path)}:${place.line}` : "–"),
          h("td", { class: "number" }, Math.round(passes).toLocaleString("en-US")),
          h("td", { class: "number" }, Math.round(ideal).toLocaleString("en-US")),
          h("td", { class: `number ${passes > 1.5 * ideal ? "bad" : ""}` }, ideal > 0 ? `${(passes / ideal).toFixed(1)}-way` : "–"),
        );
      }),
    ),
  );
}
