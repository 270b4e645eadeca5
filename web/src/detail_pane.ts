// Everything known about the selected instruction.
import { barTable, partName, swatch } from "./bars";
import type { CodeModel, Link } from "./code_model";
import { clear, h, type Child } from "./dom";
import { count, fileName, hex, opcode, percent } from "./format";
import { sassText } from "./highlight";
import { colour, kIssue, reason } from "./stalls";

export class DetailPane {
  readonly element = h("section", { class: "pane detail", "aria-label": "Selected instruction", "aria-live": "polite" });

  constructor(private readonly go: (instruction: number) => void) {
    clear(this.element, h("p", { class: "empty" }, "Select an instruction or a line. ↑ ↓ move, Enter follows the wait to its cause, n and p visit the hottest instructions, ← → fold loops."));
  }

  show(model: CodeModel, i: number): void {
    const { code } = model;
    const parts = model.partsOf(i);
    const highest = parts[0]?.amount ?? 1;
    clear(
      this.element,
      h("header", {}, h("span", { class: "offset" }, hex(16 * i)), h("code", {}, sassText(code.text[i]!)), model.profile ? h("b", { class: "number" }, percent(model.share(i))) : null),
      h(
        "div",
        { class: "detail-columns" },
        !model.profile ? null : block("Warp time here", parts.length > 0 ? barTable(["part", "share"], parts.slice(0, 7).map((part) => ({ label: [swatch(part.reason < 0 ? kIssue : colour(code.reasons[part.reason]!)), partName(part, code.reasons)], share: part.amount / highest, value: percent(part.amount / model.total, 2), fill: part.reason < 0 ? kIssue : colour(code.reasons[part.reason]!), title: part.reason < 0 ? undefined : reason(code.reasons[part.reason]!).about }))) : h("p", { class: "empty" }, "never executed")),
        model.profile ? block("Waits for", this.links(model, model.causesOf(i))) : null,
        model.profile ? block("Awaited by", this.links(model, model.waitersOf(i))) : null,
        block("Instruction", this.facts(model, i)),
      ),
    );
  }

  private links(model: CodeModel, links: readonly Link[]): Child {
    if (links.length === 0) return h("p", { class: "empty" }, "none");
    return h(
      "ul",
      { class: "links" },
      links.slice(0, 6).map((link) =>
        h(
          "li",
          {},
          swatch(colour(model.code.reasons[link.reason]!)),
          h("button", { type: "button", class: "text", onclick: () => this.go(link.other), title: reason(model.code.reasons[link.reason]!).label }, hex(16 * link.other), " ", opcode(model.code.text[link.other]!)),
          h("span", { class: "faint" }, `:${model.lineOf(link.other)?.line ?? "?"}`),
          h("span", { class: "number" }, percent(link.amount / model.total)),
        ),
      ),
    );
  }

  private facts(model: CodeModel, i: number): Child {
    const { code } = model;
    const rows: [string, Child][] = [];
    const place = code.places[code.place[i]!];
    if (place) rows.push(["line", lineName(model, i)]);
    if (place?.chain) rows.push(["inlined", place.chain.map(([file, line, name]) => h("div", {}, `${name || "kernel"} at ${fileName(code.files[file]!.path)}:${line}`))]);
    const issued = model.profile?.issued[i] ?? 0;
    if (model.profile) rows.push([model.profile.source === "samples" ? "samples issued" : "warp instructions", count(issued)]);
    rows.push(["live registers", `${code.live[i]} of ${code.registers}`]);
    rows.push(["control", controlWords(model, i)]);
    const access = code.accesses?.find(([each]) => each === i);
    if (access) {
      const [, sectors, l1, l2, passes, ideal] = access;
      if (sectors > 0) {
        rows.push(["sectors", `${count(sectors)}${issued > 0 && model.profile?.source !== "samples" ? `, ${(sectors / issued).toFixed(1)} per warp instruction` : ""}`]);
        rows.push(["served by", `L1 ${percent(l1 / sectors, 0)}, L2 ${percent(l2 / sectors, 0)}, DRAM ${percent(Math.max(0, 1 - (l1 + l2) / sectors), 0)}`]);
      }
      if (passes > 0 && ideal > 0) rows.push(["wavefronts", `${count(passes)}, ${(passes / ideal).toFixed(1)} times the ideal`]);
    }
    return h("dl", { class: "facts-list" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }
}

const block = (title: string, ...content: Child[]): HTMLElement => h("div", {}, h("h3", {}, title), content);

const lineName = (model: CodeModel, i: number): string => {
  const line = model.lineOf(i);
  return line ? `${fileName(model.code.files[line.file]!.path)}:${line.line}` : "";
};

// The control code in a sentence.
function controlWords(model: CodeModel, i: number): string {
  const { code } = model;
  const parts: string[] = [];
  const waits = [0, 1, 2, 3, 4, 5].filter((s) => (code.wait_mask[i]! >> s) & 1);
  if (waits.length > 0) parts.push(`waits for scoreboard ${waits.join(", ")}`);
  if (code.write_barrier[i]! < 6) parts.push(`sets ${code.write_barrier[i]} for its result`);
  if (code.read_barrier[i]! < 6) parts.push(`sets ${code.read_barrier[i]} for its operands`);
  parts.push(`next issue after ${code.stall[i]} cycle${code.stall[i] === 1 ? "" : "s"}`);
  if (code.yield[i]) parts.push("yields");
  return parts.join("; ");
}
