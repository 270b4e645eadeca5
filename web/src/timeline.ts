// The warps of one SM over a window of cycles, by scheduler: each issue, and each stall with its
// reason and cause. Drawn on a canvas; drag or ← → to move, the wheel or + − to zoom.
import { clear, h } from "./dom";
import type { Code, Timeline } from "./documents";
import { count, fileName, hex, percent } from "./format";
import type { Navigator } from "./navigate";
import { swatch } from "./bars";
import { colour, kIssue, reason } from "./stalls";

const kHead = 22; // height of a scheduler's head
const kAxis = 22;
const kNames = 74; // width of the warps' names

interface Interval {
  warp: number; // by the order of their start
  from: number;
  cycles: number;
  instruction: number;
  stall: number; // -1: issue
  cause: number;
}
// A place of a scheduler, in which one warp follows another.
interface Lane {
  scheduler: number;
  y: number;
  intervals: Interval[]; // in time order
}

export class TimelineView {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { tabindex: 0, role: "img" });
  private readonly tip = h("div", { class: "tip", role: "status", hidden: true });
  private readonly range = h("span", { class: "faint number" });
  private readonly lanes: Lane[];
  private readonly height: number;
  private readonly laneHeight: number;
  private readonly length: number;
  private from = 0; // first cycle in sight, relative to the window
  private span: number; // cycles in sight
  private colours: string[] = [];
  private hover: { lane: Lane; interval: Interval } | undefined;

  constructor(private readonly timeline: Timeline, private readonly code: Code, private readonly go: Navigator) {
    this.length = timeline.until - timeline.from;
    this.lanes = lanesOf(timeline);
    this.laneHeight = this.lanes.length > 96 ? 7 : this.lanes.length > 40 ? 10 : 14;
    let y = kAxis;
    let scheduler = -1;
    for (const lane of this.lanes) {
      if (lane.scheduler !== scheduler) y += kHead;
      scheduler = lane.scheduler;
      lane.y = y;
      y += this.laneHeight;
    }
    this.height = y + 8;
    // About a thousand intervals: the more waiting there is, the more cycles.
    this.span = Math.min(this.length, Math.max(300, (this.length * 1000) / Math.max(1, timeline.intervals.length)));
    this.from = Math.max(0, (this.length - this.span) / 2);
    this.canvas.setAttribute("aria-label", `Timeline of ${timeline.warp.length} warps over ${count(this.length)} cycles. ${this.summary()}`);
    this.listen();
    const button = (name: string, label: string, action: () => void): HTMLElement => h("button", { type: "button", "aria-label": label, title: label, onclick: action }, name);
    this.element = h(
      "div",
      { class: "timeline card" },
      h(
        "header",
        {},
        h("h2", {}, "Warps on the schedulers"),
        h("p", { class: "about" }, `One SM, cycles ${count(timeline.from)} to ${count(timeline.until)} of the replay. ${this.summary()}`),
        h("div", { class: "tools" }, this.range, button("−", "Zoom out", () => this.zoom(1.6)), button("+", "Zoom in", () => this.zoom(1 / 1.6)), button("all", "Show the whole window", () => this.look(0, this.length))),
      ),
      this.legend(),
      h("div", { class: "canvas-box" }, this.canvas, this.tip),
    );
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement!);
  }

  // "Schedulers issue in 41 %, 40 %, 42 % and 39 % of the cycles."
  private summary(): string {
    const issued = new Map<number, number>();
    for (const lane of this.lanes) {
      const issues = lane.intervals.reduce((sum, each) => sum + (each.stall < 0 ? 1 : 0), 0);
      issued.set(lane.scheduler, (issued.get(lane.scheduler) ?? 0) + issues);
    }
    const shares = [...issued.entries()].sort((a, b) => a[0] - b[0]).map(([, n]) => percent(n / this.length, 0));
    return `The schedulers issue in ${shares.join(", ")} of the cycles.`;
  }

  private legend(): HTMLElement {
    const sums = new Map<number, number>();
    for (const [, , cycles, , stall] of this.timeline.intervals) sums.set(stall, (sums.get(stall) ?? 0) + cycles);
    const all = [...sums.values()].reduce((a, b) => a + b, 0);
    const shown = [...sums.entries()].filter(([, n]) => n > 0.003 * all).sort((a, b) => b[1] - a[1]);
    return h("p", { class: "legend" }, shown.map(([stall, n]) => h("span", {}, swatch(stall < 0 ? kIssue : colour(this.code.reasons[stall]!)), `${stall < 0 ? "issue" : reason(this.code.reasons[stall]!).label} ${percent(n / all, 0)}`)));
  }

  // The theme's colours, looked up when it changes.
  readColours(): void {
    const style = getComputedStyle(this.element);
    const value = (name: string): string => style.getPropertyValue(name).trim();
    this.colours = [...this.code.reasons.map((name) => value(`--stall-${name}`) || value("--stall-misc")), value("--issue"), value("--ink-faint"), value("--line"), value("--surface"), value("--ink"), value("--accent")];
    this.draw();
  }

  private draw(): void {
    const width = this.canvas.parentElement!.clientWidth;
    if (width === 0) return;
    if (this.colours.length === 0) return this.readColours();
    const dpr = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * dpr);
    this.canvas.height = Math.round(this.height * dpr);
    this.canvas.style.height = `${this.height}px`;
    const context = this.canvas.getContext("2d")!;
    context.scale(dpr, dpr);
    const [issue, faint, line, , ink, accent] = this.colours.slice(this.code.reasons.length) as [string, string, string, string, string, string];
    const x = (cycle: number): number => kNames + ((cycle - this.from) / this.span) * (width - kNames);
    this.range.textContent = `cycles ${count(this.timeline.from + this.from)} – ${count(this.timeline.from + this.from + this.span)}`;
    this.axis(context, x, width, faint, line);
    let scheduler = -1;
    for (const lane of this.lanes) {
      if (lane.scheduler !== scheduler) {
        context.font = "600 12px system-ui, sans-serif";
        context.fillStyle = ink;
        context.fillText(`scheduler ${lane.scheduler}`, 0, lane.y - 6);
        scheduler = lane.scheduler;
      }
      this.lane(context, lane, x, width, issue, faint);
    }
    if (this.hover) this.outline(context, x, ink, accent);
  }

  private axis(context: CanvasRenderingContext2D, x: (c: number) => number, width: number, faint: string, line: string): void {
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((each) => (each / this.span) * (width - kNames) >= 90) ?? 10000;
    context.font = "11px system-ui, sans-serif";
    const start = this.timeline.from + this.from;
    for (let cycle = Math.ceil(start / step) * step; cycle <= start + this.span; cycle += step) {
      const at = x(cycle - this.timeline.from);
      context.fillStyle = line;
      context.fillRect(at, kAxis - 4, 1, this.height);
      context.fillStyle = faint;
      context.fillText(count(cycle), at + 3, 12);
    }
  }

  private lane(context: CanvasRenderingContext2D, lane: Lane, x: (c: number) => number, width: number, issue: string, faint: string): void {
    const tall = this.laneHeight - 1;
    let named = -1;
    for (let k = this.first(lane, this.from); k < lane.intervals.length; ++k) {
      const each = lane.intervals[k]!;
      if (each.from > this.from + this.span) break;
      const left = Math.max(kNames, x(each.from));
      const right = Math.min(width, x(each.from + each.cycles));
      if (right <= kNames) continue;
      const isIssue = each.stall < 0;
      if (named < 0 && this.laneHeight >= 10) {
        named = each.warp;
        context.font = "10px system-ui, sans-serif";
        context.fillStyle = faint;
        const perBlock = Math.max(1, this.timeline.warps_per_block);
        context.fillText(`b${Math.floor(named / perBlock)} w${named % perBlock}`, 8, lane.y + tall - 1);
      }
      context.fillStyle = isIssue ? issue : this.colours[each.stall]!;
      context.fillRect(left, lane.y + (isIssue ? 0 : tall * 0.18), Math.max(isIssue ? 1 : 0.4, right - left - (right - left > 4 ? 0.5 : 0)), isIssue ? tall : tall * 0.64);
    }
  }

  private outline(context: CanvasRenderingContext2D, x: (c: number) => number, ink: string, accent: string): void {
    const { lane, interval } = this.hover!;
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.strokeRect(Math.max(kNames, x(interval.from)), lane.y - 0.5, Math.max(2, x(interval.from + interval.cycles) - Math.max(kNames, x(interval.from))), this.laneHeight);
    const cause = this.causeOf(lane, interval);
    if (!cause) return;
    context.strokeStyle = accent;
    context.fillStyle = accent;
    context.lineWidth = 2;
    const [x1, y1] = [x(cause.interval.from + 0.5), cause.lane.y + this.laneHeight / 2];
    const [x2, y2] = [Math.max(kNames, x(interval.from)), lane.y + this.laneHeight / 2];
    context.strokeRect(x1 - 3, cause.lane.y - 1, 6, this.laneHeight + 1);
    context.beginPath();
    context.moveTo(x1, y1);
    context.quadraticCurveTo((x1 + x2) / 2, Math.min(y1, y2) - 24, x2, y2);
    context.stroke();
  }

  // The last issue of the cause before the wait ends: of this warp, or else of another.
  private causeOf(lane: Lane, interval: Interval): { lane: Lane; interval: Interval } | undefined {
    if (interval.cause < 0) return undefined;
    const last = (of: Lane): Interval | undefined => of.intervals.filter((each) => each.stall < 0 && (of !== lane || each.warp === interval.warp) && each.instruction === interval.cause && each.from < interval.from + interval.cycles).at(-1);
    const own = last(lane);
    if (own) return { lane, interval: own };
    let best: { lane: Lane; interval: Interval } | undefined;
    for (const other of this.lanes) {
      const found = last(other);
      if (found && (!best || found.from > best.interval.from)) best = { lane: other, interval: found };
    }
    return best;
  }

  private first(lane: Lane, cycle: number): number {
    let [low, high] = [0, lane.intervals.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lane.intervals[middle]!.from + lane.intervals[middle]!.cycles <= cycle) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private look(from: number, span: number): void {
    this.span = Math.max(20, Math.min(this.length, span));
    this.from = Math.max(0, Math.min(this.length - this.span, from));
    this.draw();
  }

  private zoom(by: number, at = this.from + this.span / 2): void {
    const span = Math.max(20, Math.min(this.length, this.span * by));
    this.look(at - ((at - this.from) / this.span) * span, span);
  }

  private at(event: MouseEvent): { cycle: number; lane: Lane | undefined } {
    const box = this.canvas.getBoundingClientRect();
    const cycle = this.from + ((event.clientX - box.left - kNames) / (box.width - kNames)) * this.span;
    const y = event.clientY - box.top;
    return { cycle, lane: event.clientX - box.left < kNames ? undefined : this.lanes.find((lane) => y >= lane.y && y < lane.y + this.laneHeight) };
  }

  private listen(): void {
    const { canvas } = this;
    let drag: { x: number; from: number } | undefined;
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && Math.abs(event.deltaX) < Math.abs(event.deltaY) && !event.shiftKey) return; // the page scrolls
      event.preventDefault();
      if (event.ctrlKey) this.zoom(Math.exp(event.deltaY / 300), this.at(event).cycle);
      else this.look(this.from + ((event.deltaX || event.deltaY) / 600) * this.span, this.span);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, from: this.from };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (event) => {
      const moved = drag ? Math.abs(event.clientX - drag.x) : 0;
      drag = undefined;
      if (moved < 3 && this.hover) this.go.toCode({ instruction: this.hover.interval.instruction, cause: this.hover.interval.cause >= 0 ? this.hover.interval.cause : undefined });
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) return this.look(drag.from - ((event.clientX - drag.x) / (canvas.clientWidth - kNames)) * this.span, this.span);
      const { cycle, lane } = this.at(event);
      const interval = lane?.intervals[this.first(lane, cycle)];
      const hit = lane && interval && cycle >= interval.from && cycle < interval.from + interval.cycles;
      this.point(hit ? { lane, interval } : undefined, event);
    });
    canvas.addEventListener("pointerleave", () => this.point(undefined));
    canvas.addEventListener("dblclick", (event) => this.zoom(1 / 2.5, this.at(event).cycle));
    canvas.addEventListener("keydown", (event) => {
      const actions: Record<string, () => void> = {
        ArrowLeft: () => this.look(this.from - this.span / 5, this.span),
        ArrowRight: () => this.look(this.from + this.span / 5, this.span),
        "+": () => this.zoom(1 / 1.6), "=": () => this.zoom(1 / 1.6), "-": () => this.zoom(1.6),
        Home: () => this.look(0, this.span), End: () => this.look(this.length, this.span),
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  private point(hover: { lane: Lane; interval: Interval } | undefined, event?: PointerEvent): void {
    if (hover?.interval === this.hover?.interval && !hover) return;
    this.hover = hover;
    this.tip.hidden = !hover;
    this.draw();
    if (!hover || !event) return;
    const { lane, interval } = hover;
    const perBlock = Math.max(1, this.timeline.warps_per_block);
    const name = (i: number): string => {
      const place = this.code.places[this.code.place[i]!];
      return `${this.code.text[i]} at ${hex(16 * i)}${place ? `, ${fileName(this.code.files[place.file]!.path)}:${place.line}` : ""}`;
    };
    const what = interval.stall < 0 ? "issue" : reason(this.code.reasons[interval.stall]!).label;
    clear(
      this.tip,
      h("b", {}, swatch(interval.stall < 0 ? kIssue : colour(this.code.reasons[interval.stall]!)), `${what}${interval.stall < 0 ? "" : `, ${count(interval.cycles)} cycles`}`),
      h("div", {}, `block ${Math.floor(interval.warp / perBlock)}, warp ${interval.warp % perBlock}, scheduler ${lane.scheduler}, cycle ${count(this.timeline.from + interval.from)}`),
      h("div", { class: "mono" }, name(interval.instruction)),
      interval.cause >= 0 ? h("div", { class: "mono" }, `waits for ${name(interval.cause)}`) : null,
    );
    const box = this.canvas.parentElement!.getBoundingClientRect();
    const left = event.clientX - box.left;
    this.tip.style.left = `${Math.min(left + 14, box.width - 380)}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }
}

// Each warp in the first place of its scheduler that is free when it starts.
function lanesOf(timeline: Timeline): Lane[] {
  const warps = timeline.warp.map((warp, k) => ({ warp, scheduler: timeline.scheduler[k]!, intervals: [] as Interval[] }));
  for (const [k, from, cycles, instruction, stall, cause] of timeline.intervals) {
    const warp = warps[k]!;
    warp.intervals.push({ warp: warp.warp, from, cycles, instruction, stall, cause });
  }
  const end = (lane: { intervals: Interval[] }): number => {
    const last = lane.intervals.at(-1);
    return last ? last.from + last.cycles : 0;
  };
  const lanes: Lane[] = [];
  for (const warp of warps.filter((each) => each.intervals.length > 0).sort((a, b) => a.intervals[0]!.from - b.intervals[0]!.from)) {
    let lane = lanes.find((each) => each.scheduler === warp.scheduler && end(each) <= warp.intervals[0]!.from);
    if (!lane) {
      lane = { scheduler: warp.scheduler, y: 0, intervals: [] };
      lanes.push(lane);
    }
    lane.intervals.push(...warp.intervals);
  }
  return lanes.sort((a, b) => a.scheduler - b.scheduler);
}
