// A coarsened kernel beside the original, and the other coarsenings that were predicted.
import { barTable } from "./bars";
import { card, h, type Child } from "./dom";
import { count, dims, several, time, times } from "./format";
import type { Coarsen, CoarsenStep } from "./kinds";

export const coarseningText = (steps: CoarsenStep[]): string =>
  steps.map((step) => `${step.level} ${step.axis}=${step.factor}${step.stride ? `, stride ${step.stride}` : ""}`).join("; ") || "not coarsened";

export function coarsenVerdict(found: Coarsen): string {
  if (found.coarsenings.length === 0) return "No coarsening is clearly faster (5 % or more): the kernel is left as it is.";
  if (!found.predicted_us) return "";
  const [before, after] = found.predicted_us;
  return Math.abs(before / after - 1) < 0.005 ? "The predicted times are the same." : before > after ? `Predicted to be ${times(before / after)} faster.` : `Predicted to be ${times(after / before)} slower.`;
}

export function coarsenView(found: Coarsen): HTMLElement {
  return h("div", { class: "overview" }, versions(found), check(found), candidates(found), refused(found));
}

function versions(found: Coarsen): HTMLElement {
  const [before, after] = [found.original_launch, found.launch];
  const row = (name: string, a: Child, b: Child, note = ""): HTMLElement => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, a), h("td", { class: "number" }, b), h("td", { class: "faint" }, note));
  return card(
    "Original and coarsened",
    null,
    { id: "versions" },
    h(
      "table",
      { class: "plain versions" },
      h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "unseen" }, "what")), h("th", { scope: "col", class: "number" }, "original"), h("th", { scope: "col", class: "number" }, "coarsened"), h("th", {}, h("span", { class: "unseen" }, "note")))),
      h(
        "tbody",
        {},
        row("grid", dims(before.grid), dims(after.grid), found.specialised_grid ? "the kernel is now for this grid only" : ""),
        row("block", dims(before.block), dims(after.block)),
        before.smem + after.smem > 0 ? row("dynamic shared memory", count(before.smem), count(after.smem), "bytes per block: pass this at the launch") : null,
        found.registers ? row("registers", count(found.registers[0]), count(found.registers[1]), "per thread") : null,
        found.spill_bytes && found.spill_bytes[0] + found.spill_bytes[1] > 0 ? row("local memory", count(found.spill_bytes[0]), count(found.spill_bytes[1]), found.spill_bytes[1] > found.spill_bytes[0] ? "bytes per thread: check for spills" : "bytes per thread") : null,
        found.predicted_us ? row("predicted time", time(found.predicted_us[0]), h("b", {}, time(found.predicted_us[1]))) : null,
      ),
    ),
    found.output ? h("p", { class: "legend" }, "written to ", h("code", {}, found.output)) : null,
  );
}

function check(found: Coarsen): HTMLElement {
  const result = found.check;
  if (!result) return card("Check", null, { id: "check" }, h("p", { class: "empty" }, "Not checked. With --check, both kernels are executed on the CPU and their buffers compared."));
  return card(
    "Check",
    "Both kernels executed on the CPU, their buffers compared.",
    { id: "check" },
    h("p", { class: "hero" }, h("b", { class: result.equal ? "good" : "bad" }, result.equal ? "equal" : "different")),
    h("p", {}, `${count(result.compared_bytes)} bytes compared, compiled with ${result.compiled_with}${result.equal ? (result.float_atomics ? "; equal up to the order of floating-point atomics" : "; equal bit for bit") : `; ${several(result.differences, "difference")}`}.`),
    result.first_difference ? h("p", {}, result.first_difference) : null,
    result.equal && !result.equal_as_compiled ? h("p", {}, "Rounding may differ as compiled: ptxas fuses other multiplications and additions.") : null,
  );
}

function candidates(found: Coarsen): HTMLElement | null {
  const ranked = (found.candidates ?? []).filter((each) => each.predicted_us).sort((a, b) => a.predicted_us! - b.predicted_us!);
  if (ranked.length === 0 || !found.predicted_us) return null;
  const original = found.predicted_us[0];
  const chosen = coarseningText(found.coarsenings);
  const most = Math.max(original, ranked[ranked.length - 1]!.predicted_us!);
  const rows = [...ranked.map((each) => ({ name: coarseningText(each.coarsenings), us: each.predicted_us! })), { name: "original", us: original }].sort((a, b) => a.us - b.us);
  return card(
    "Predicted coarsenings",
    "Fastest first; every one that was tried.",
    { class: "wide", id: "candidates" },
    barTable(
      ["coarsening", "time", "speedup"],
      rows.map((row) => ({
        label: row.name === chosen ? h("b", {}, row.name) : row.name,
        share: row.us / most,
        value: time(row.us),
        note: row.name === "original" ? "" : `${times(original / row.us)}${row.name === chosen ? ", chosen" : ""}`,
        fill: row.name === chosen ? "var(--good)" : row.name === "original" ? "var(--ink-faint)" : "var(--accent)",
      })),
      { class: "noted" },
    ),
  );
}

function refused(found: Coarsen): HTMLElement | null {
  const reasons = new Map<string, CoarsenStep[][]>();
  for (const each of found.candidates ?? []) {
    if (each.refused) reasons.set(each.refused, [...(reasons.get(each.refused) ?? []), each.coarsenings]);
  }
  if (reasons.size === 0) return null;
  return card(
    "Refused",
    "Coarsenings that would change the results or do not fit.",
    { class: "wide", id: "refused" },
    h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "reason"), h("th", { scope: "col" }, "coarsenings"))), h("tbody", {}, [...reasons].map(([reason, all]) => h("tr", {}, h("td", {}, reason), h("td", {}, all.map(coarseningText).join(" · ")))))),
  );
}
