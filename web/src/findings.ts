// The findings of burin advise, ranked; each jumps to its line in the code.
import { h } from "./dom";
import type { Advise, Finding, Place } from "./documents";
import { fileName, hex, opcode, percent, times } from "./format";
import type { CodeTarget, Navigator } from "./navigate";

export const placeName = (place: Place): string =>
  place.file && place.line ? `${fileName(place.file)}:${place.line}` : place.offset === null ? "whole kernel" : hex(place.offset);

const index = (place: Place): number | undefined => (place.offset === null ? undefined : place.offset / 16);

// The place of a finding, and the instruction that is to blame, which may be the same.
export const targetOf = (finding: Finding): CodeTarget => ({ instruction: index(finding.where), cause: index(finding.cause) });

function estimates(finding: Finding): string {
  const parts = [];
  if (finding.speedup_emulated) parts.push(`re-emulated ${times(finding.speedup_emulated)}`);
  if (finding.speedup_paper) parts.push(`GPA estimate ${times(finding.speedup_paper)}`);
  if (finding.trust) parts.push(`using ${finding.trust}`);
  return parts.join(" · ");
}

function findingItem(finding: Finding, rank: number, go: Navigator): HTMLElement {
  const target = targetOf(finding);
  const reachable = target.instruction !== undefined;
  const head = [
    h("span", { class: "speedup" }, times(finding.speedup)),
    h("span", { class: "rule" }, finding.rule),
    h("span", { class: "place" }, placeName(finding.where)),
  ];
  return h(
    "li",
    { class: "finding", "data-rule": finding.rule },
    h("span", { class: "rank", "aria-hidden": "true" }, rank),
    h(
      "div",
      {},
      reachable
        ? h("button", { class: "jump", type: "button", title: "Show in the code", onclick: () => go.toCode(target) }, head)
        : h("div", { class: "jump" }, head),
      finding.where.source ? h("code", { class: "source" }, finding.where.source) : null,
      h("p", {}, finding.text),
      h("p", { class: "hint" }, finding.hint),
      h("p", { class: "estimates" }, estimates(finding)),
      finding.hotspots.length > 1 ? hotspots(finding, go) : null,
    ),
  );
}

function hotspots(finding: Finding, go: Navigator): HTMLElement {
  return h(
    "details",
    {},
    h("summary", {}, `${finding.hotspots.length} places`),
    h(
      "table",
      { class: "plain" },
      h("thead", {}, h("tr", {}, ["share", "speedup", "cause", "waits"].map((name, k) => h("th", { scope: "col", class: k < 2 ? "number" : null }, name)))),
      h(
        "tbody",
        {},
        finding.hotspots.map((spot) =>
          h(
            "tr",
            {},
            h("td", { class: "number" }, percent(spot.share)),
            h("td", { class: "number" }, times(spot.speedup)),
            [spot.def, spot.use].map((place) =>
              h("td", {}, place.offset === null ? "–" : h("button", { type: "button", class: "text", onclick: () => go.toCode({ instruction: spot.use.offset === null ? index(place) : spot.use.offset / 16, cause: index(spot.def) }) }, `${placeName(place)} ${opcode(place.instruction ?? "")}`)),
            ),
          ),
        ),
      ),
    ),
  );
}

export function findingsList(advise: Advise, go: Navigator, most = Infinity): HTMLElement {
  if (advise.findings.length === 0) return h("p", { class: "empty" }, "No rule found anything worth changing.");
  return h("ol", { class: "findings" }, advise.findings.slice(0, most).map((finding, k) => findingItem(finding, k + 1, go)));
}
