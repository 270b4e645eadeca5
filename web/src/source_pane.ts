// The source files of a kernel, with the cost of each line.
import { partsText, stackedBar } from "./bars";
import type { CodeModel } from "./code_model";
import { clear, h } from "./dom";
import { fileName, percent } from "./format";
import { sourceLine } from "./highlight";
import { VirtualList } from "./virtual_list";

interface SourceRow {
  line: number; // 0: lines left out
  text: string;
  inComment: boolean; // at its start
}

export interface SourcePaneOptions {
  onselect: (file: number, line: number) => void;
}

export class SourcePane {
  readonly element: HTMLElement;
  readonly list: VirtualList;
  private readonly files: HTMLElement;
  private file = 0;
  private rows: SourceRow[] = [];
  private line = 0; // selected; 0: none
  private related = new Set<number>(); // lines of the same file that the selection was inlined from

  constructor(private model: CodeModel, private readonly options: SourcePaneOptions) {
    this.list = new VirtualList({ label: "Source lines", rowHeight: 20, render: (row) => this.row(row), onkey: (event) => this.onkey(event) });
    this.files = h("div", { class: "pane-tools" });
    this.element = h("section", { class: "pane source", "aria-label": "Source" }, this.files, h("div", { class: "pane-head source-row", "aria-hidden": "true" }, h("span", { class: "number" }, "line"), h("span", {}, "warp time"), h("span", { class: "number" }, "share"), h("span", {}, "source")), this.list.element);
    this.open(this.hottestFile());
  }

  setModel(model: CodeModel): void {
    this.model = model;
    this.list.refresh();
  }

  // The file in which most of the time is spent, of those whose text is known.
  private hottestFile(): number {
    const sums = this.model.code.files.map<number>((file) => (file.parts.length > 0 ? 1e-9 : 0));
    for (const [key, amount] of this.model.lineAmounts) sums[Number(key.split(":")[0])]! += amount;
    return Math.max(0, sums.indexOf(Math.max(...sums)));
  }

  private open(file: number): void {
    this.file = file;
    this.rows = [];
    const { files } = this.model.code;
    const known = files[file];
    if (known) {
      const parts = known.parts.length > 0 ? known.parts : this.unknownParts(file);
      let after = 1;
      for (const part of parts) {
        if (part.first > after) this.rows.push({ line: 0, text: "", inComment: false });
        let inComment = false;
        part.text.forEach((text, k) => {
          this.rows.push({ line: part.first + k, text, inComment });
          inComment = sourceLine(text, inComment).inComment;
        });
        after = part.first + part.text.length;
      }
    }
    clear(
      this.files,
      h("h2", {}, "Source"),
      files.length > 1
        ? h("select", { "aria-label": "Source file", onchange: (event: Event) => this.open(Number((event.target as HTMLSelectElement).value)) }, files.map((each, k) => h("option", { value: k, selected: k === file }, fileName(each.path))))
        : h("span", { class: "path", title: known?.path }, known ? fileName(known.path) : "no line information: compile with -lineinfo"),
      known && known.parts.length === 0 ? h("span", { class: "faint" }, "file not found") : null,
    );
    this.list.setCount(this.rows.length);
  }

  // Where the text is not known, the lines that the code comes from are still listed.
  private unknownParts(file: number): { first: number; text: string[] }[] {
    const lines = new Set<number>();
    for (const place of this.model.code.places) if (place.file === file) lines.add(place.line);
    return [...lines].sort((a, b) => a - b).map((line) => ({ first: line, text: [""] }));
  }

  // Shows the line as selected; `chain` are the calls that it was inlined from.
  select(file: number, line: number, chain: readonly (readonly [number, number, string])[] = []): void {
    if (file !== this.file) this.open(file);
    this.line = line;
    this.related = new Set(chain.filter(([each]) => each === file).map(([, each]) => each));
    const row = this.rows.findIndex((each) => each.line === line);
    if (row >= 0) this.list.reveal(row);
    this.list.refresh();
  }

  private onkey(event: KeyboardEvent): boolean {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: this.list.perPage, PageUp: -this.list.perPage }[event.key];
    if (step === undefined) return false;
    const now = this.rows.findIndex((each) => each.line === this.line);
    const next = this.rows[Math.max(0, Math.min(this.rows.length - 1, now + step))];
    if (next && next.line > 0) this.options.onselect(this.file, next.line);
    return true;
  }

  private row(index: number): HTMLElement {
    const row = this.rows[index]!;
    if (row.line === 0) return h("div", { class: "source-row left-out" }, h("span", {}), h("span", {}), h("span", {}), h("span", {}, "⋯"));
    const { model, file } = this;
    const share = model.lineShare(file, row.line);
    const has = model.instructionsOf(file, row.line).length > 0;
    const parts = model.linePartsOf(file, row.line);
    const selected = row.line === this.line;
    return h(
      "div",
      {
        class: `source-row ${has ? "has" : ""} ${selected ? "selected" : this.related.has(row.line) ? "related" : ""}`,
        role: "option",
        "aria-selected": selected,
        "data-line": row.line,
        style: { "--heat": model.highestLine > 0 ? ((share * model.total) / model.highestLine).toFixed(3) : "0" },
        title: share > 0 ? partsText(parts.slice(0, 6), model.code.reasons, model.total) : null,
        onclick: () => this.options.onselect(file, row.line),
      },
      h("span", { class: "number faint" }, row.line),
      share > 0 ? stackedBar(parts, model.code.reasons, model.highestLine) : h("span", {}),
      h("span", { class: "number share" }, share >= 0.0005 ? percent(share) : ""),
      h("code", {}, sourceLine(row.text, row.inComment).nodes),
    );
  }
}
