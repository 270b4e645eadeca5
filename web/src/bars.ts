// Bars inside tables: the picture and the number in one row, so that a table reads well without the
// picture too.
import { h, type Child } from "./dom";
import { percent } from "./format";
import { colour, kIssue, reason } from "./stalls";
import type { Part } from "./code_model";

export interface BarRow {
  label: Child;
  share: number; // of the full width
  value: string;
  fill?: string;
  error?: number; // ± of the share
  note?: Child;
  title?: string;
  onclick?: () => void;
}

// A table of labelled bars. `heads` name the columns for screen readers.
export function barTable(heads: [string, string, string?], rows: BarRow[], attributes: Record<string, unknown> = {}): HTMLElement {
  const noted = rows.some((row) => row.note);
  return h(
    "table",
    { ...attributes, class: `bars ${attributes.class ?? ""}` },
    h("thead", { class: "unseen" }, h("tr", {}, h("th", { scope: "col" }, heads[0]), h("th", { scope: "col" }, "bar"), h("th", { scope: "col" }, heads[1]), noted ? h("th", { scope: "col" }, heads[2] ?? "note") : null)),
    h(
      "tbody",
      {},
      rows.map((row) =>
        h(
          "tr",
          { title: row.title, class: row.onclick ? "link" : null, onclick: row.onclick },
          h("th", { scope: "row" }, row.label),
          h("td", { class: "bar", "aria-hidden": "true" }, bar(row)),
          h("td", { class: "number" }, row.value),
          noted ? h("td", { class: "note" }, row.note) : null,
        ),
      ),
    ),
  );
}

function bar(row: BarRow): HTMLElement {
  const width = (share: number): string => `${Math.max(0, Math.min(100, 100 * share)).toFixed(2)}%`;
  const track = h("div", { class: "track" }, h("div", { class: "fill", style: { width: width(row.share), background: row.fill ?? "var(--accent)" } }));
  if (row.error) {
    const low = Math.max(0, row.share - row.error);
    track.append(h("div", { class: "error", style: { left: width(low), width: width(Math.min(1, row.share + row.error) - low) } }));
  }
  return track;
}

// One bar cut into the parts of an instruction or a line; `scale` is the amount of a full bar.
export function stackedBar(parts: readonly Part[], reasons: readonly string[], scale: number): HTMLElement {
  const track = h("div", { class: "stack", "aria-hidden": "true" });
  for (const part of parts) {
    const width = scale > 0 ? (100 * part.amount) / scale : 0;
    if (width < 0.4) continue;
    track.append(h("i", { style: { width: `${width.toFixed(1)}%`, background: part.reason < 0 ? kIssue : colour(reasons[part.reason]!) } }));
  }
  return track;
}

export const partName = (part: Part, reasons: readonly string[]): string =>
  part.reason < 0 ? "issued" : reason(reasons[part.reason]!).label;

export const partsText = (parts: readonly Part[], reasons: readonly string[], total: number): string =>
  parts.map((part) => `${partName(part, reasons)} ${percent(part.amount / total)}`).join(", ");

export const swatch = (background: string): HTMLElement => h("i", { class: "swatch", style: { background }, "aria-hidden": "true" });
