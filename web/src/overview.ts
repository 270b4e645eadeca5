// The overview of a launch: what limits it, what to change, and where the time goes.
import { barTable, swatch } from "./bars";
import { card, h, type Child } from "./dom";
import type { Explain, Launch, Predict } from "./documents";
import { findingsList, placeName } from "./findings";
import { bytes, count, fileName, opcode, percent, rate, short, time, times } from "./format";
import { memoryFlow } from "./memory_flow";
import type { Navigator } from "./navigate";
import { occupancyCard } from "./occupancy";
import { roofline } from "./roofline";
import { sensitivityCard } from "./sensitivity";
import { colour, kIssue, reason, resource } from "./stalls";

export function overview(launch: Launch, go: Navigator): HTMLElement {
  const { predict, explain, advise } = launch;
  const bounds = explain?.bounds ?? advise?.bounds ?? [];
  const timeUs = predict?.time_us ?? advise?.time_us ?? 0;
  const findings = advise ? card("Findings", advise.findings.length > 0 ? "What to change, largest estimated speedup first. Each jumps to its line." : null, { id: "findings" }, findingsList(advise, go)) : null;
  const split = explain?.sensitivity.some((row) => row.regions.length > 0) ?? false;
  const sensitivity = explain ? sensitivityCard(explain) : null;
  const bound = bounds.length > 0 ? boundsCard(bounds, timeUs) : null;
  const roof = explain && explain.roofline.operations > 0 ? card("Roofline", "Arithmetic throughput over intensity; the roofs are this launch's own lower bounds.", { id: "roofline" }, roofline(explain)) : null;
  const occupancy = predict ? occupancyCard(predict, explain) : null;
  const busy = predict ? resourceCard(predict) : null;
  const whatIf = explain && explain.what_if.length > 0 ? whatIfCard(explain) : null;
  // Two stacks of about the same height, with what is read first at the top.
  const [left, right] = findings
    ? [[findings, occupancy, busy, roof], [stallCard(launch), split ? null : sensitivity, bound, whatIf]]
    : [[stallCard(launch), occupancy, whatIf], [split ? null : sensitivity, bound, roof, busy]];
  return h(
    "div",
    { class: "overview" },
    split && !findings ? sensitivity : null,
    h("div", { class: "stack-of-cards" }, left),
    h("div", { class: "stack-of-cards" }, right),
    split && findings ? sensitivity : null,
    launch.code?.accesses?.length ? card("Memory traffic", "Bytes per level, and where they are served.", { class: "wide", id: "memory" }, memoryFlow(launch, go)) : null,
    predict && predict.lines.length > 0 ? linesCard(launch, predict, go) : null,
    explain && explain.critical_path.length > 0 ? pathCard(explain, go) : null,
    notes(launch),
  );
}

// Where the warps' time goes: one stacked bar, and its parts by name.
function stallCard(launch: Launch): HTMLElement | null {
  const stalls = launch.predict?.stalls ?? launch.advise?.stalls;
  if (!stalls) return null;
  const issued = launch.predict?.issued_share ?? Math.max(0, 1 - Object.values(stalls).reduce((a, b) => a + b, 0));
  const rows = [
    { key: "issued", name: "issued", about: "the warp issues an instruction", share: issued, fill: kIssue },
    ...Object.entries(stalls).map(([name, share]) => ({ key: name, name: reason(name).label, about: reason(name).about, share, fill: colour(name) })),
  ].sort((a, b) => b.share - a.share);
  const shown = rows.filter((row) => row.share >= 0.002);
  const most = Math.max(...shown.map((row) => row.share));
  const strip = h(
    "div",
    { class: "strip", role: "img", "aria-label": shown.map((row) => `${row.name} ${percent(row.share)}`).join(", ") },
    shown.map((row) => h("i", { style: { width: `${(100 * row.share).toFixed(2)}%`, background: row.fill }, title: `${row.name} ${percent(row.share)}` })),
  );
  const table = barTable(
    ["reason", "share", "meaning"],
    shown.map((row) => ({ label: [swatch(row.fill), row.name], share: row.share / most, value: percent(row.share), fill: row.fill, note: row.about })),
    { id: "stall-table", class: "described" },
  );
  return card("Where warp time goes", `Every cycle of every resident warp${launch.predict ? `: ${short(launch.predict.warp_cycles)} warp-cycles` : ""}.`, { id: "stalls" }, strip, table);
}

function boundsCard(bounds: { name: string; time_us: number }[], timeUs: number): HTMLElement {
  const rows = bounds
    .filter((bound) => bound.time_us >= 0.01 * timeUs)
    .map((bound) => ({
      label: resource(bound.name),
      share: bound.time_us / timeUs,
      value: time(bound.time_us),
      note: percent(bound.time_us / timeUs, 0),
      fill: bound.time_us >= 0.9 * timeUs ? "var(--hot)" : "var(--accent)",
    }));
  return card("Lower bounds", `Times that no schedule can beat; a full bar is the predicted ${time(timeUs)}.`, { id: "bounds" }, barTable(["bound", "time", "of predicted"], rows, { class: "noted" }));
}

function resourceCard(predict: Predict): HTMLElement {
  const rows = Object.entries(predict.resources)
    .map(([name, { busy }]) => ({ label: resource(name), share: busy, value: percent(busy) }))
    .filter((row) => row.share >= 0.005)
    .sort((a, b) => b.share - a.share);
  return card("Busy resources", "Share of the time in which each unit works.", { id: "busy" }, barTable(["resource", "busy"], rows));
}

function linesCard(launch: Launch, predict: Predict, go: Navigator): HTMLElement {
  const lines = predict.lines.slice(0, 12);
  const text = (path: string | null, line: number | null): string => {
    const file = launch.code?.files.find((each) => each.path === path);
    const part = file?.parts.find((each) => line !== null && line >= each.first && line < each.first + each.text.length);
    return part ? part.text[line! - part.first]!.trim() : "";
  };
  const known = lines.some((line) => text(line.file, line.line) !== "");
  return card(
    "Hottest lines",
    null,
    { class: "wide", id: "lines" },
    h(
      "table",
      { class: "plain lines" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "share"), h("th", { scope: "col" }, "line"), known ? h("th", { scope: "col" }, "source") : null, h("th", { scope: "col" }, "top stall"))),
      h(
        "tbody",
        {},
        lines.map((line) => {
          const top = Object.entries(line.stalls).sort((a, b) => b[1] - a[1])[0];
          const file = launch.code?.files.findIndex((each) => each.path === line.file) ?? -1;
          const name = line.file && line.line ? `${fileName(line.file)}:${line.line}` : "no line";
          return h(
            "tr",
            {},
            h("td", { class: "number" }, percent(line.share)),
            h("td", {}, file >= 0 && line.line ? h("button", { type: "button", class: "text", onclick: () => go.toCode({ file, line: line.line! }) }, name) : name),
            known ? h("td", { class: "code" }, text(line.file, line.line)) : null,
            h("td", { class: "nowrap" }, top ? [swatch(colour(top[0])), `${reason(top[0]).label} ${percent(top[1], 0)}`] : "–"),
          );
        }),
      ),
    ),
  );
}

function pathCard(explain: Explain, go: Navigator): HTMLElement {
  const links = explain.critical_path.filter((link) => link.share >= 0.005).slice(0, 12);
  return card(
    "Critical path",
    "The chain of waits that ends with the last instruction.",
    { class: "wide", id: "path" },
    h(
      "table",
      { class: "plain" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "share"), h("th", { scope: "col" }, "stall"), h("th", { scope: "col" }, "instruction"), h("th", { scope: "col" }, "waits for"), h("th", { scope: "col", class: "number" }, "times"))),
      h(
        "tbody",
        {},
        links.map((link) =>
          h(
            "tr",
            {},
            h("td", { class: "number" }, percent(link.share)),
            h("td", { class: "nowrap" }, swatch(colour(link.stall)), reason(link.stall).label),
            h("td", {}, h("button", { type: "button", class: "text", onclick: () => go.toCode({ instruction: link.offset! / 16, cause: link.waits_for ? link.waits_for.offset! / 16 : undefined }) }, `${opcode(link.instruction ?? "")} ${placeName(link)}`)),
            h("td", { class: "nowrap" }, link.waits_for ? `${opcode(link.waits_for.instruction ?? "")} ${placeName(link.waits_for)}` : "the start of the SM"),
            h("td", { class: "number" }, count(link.times)),
          ),
        ),
      ),
    ),
  );
}

function whatIfCard(explain: Explain): HTMLElement {
  const rows = explain.what_if.map((w) => ({ label: h("code", {}, w.change), share: w.time_us / explain.time_us, value: time(w.time_us), note: times(w.speedup) }));
  return card("What if", `A full bar is the predicted ${time(explain.time_us)}.`, { id: "what-if" }, barTable(["change", "time", "speedup"], rows, { class: "noted" }));
}

function notes(launch: Launch): HTMLElement | null {
  const all = [...new Set([...(launch.predict?.notes ?? []), ...(launch.advise?.notes ?? [])])];
  if (all.length === 0) return null;
  return card("Notes", null, { class: "wide", id: "notes" }, h("ul", {}, all.map((note) => h("li", {}, note))));
}

// The first lines of the page: the facts of a launch, each a name and a number.
export function facts(launch: Launch): HTMLElement {
  const { predict, advise } = launch;
  const items: [string, Child, string?][] = [];
  if (predict) {
    items.push(["occupancy", percent(predict.occupancy, 0), `${percent(predict.achieved_occupancy)} achieved`]);
    items.push(["waves", predict.waves.toFixed(1), `${count(predict.sms_in_use)} SMs`]);
    items.push(["IPC per SM", predict.ipc.toFixed(2), `${short(predict.instructions)} warp instructions`]);
    items.push(["L1 hits", percent(predict.l1_hit_rate, 0), `L2 ${percent(predict.l2_hit_rate, 0)}`]);
    items.push(["DRAM", bytes(predict.dram_bytes), rate((predict.dram_bytes / predict.time_us) * 1e6, "B")]);
  } else if (advise) {
    items.push(["occupancy", percent(advise.resources.occupancy, 0), ""]);
    items.push(["samples", count(advise.samples), ""]);
  }
  const code = launch.code;
  if (code) items.push(["registers", count(code.registers), `${count(code.instructions)} instructions`]);
  return h("dl", { class: "facts" }, items.map(([name, value, note]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("b", {}, value), note ? h("span", {}, note) : null))));
}
