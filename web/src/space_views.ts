// What carving kept, where throughput saturates, and which shapes a rational program chooses.
import { frame, grid, kPalette, scale } from "./axes";
import { barTable, swatch } from "./bars";
import { card, h, svg } from "./dom";
import { count, percent, plain, several, short, time } from "./format";
import type { Carve, Carved, Fit, Saturate } from "./kinds";
import { shapeMap, shapeText } from "./shape_map";
import { configText } from "./tuning_view";

const notesCard = (notes: string[]): HTMLElement | null => (notes.length > 0 ? card("Notes", null, { class: "wide" }, h("ul", {}, notes.map((note) => h("li", {}, note)))) : null);

// The axes that the front was chosen by: numbers that every kept configuration has, before "cycles".
function axesOf(kept: Carved[]): string[] {
  const keys = Object.keys(kept[0] ?? {});
  const end = keys.indexOf("cycles");
  return keys.slice(0, end < 0 ? keys.length : end).filter((key) => typeof kept[0]![key] === "number");
}

export function carveView(carve: Carve): HTMLElement {
  return h("div", { class: "overview" }, carve.sizes.flatMap((size) => {
    const kept = size.kept ?? [];
    const pruned = size.pruned ?? [];
    // The two that tell the configurations apart best.
    const spread = (key: string): number => {
      const values = [...kept, ...pruned].map((each) => Number(each[key])).filter((value) => value > 0);
      return values.length > 0 ? Math.max(...values) / Math.min(...values) : 0;
    };
    const [first, second] = axesOf(kept).sort((a, b) => spread(b) - spread(a));
    const reasons = new Map<string, { reason: string; count: number }>();
    for (const each of pruned) {
      const key = (each.reason ?? each.fate).replace(/[\d.]+/g, "#");
      const row = reasons.get(key) ?? { reason: each.reason ?? each.fate, count: 0 };
      row.count += 1;
      reasons.set(key, row);
    }
    return [
      first && second ? card("Front", `${count(kept.length)} of ${count(size.configurations)} configurations are worth trying${Object.keys(size.problem).length > 0 ? ` for ${configText(size.problem)}` : ""}.`, { id: "front" }, front(kept, pruned, first, second)) : null,
      size.rows ? card("Kept and lost", "How good the best kept configuration is.", { id: "selections" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "selection"), ["kept", "best", "of the best"].map((name) => h("th", { scope: "col", class: "number" }, name)))), h("tbody", {}, size.rows.map((row) => h("tr", {}, h("td", {}, row.selection), h("td", { class: "number" }, count(row.kept)), h("td", { class: "number" }, row.best_us ? time(row.best_us) : "–"), h("td", { class: "number" }, row.share_of_best ? percent(row.share_of_best) : "–")))))) : null,
      reasons.size > 0 ? card("Pruned, and why", null, { class: "wide", id: "pruned" }, barTable(["reason", "configurations"], [...reasons.values()].sort((a, b) => b.count - a.count).slice(0, 15).map((row) => ({ label: row.reason, share: row.count / pruned.length, value: count(row.count) })))) : null,
      kept.length > 0 ? card("Worth trying", null, { class: "wide", id: "kept" }, keptTable(kept)) : null,
    ];
  }), notesCard(carve.notes));
}

function front(kept: Carved[], pruned: Carved[], first: string, second: string): HTMLElement {
  const value = (each: Carved, key: string): number => Number(each[key]);
  const drawable = (each: Carved): boolean => value(each, first) > 0 && value(each, second) > 0;
  const all = [...kept, ...pruned].filter(drawable);
  const f = frame(620, 330);
  const ends = (key: string): [number, number] => [Math.min(...all.map((each) => value(each, key))) * 0.95, Math.max(...all.map((each) => value(each, key))) * 1.05];
  const wide = ([low, high]: [number, number]): boolean => high > 8 * low;
  const [fx, fy] = [ends(first), ends(second)];
  const x = scale(...fx, f.left, f.width - f.right, wide(fx));
  const y = scale(...fy, f.height - f.bottom, f.top, wide(fy), 5);
  const dot = (each: Carved, kind: string): SVGElement => svg("circle", { cx: x.at(value(each, first)).toFixed(1), cy: y.at(value(each, second)).toFixed(1), r: kind === "now" ? 4 : 2.4, class: `dot ${kind}` }, svg("title", {}, `${configText(each.config)}: ${each.fate}${each.reason ? `, ${each.reason}` : ""}`));
  return h(
    "div",
    {},
    svg("svg", { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart roomy", role: "img", "aria-label": `${kept.length} kept and ${pruned.length} pruned configurations by ${first} and ${second}` }, grid(f, x, y, `${first}; upwards: ${second}`, plain, plain), pruned.filter(drawable).slice(0, 4000).map((each) => dot(each, "faded")), kept.filter(drawable).map((each) => dot(each, "now"))),
    h("p", { class: "legend" }, h("span", {}, swatch("var(--hot)"), "worth trying"), h("span", {}, swatch("var(--ink-faint)"), "pruned")),
  );
}

function keptTable(kept: Carved[]): HTMLElement {
  const timed = kept.some((each) => each.time_us || each.predicted_us);
  return h(
    "table",
    { class: "plain" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "configuration"), h("th", { scope: "col" }, "why"), ["occupancy", "registers", timed ? "time" : ""].filter(Boolean).map((name) => h("th", { scope: "col", class: "number" }, name)))),
    h("tbody", {}, kept.slice(0, 200).map((each) => h("tr", {}, h("td", {}, h("code", {}, configText(each.config))), h("td", { class: "nowrap" }, each.fate), h("td", { class: "number" }, each.occupancy === undefined ? "–" : percent(each.occupancy, 0)), h("td", { class: "number" }, each.registers ?? "–"), timed ? h("td", { class: "number" }, each.time_us ? time(each.time_us) : each.predicted_us ? time(each.predicted_us) : "–") : null))),
  );
}

export function saturateView(found: Saturate): HTMLElement {
  return h(
    "div",
    { class: "overview" },
    card(
      "Throughput over problem size",
      found.saturation_point === null ? "Not saturated at any size that was measured." : `Saturated from ${found.size} = ${count(found.saturation_point)} on: tuning there is valid for ${found.size} = ${count(found.target)}.`,
      { class: "wide", id: "saturation" },
      curve(found),
    ),
    found.configurations.map((each) =>
      card(
        each.config || "default configuration",
        each.saturation_point === null ? (each.reason ?? "") : `saturated from ${count(each.saturation_point)} on`,
        {},
        h("table", { class: "plain" }, h("thead", {}, h("tr", {}, [found.size, "time", found.unit ? `throughput (${found.unit})` : "throughput", "of plateau"].map((name) => h("th", { scope: "col", class: "number" }, name)))), h("tbody", {}, each.samples.map((sample) => h("tr", { class: sample.in_regime ? null : "rest" }, h("td", { class: "number" }, count(sample.size)), h("td", { class: "number" }, time(sample.time_us)), h("td", { class: "number" }, short(sample.throughput)), h("td", { class: "number" }, each.plateau ? percent(sample.throughput / each.plateau) : "–"))))),
      ),
    ),
    notesCard(found.notes),
  );
}

function curve(found: Saturate): HTMLElement {
  const samples = found.configurations.flatMap((each) => each.samples);
  if (samples.length === 0) return h("p", { class: "empty" }, "Nothing was measured.");
  const f = frame(1240, 340);
  const sizes = samples.map((sample) => sample.size);
  const x = scale(Math.min(...sizes), Math.max(...sizes, found.target), f.left, f.width - f.right, true, 8);
  const y = scale(0, Math.max(...samples.map((sample) => sample.throughput)) * 1.08, f.height - f.bottom, f.top, false, 5);
  return h(
    "div",
    {},
    svg(
      "svg",
      { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart whole", role: "img", "aria-label": `Throughput over ${found.size}` },
      grid(f, x, y, found.size, plain, plain),
      found.saturation_point === null ? null : [svg("line", { x1: x.at(found.saturation_point), x2: x.at(found.saturation_point), y1: f.top, y2: f.height - f.bottom, class: "gap" }), svg("text", { x: x.at(found.saturation_point) + 6, y: f.top + 12, class: "label" }, `saturated from ${count(found.saturation_point)}`)],
      found.configurations.map((each, k) => {
        const points = [...each.samples].sort((a, b) => a.size - b.size);
        const stroke = kPalette[k % kPalette.length]!;
        return [svg("path", { class: "line", style: { stroke }, d: points.map((sample, at) => `${at ? "L" : "M"}${x.at(sample.size).toFixed(1)} ${y.at(sample.throughput).toFixed(1)}`).join("") }), points.map((sample) => svg("circle", { cx: x.at(sample.size), cy: y.at(sample.throughput), r: 3.2, class: "dot", style: { fill: sample.in_regime ? stroke : "var(--surface)", stroke } }, svg("title", {}, `${count(sample.size)}: ${time(sample.time_us)}`)))];
      }),
    ),
    found.configurations.length > 1 ? h("p", { class: "legend" }, found.configurations.map((each, k) => h("span", {}, swatch(kPalette[k % kPalette.length]!), each.config || "default"))) : null,
  );
}

export function fitView(fit: Fit): HTMLElement {
  const shape = shapeText;
  const map = shapeMap(fit);
  const best = [...new Set(fit.regions.map((region) => (region.shapes[0] ? shape(region.shapes[0]) : "")))];
  return h(
    "div",
    { class: "overview" },
    map ? card("Shape map", map.about, { class: "wide", id: "shape-map" }, map.picture) : null,
    card("Shape by size", `${several(fit.regions.length, "region")} of the sizes, each with its shapes, best first.`, { class: "wide", id: "shapes" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "where"), h("th", { scope: "col" }, "best"), h("th", { scope: "col" }, "then"))), h("tbody", {}, fit.regions.map((region) => {
      const name = region.shapes[0] ? shape(region.shapes[0]) : "–";
      return h("tr", {}, h("td", {}, h("code", {}, region.where)), h("td", { class: "nowrap" }, swatch(kPalette[best.indexOf(name) % kPalette.length]!), h("b", {}, name)), h("td", { class: "faint" }, region.shapes.slice(1, 5).map(shape).join(", ")));
    })))),
    card("Reference time", `The fastest shape's time in µs; ${percent(fit.reference.held_out_error)} off at sizes left out.`, {}, h("p", {}, h("code", {}, fit.reference.expression)), h("p", { class: "legend" }, `${count(fit.samples)} samples of ${count(fit.shapes)} shapes at ${count(fit.sizes)} sizes, from ${fit.source}`)),
    card("Models", "Time of the chosen shape relative to the fastest, at sizes left out.", {}, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "model"), ["mean", "worst", "cases"].map((name) => h("th", { scope: "col", class: "number" }, name)))), h("tbody", {}, fit.models.map((model) => h("tr", { class: model.chosen ? "total" : null }, h("td", {}, model.model, model.chosen ? " (used)" : ""), h("td", { class: "number" }, model.mean.toFixed(3)), h("td", { class: "number" }, model.worst.toFixed(3)), h("td", { class: "number" }, count(model.cases))))))),
    notesCard(fit.notes),
  );
}
