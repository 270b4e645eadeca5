// Sensitivities: by how much the time follows each resource, and in which region of the code.
import { barTable } from "./bars";
import { card, h } from "./dom";
import type { Explain, RegionShare, Sensitivity } from "./documents";
import { percent } from "./format";
import { resource } from "./stalls";

const name = (row: Sensitivity): string => `${resource(row.resource)} ${row.mode}`;
const fill = (row: { mode: string }): string => (row.mode === "latency" ? "var(--latency)" : "var(--throughput)");

export function sensitivityCard(explain: Explain): HTMLElement {
  const rows = explain.sensitivity.filter((row) => row.share > Math.max(0.01, 2 * row.uncertainty));
  const others = explain.sensitivity.length - rows.length;
  const most = Math.max(0.2, ...rows.map((row) => row.share + row.uncertainty));
  const split = rows.filter((row) => row.regions.length > 0);
  return card(
    "Sensitivity",
    `Change of the time in % per 1 % that a resource is slower, from steps of ${percent(explain.step, 0)}.`,
    { id: "sensitivity", class: split.length > 0 ? "wide" : "" },
    h(
      "div",
      { class: split.length > 0 ? "columns" : "" },
      h(
        "div",
        {},
        rows.length > 0
          ? barTable(["resource", "share", "±"], rows.map((row) => ({ label: name(row), share: row.share / most, error: row.uncertainty / most, value: percent(row.share), note: `± ${percent(row.uncertainty)}`, fill: fill(row) })), { id: "sensitivity-table", class: "noted" })
          : h("p", { class: "empty" }, "No resource has a significant share."),
        h("p", { class: "legend" }, h("i", { class: "swatch", style: { background: fill({ mode: "throughput" }) } }), "throughput", h("i", { class: "swatch", style: { background: fill({ mode: "latency" }) } }), "latency", others > 0 ? ` · ${others} rows not significantly above 0` : null),
      ),
      split.length > 0 ? regionMatrix(split) : null,
    ),
  );
}

interface RegionRow {
  name: string;
  depth: number;
  shares: Map<Sensitivity, number>;
}

// The regions of all rows, in code order, inner ones after the one that contains them.
function regionRows(rows: Sensitivity[]): RegionRow[] {
  const list: (RegionRow & { order: number })[] = [];
  const visit = (row: Sensitivity, regions: RegionShare[], depth: number): void => {
    for (const region of regions) {
      let at = list.find((each) => each.name === region.name && each.depth === depth);
      if (!at) {
        at = { name: region.name, depth, shares: new Map(), order: region.first_offset + depth / 100 };
        list.push(at);
      }
      at.shares.set(row, region.share);
      if (region.regions) visit(row, region.regions, depth + 1);
    }
  };
  for (const row of rows) visit(row, row.regions, 0);
  return list.sort((a, b) => a.order - b.order);
}

function regionMatrix(rows: Sensitivity[]): HTMLElement {
  const columns = rows.slice(0, 5);
  const cell = (share: number | undefined, row: Sensitivity): HTMLElement =>
    share === undefined
      ? h("td", { class: "number" }, "–")
      : h("td", { class: "number heat", style: { "--heat": Math.max(0, Math.min(1, share)).toFixed(3), "--hue": fill(row) } }, percent(share));
  return h(
    "table",
    { class: "plain matrix", id: "regions" },
    h("caption", { class: "unseen" }, "Sensitivity by region"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "region"), columns.map((row) => h("th", { scope: "col", class: "number" }, name(row))))),
    h(
      "tbody",
      {},
      h("tr", { class: "total" }, h("th", { scope: "row" }, "whole launch"), columns.map((row) => cell(row.share, row))),
      regionRows(columns).map((region) => h("tr", {}, h("th", { scope: "row", style: { "padding-left": `${0.6 + region.depth}em` } }, region.name), columns.map((row) => cell(region.shares.get(row), row)))),
      h("tr", { class: "rest" }, h("th", { scope: "row" }, "interaction"), columns.map((row) => h("td", { class: "number" }, row.interaction === undefined ? "–" : percent(row.interaction)))),
    ),
  );
}
