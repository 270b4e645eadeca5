// The instructions of a kernel: heat by stalls, control codes, live registers, foldable loops, and
// arrows from what waits to what it waits for.
import { CauseArrows } from "./arrows";
import { partsText, stackedBar } from "./bars";
import type { CodeModel, Link } from "./code_model";
import { h } from "./dom";
import { fileName, hex, percent } from "./format";
import { sassText } from "./highlight";
import { VirtualList } from "./virtual_list";

export const kRowHeight = 20;

type Row = { loop: number } | { instruction: number };

export interface SassPaneOptions {
  onselect: (instruction: number) => void;
  tools: HTMLElement[];
}

export class SassPane {
  readonly element: HTMLElement;
  readonly list: VirtualList;
  private readonly arrows: CauseArrows;
  private rows: Row[] = [];
  private rowOf = new Int32Array(0); // per instruction; that of its loop where it is folded
  private readonly folded = new Set<number>();
  private readonly depth: Uint8Array;
  private readonly highestLive: number;
  private selected = -1;
  private cause = -1;
  private marked = new Set<number>(); // instructions of the selected line

  constructor(private model: CodeModel, private readonly options: SassPaneOptions) {
    const { code } = model;
    this.depth = new Uint8Array(code.instructions);
    for (const loop of code.loops) for (let i = loop.first; i <= loop.last; ++i) this.depth[i]!++;
    this.highestLive = code.live.reduce((most, live) => Math.max(most, live), 1);
    this.arrows = new CauseArrows(kRowHeight, code.reasons, (i) => this.options.onselect(i));
    this.list = new VirtualList({
      label: "Instructions",
      rowHeight: kRowHeight,
      render: (row) => this.row(row),
      onkey: (event) => this.onkey(event),
      onscroll: () => this.drawArrows(),
    });
    const head = (name: string, title: string, kind = ""): HTMLElement => h("span", { title, class: kind }, name);
    const search = h("input", { type: "search", placeholder: "Find  /", "aria-label": "Find an instruction", onkeydown: (event: KeyboardEvent) => event.key === "Enter" && this.find(search.value, event.shiftKey) });
    this.element = h(
      "section",
      { class: "pane sass", "aria-label": "SASS" },
      h("div", { class: "pane-tools" }, h("h2", {}, "SASS"), h("span", { class: "faint" }, code.arch), ...options.tools, search),
      h(
        "div",
        { class: "pane-head sass-row", "aria-hidden": "true" },
        head("", ""), head("warp time", "Warp-cycles or samples at this instruction, by stall reason"), head("share", "Share of all warp time", "number"), head("offset", "Byte offset in the kernel"),
        head("live", "Live general registers", "number"), head("waits for", "Scoreboards that the instruction waits for before it issues"), head("sets", "W: scoreboard released when the result is written. R: released when the operands have been read"),
        head("stall", "Stall count: cycles until the warp may issue again; Y: yields to other warps", "number"), head("instruction", "Opcode, operands"),
      ),
      h("div", { class: "listing" }, this.list.element, this.arrows.element),
    );
    this.fold();
  }

  focusSearch(): void {
    this.element.querySelector<HTMLInputElement>("input[type=search]")!.focus();
  }

  setModel(model: CodeModel): void {
    this.model = model;
    this.list.refresh();
  }

  // Lists the rows anew after a loop was folded or unfolded.
  private fold(): void {
    const { code } = this.model;
    const heads = new Map<number, number[]>();
    code.loops.forEach((loop, k) => heads.set(loop.first, [...(heads.get(loop.first) ?? []), k]));
    this.rows = [];
    this.rowOf = new Int32Array(code.instructions);
    for (let i = 0; i < code.instructions; ) {
      let skip = -1;
      const starts = (heads.get(i) ?? []).sort((a, b) => code.loops[a]!.depth - code.loops[b]!.depth);
      for (const k of starts) {
        this.rows.push({ loop: k });
        if (this.folded.has(k)) {
          skip = code.loops[k]!.last;
          break;
        }
      }
      if (skip >= 0) {
        for (; i <= skip; ++i) this.rowOf[i] = this.rows.length - 1;
      } else {
        this.rowOf[i] = this.rows.length;
        this.rows.push({ instruction: i++ });
      }
    }
    this.list.setCount(this.rows.length);
  }

  private toggle(loop: number): void {
    if (!this.folded.delete(loop)) this.folded.add(loop);
    this.fold();
  }

  // Selects an instruction, with the cause that the arrow is to lead to, and marks those of its line.
  select(instruction: number, cause: number | undefined, marked: readonly number[]): void {
    const unfold = this.model.code.loops.flatMap((loop, k) => (this.folded.has(k) && instruction >= loop.first && instruction <= loop.last ? [k] : []));
    for (const k of unfold) this.folded.delete(k);
    if (unfold.length > 0) this.fold();
    this.selected = instruction;
    this.cause = cause ?? this.model.causesOf(instruction)[0]?.other ?? -1;
    this.marked = new Set(marked);
    if (cause !== undefined) this.list.revealBoth(this.rowOf[instruction]!, this.rowOf[cause]!);
    else this.list.reveal(this.rowOf[instruction]!);
    this.list.element.setAttribute("aria-activedescendant", `i${instruction}`);
    this.list.refresh();
  }

  private drawArrows(): void {
    const { model, selected, cause } = this;
    if (selected < 0) return this.arrows.draw([], this.list.element);
    const row = this.rowOf[selected]!;
    // An instruction that is itself to blame: what waits for it.
    if (cause === selected) {
      const waiters = model.waitersOf(selected).slice(0, 5);
      return this.arrows.draw(waiters.map((link, k) => ({ ...link, cause: row, waits: this.rowOf[link.other]!, main: k === 0 })), this.list.element);
    }
    const links: Link[] = model.causesOf(selected).slice(0, 5);
    if (cause >= 0 && !links.some((link) => link.other === cause)) links.unshift({ other: cause, reason: links[0]?.reason ?? -1, amount: links[0]?.amount ?? 1 });
    this.arrows.draw(links.map((link) => ({ ...link, cause: this.rowOf[link.other]!, waits: row, main: link.other === cause })), this.list.element);
  }

  private find(text: string, backwards: boolean): void {
    const { code } = this.model;
    const wanted = text.trim().toLowerCase();
    if (!wanted) return;
    for (let step = 1; step <= code.instructions; ++step) {
      const i = (this.selected + (backwards ? -step : step) + 2 * code.instructions) % code.instructions;
      if (code.text[i]!.toLowerCase().includes(wanted) || hex(16 * i).endsWith(wanted.replace(/^0x/, ""))) return this.options.onselect(i);
    }
  }

  private onkey(event: KeyboardEvent): boolean {
    const { model } = this;
    const move = (by: number): boolean => {
      const now = this.selected >= 0 ? this.rowOf[this.selected]! : this.list.first;
      for (let row = Math.max(0, Math.min(this.rows.length - 1, now + by)); row >= 0 && row < this.rows.length; row += Math.sign(by)) {
        const each = this.rows[row]!;
        if ("instruction" in each) {
          this.options.onselect(each.instruction);
          break;
        }
      }
      return true;
    };
    switch (event.key) {
      case "ArrowDown": return move(1);
      case "ArrowUp": return move(-1);
      case "PageDown": return move(this.list.perPage);
      case "PageUp": return move(-this.list.perPage);
      case "Home": this.options.onselect(0); return true;
      case "End": this.options.onselect(model.code.instructions - 1); return true;
      case "Enter": case "c":
        if (this.cause >= 0 && this.cause !== this.selected) this.options.onselect(this.cause);
        return true;
      case "n": case "p": return this.hottest(event.key === "n" ? 1 : -1);
      case "ArrowLeft": case "ArrowRight": {
        const loops = model.code.loops.map((loop, k) => ({ ...loop, k })).filter((loop) => this.selected >= loop.first && this.selected <= loop.last);
        const inner = loops.sort((a, b) => b.depth - a.depth)[0];
        if (inner && this.folded.has(inner.k) !== (event.key === "ArrowLeft")) this.toggle(inner.k);
        return true;
      }
      default: return false;
    }
  }

  // The next or previous of the instructions with at least a twentieth of the highest cost.
  private hottest(direction: number): boolean {
    const { amounts, highest, code } = this.model;
    for (let i = this.selected + direction; i >= 0 && i < code.instructions; i += direction) {
      if (amounts[i]! >= highest / 20) {
        this.options.onselect(i);
        break;
      }
    }
    return true;
  }

  private row(index: number): HTMLElement {
    const row = this.rows[index]!;
    return "loop" in row ? this.loopRow(row.loop) : this.instructionRow(row.instruction);
  }

  private loopRow(k: number): HTMLElement {
    const { model } = this;
    const loop = model.code.loops[k]!;
    let amount = 0;
    for (let i = loop.first; i <= loop.last; ++i) amount += model.amounts[i]!;
    const folded = this.folded.has(k);
    const where = loop.file && loop.lines ? `${fileName(loop.file)}:${loop.lines[0] === loop.lines[1] ? loop.lines[0] : loop.lines.join("–")}` : `${hex(16 * loop.first)}–${hex(16 * loop.last)}`;
    return h(
      "div",
      { class: "loop-row", style: { "--depth": loop.depth - 1 } },
      h("button", { type: "button", "aria-expanded": !folded, onclick: () => this.toggle(k) }, h("span", { class: "chevron", "aria-hidden": "true" }, folded ? "▸" : "▾"), `loop ${where}`, h("span", { class: "faint" }, ` ${loop.instructions} instructions · ${percent(model.total > 0 ? amount / model.total : 0)}`)),
    );
  }

  private instructionRow(i: number): HTMLElement {
    const { model } = this;
    const { code } = model;
    const share = model.share(i);
    const parts = model.partsOf(i);
    const state = [i === this.selected ? "selected" : "", i === this.cause ? "cause" : "", this.marked.has(i) ? "marked" : ""].join(" ");
    return h(
      "div",
      {
        class: `sass-row ${state}`,
        id: `i${i}`,
        role: "option",
        "aria-selected": i === this.selected,
        "aria-label": `${hex(16 * i)} ${code.text[i]}${share > 0 ? `, ${percent(share)} of warp time` : ""}`,
        "data-instruction": i,
        style: { "--heat": model.highest > 0 ? (model.amounts[i]! / model.highest).toFixed(3) : "0", "--depth": this.depth[i]! },
        onclick: () => this.options.onselect(i),
      },
      h("span", { class: "gutter" }),
      share > 0 ? withTitle(stackedBar(parts, code.reasons, model.highest), partsText(parts, code.reasons, model.total)) : h("span", {}),
      h("span", { class: "number share" }, share >= 0.0005 ? percent(share) : ""),
      h("span", { class: "offset" }, hex(16 * i)),
      h("span", { class: "number live", style: { "--live": (code.live[i]! / this.highestLive).toFixed(3) } }, code.live[i]! > 0 ? code.live[i] : ""),
      waitMask(code.wait_mask[i]!),
      setters(code.write_barrier[i]!, code.read_barrier[i]!),
      h("span", { class: "number stall" }, code.yield[i] ? h("i", { class: "yield", title: "yields to other warps" }, "Y") : null, code.stall[i]!),
      h("code", {}, sassText(code.text[i]!)),
    );
  }

  // Rows for printing: all of them, if there are not too many.
  setPrinting(printing: boolean): void {
    this.list.setPrinting(printing, 4000);
  }

  // For tests and the console.
  get selection(): { instruction: number; cause: number } {
    return { instruction: this.selected, cause: this.cause };
  }
}

const withTitle = (element: HTMLElement, title: string): HTMLElement => {
  element.title = title;
  return element;
};

// Six places, one for each scoreboard.
function waitMask(mask: number): HTMLElement {
  const cells = h("span", { class: "mask" });
  if (mask === 0) return cells;
  for (let s = 0; s < 6; ++s) cells.append((mask >> s) & 1 ? h("i", { class: `sb sb${s}` }, s) : h("i", {}));
  cells.title = `waits for scoreboard ${[0, 1, 2, 3, 4, 5].filter((s) => (mask >> s) & 1).join(", ")}`;
  return cells;
}

function setters(write: number, read: number): HTMLElement {
  const cells = h("span", { class: "setters" });
  if (write < 6) cells.append(h("i", { class: `sb sb${write}`, title: `sets scoreboard ${write} until the result is written` }, `W${write}`));
  if (read < 6) cells.append(h("i", { class: `sb sb${read}`, title: `sets scoreboard ${read} until the operands have been read` }, `R${read}`));
  return cells;
}

