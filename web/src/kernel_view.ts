// The kernel view: source and SASS side by side, linked both ways, with the findings beside them.
import { CodeModel } from "./code_model";
import { DetailPane } from "./detail_pane";
import { h } from "./dom";
import type { Launch } from "./documents";
import { placeName, targetOf } from "./findings";
import { percent, times } from "./format";
import type { CodeTarget } from "./navigate";
import { SassPane } from "./sass_pane";
import { SourcePane } from "./source_pane";

export class KernelView {
  readonly element: HTMLElement;
  private model: CodeModel;
  private readonly source: SourcePane;
  private readonly sass: SassPane;
  private readonly detail: DetailPane;
  private readonly rail: HTMLElement | null;

  constructor(private readonly launch: Launch) {
    const code = launch.code!;
    this.model = new CodeModel(code);
    this.detail = new DetailPane((i) => this.show({ instruction: i }));
    this.source = new SourcePane(this.model, { onselect: (file, line) => this.show({ file, line }) });
    const profiles = code.profiles.length > 1 ? h("select", { "aria-label": "Profile", onchange: (event: Event) => this.setProfile(Number((event.target as HTMLSelectElement).value)) }, code.profiles.map((profile, k) => h("option", { value: k }, profile.source))) : null;
    this.sass = new SassPane(this.model, { onselect: (i) => this.show({ instruction: i }), tools: profiles ? [profiles] : [] });
    this.rail = this.findings();
    this.element = h("div", { class: `kernel ${this.rail ? "with-rail" : ""}` }, this.rail, this.source.element, this.sass.element, this.detail.element);
    addEventListener("printpages", () => this.sass.setPrinting(true));
    addEventListener("afterprint", () => this.sass.setPrinting(false));
  }

  // Selects what the target names: the instruction and its cause, or a line with all that is its.
  show(target: CodeTarget): void {
    const { model } = this;
    let { instruction, file, line } = target;
    if (instruction === undefined && file !== undefined && line !== undefined) {
      const all = model.instructionsOf(file, line);
      instruction = model.hottest(all);
      this.source.select(file, line);
      if (instruction === undefined) return;
      this.sass.select(instruction, undefined, all);
    } else if (instruction !== undefined) {
      const place = model.code.places[model.code.place[instruction]!];
      if (place) this.source.select(place.file, place.line, place.chain);
      this.sass.select(instruction, target.cause, place ? model.instructionsOf(place.file, place.line) : []);
    } else {
      return;
    }
    this.detail.show(model, instruction);
    for (const item of this.rail?.querySelectorAll("button") ?? []) {
      item.toggleAttribute("data-current", Number(item.dataset.instruction) === instruction && item.dataset.cause === String(target.cause));
    }
  }

  focusSearch(): void {
    this.sass.focusSearch();
  }

  // What was never shown starts with what matters most: the first finding, or the hottest instruction.
  showFirst(): void {
    if (this.sass.selection.instruction >= 0) return;
    const finding = this.launch.advise?.findings.find((each) => targetOf(each).instruction !== undefined);
    const hottest = this.model.amounts.indexOf(this.model.highest);
    this.show(finding ? targetOf(finding) : { instruction: Math.max(0, hottest) });
  }

  private setProfile(which: number): void {
    const { instruction, cause } = this.sass.selection;
    this.model = new CodeModel(this.launch.code!, which);
    this.source.setModel(this.model);
    this.sass.setModel(this.model);
    if (instruction >= 0) this.show({ instruction, cause: cause >= 0 ? cause : undefined });
  }

  private findings(): HTMLElement | null {
    const findings = this.launch.advise?.findings.filter((finding) => targetOf(finding).instruction !== undefined) ?? [];
    if (findings.length === 0) return null;
    return h(
      "nav",
      { class: "pane rail", "aria-label": "Findings" },
      h("div", { class: "pane-tools" }, h("h2", {}, "Findings")),
      h(
        "ol",
        {},
        findings.map((finding, k) => {
          const target = targetOf(finding);
          return h(
            "li",
            {},
            h("button", { type: "button", "data-finding": k + 1, "data-instruction": target.instruction, "data-cause": target.cause, title: finding.text, onclick: () => this.show(target) }, h("span", { class: "rail-head" }, h("b", {}, times(finding.speedup)), h("span", { class: "rule" }, finding.rule)), h("span", { class: "faint" }, placeName(finding.where), finding.share > 0 ? ` · ${percent(finding.share, 0)}` : "")),
          );
        }),
      ),
    );
  }
}
