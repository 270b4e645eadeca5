// The launches of a capture on a time axis: a row for each stream of each GPU, with the ranges of
// the program above. Drag or ← → to move, Ctrl and the wheel or + − to zoom.
import { kPalette } from "./axes";
import { clear, h } from "./dom";
import { count, cut, dims, time } from "./format";
import type { Capture, CapturedLaunch } from "./kinds";

const kRow = 22;
const kAxis = 24;
const kNames = 96;

interface Bar {
  from: number; // µs since the first launch
  until: number;
  name: string;
  fill: string;
  launch?: CapturedLaunch;
}
interface Track {
  name: string;
  bars: Bar[]; // in time order
}

export class CaptureTimeline {
  readonly element!: HTMLElement;
  private readonly canvas = h("canvas", { tabindex: 0, role: "img" });
  private readonly tip = h("div", { class: "tip", hidden: true });
  private tracks: Track[] = [];
  private length = 1;
  private readonly timed: CapturedLaunch[];
  readonly isSparse: boolean; // mostly idle
  private from = 0;
  private span = 1;
  private hover: Bar | undefined;
  private only = 0; // kernel to stand out; 0: all
  private readonly height: number;

  constructor(private readonly capture: Capture, private readonly colours: Map<number, string>, private readonly onpick: (launch: CapturedLaunch) => void) {
    this.timed = capture.launches.filter((launch) => launch.start_ns !== null && launch.time_us !== null).sort((a, b) => a.start_ns! - b.start_ns!);
    this.setCompact(false);
    const busy = this.timed.reduce((sum, launch) => sum + launch.time_us!, 0);
    this.isSparse = busy < 0.2 * this.length;
    this.canvas.setAttribute("aria-label", `${this.timed.length} launches on ${this.tracks.length} tracks over ${time(this.length)}`);
    if (this.isSparse) this.setCompact(true);
    this.span = this.length;
    this.height = kAxis + this.tracks.length * (kRow + 4) + 6;
    this.element = h("div", { class: "canvas-box" }, this.canvas, this.tip);
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.listen();
  }

  // With idle time left out, a pause is drawn as a short gap.
  setCompact(compact: boolean): void {
    const busy = this.timed.reduce((sum, launch) => sum + launch.time_us!, 0);
    const gap = compact ? Math.max(0.5, (0.1 * busy) / Math.max(1, this.timed.length)) : Infinity;
    const starts = new Map<CapturedLaunch, number>();
    let shift = this.timed[0] ? this.timed[0].start_ns! / 1000 : 0;
    let end = 0;
    for (const launch of this.timed) {
      let from = launch.start_ns! / 1000 - shift;
      if (from - end > gap) {
        shift += from - end - gap;
        from = end + gap;
      }
      starts.set(launch, from);
      end = Math.max(end, from + launch.time_us!);
    }
    this.length = Math.max(1, end);
    this.tracks = [...rangeTracks(this.timed, starts), ...this.streamTracks(starts)];
    this.from = 0;
    this.span = this.length;
    this.draw();
  }

  highlight(kernel: number): void {
    this.only = this.only === kernel ? 0 : kernel;
    this.draw();
  }

  private streamTracks(starts: Map<CapturedLaunch, number>): Track[] {
    const tracks = new Map<string, Track>();
    for (const launch of this.timed) {
      const key = `${launch.gpu}:${launch.stream}`;
      // A handle says nothing; its place among the others does.
      const track = tracks.get(key) ?? { name: `stream ${launch.stream < 100000 ? launch.stream : `#${tracks.size + 1}`}`, bars: [] };
      const from = starts.get(launch)!;
      track.bars.push({ from, until: from + launch.time_us!, name: this.capture.kernels[launch.kernel - 1]!.demangled, fill: this.colours.get(launch.kernel) ?? "#8a929e", launch });
      tracks.set(key, track);
    }
    return [...tracks.values()];
  }

  draw(): void {
    const width = this.element?.clientWidth ?? 0; // none before it is made
    if (width === 0) return;
    const dpr = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * dpr);
    this.canvas.height = Math.round(this.height * dpr);
    this.canvas.style.height = `${this.height}px`;
    const context = this.canvas.getContext("2d")!;
    context.scale(dpr, dpr);
    const style = getComputedStyle(this.element);
    const value = (name: string): string => style.getPropertyValue(name).trim();
    const [faint, line, ink] = [value("--ink-faint"), value("--line"), value("--ink")];
    const x = (at: number): number => kNames + ((at - this.from) / this.span) * (width - kNames);
    context.font = "11px system-ui, sans-serif";
    const step = 10 ** Math.ceil(Math.log10((this.span * 90) / (width - kNames)));
    for (let at = Math.ceil(this.from / step) * step; at <= this.from + this.span; at += step) {
      context.fillStyle = line;
      context.fillRect(x(at), kAxis - 6, 1, this.height);
      context.fillStyle = faint;
      context.fillText(time(at).replace(/^0 ns$/, "0"), x(at) + 3, 12);
    }
    this.tracks.forEach((track, k) => {
      const y = kAxis + k * (kRow + 4);
      context.fillStyle = faint;
      context.fillText(cut(track.name, 15), 4, y + 15);
      for (const bar of track.bars) {
        if (bar.until < this.from || bar.from > this.from + this.span) continue;
        const left = Math.max(kNames, x(bar.from));
        const wide = Math.max(1, Math.min(width, x(bar.until)) - left);
        context.globalAlpha = this.only !== 0 && bar.launch?.kernel !== this.only ? 0.18 : 1;
        context.fillStyle = bar.fill;
        context.fillRect(left, y, wide - (wide > 3 ? 0.6 : 0), kRow);
        if (wide > 46) {
          context.fillStyle = bar.launch ? "#fff" : ink;
          context.fillText(cut(bar.name.replace(/^void /, ""), Math.floor(wide / 6.4)), left + 4, y + 15, wide - 8);
        }
        context.globalAlpha = 1;
        if (bar === this.hover) {
          context.strokeStyle = ink;
          context.lineWidth = 1.5;
          context.strokeRect(left, y - 0.5, wide, kRow + 1);
        }
      }
    });
  }

  private look(from: number, span: number): void {
    this.span = Math.max(1, Math.min(this.length, span));
    this.from = Math.max(0, Math.min(this.length - this.span, from));
    this.draw();
  }

  zoom(by: number, at = this.from + this.span / 2): void {
    const span = Math.max(1, Math.min(this.length, this.span * by));
    this.look(at - ((at - this.from) / this.span) * span, span);
  }

  private at(event: MouseEvent): { when: number; bar: Bar | undefined } {
    const box = this.canvas.getBoundingClientRect();
    const pixel = this.span / (box.width - kNames);
    const when = this.from + (event.clientX - box.left - kNames) * pixel;
    const row = (event.clientY - box.top - kAxis) / (kRow + 4);
    const track = row >= 0 ? this.tracks[Math.floor(row)] : undefined;
    return { when, bar: track?.bars.findLast((bar) => when >= bar.from - pixel && when <= Math.max(bar.until, bar.from + pixel)) };
  }

  private listen(): void {
    const { canvas } = this;
    let drag: { x: number; from: number } | undefined;
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return;
      event.preventDefault();
      if (event.ctrlKey) this.zoom(Math.exp(event.deltaY / 300), this.at(event).when);
      else this.look(this.from + ((event.deltaX || event.deltaY) / 600) * this.span, this.span);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, from: this.from };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (event) => {
      const moved = drag ? Math.abs(event.clientX - drag.x) : 0;
      drag = undefined;
      if (moved < 3 && this.hover?.launch) this.onpick(this.hover.launch);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) return this.look(drag.from - ((event.clientX - drag.x) / (canvas.clientWidth - kNames)) * this.span, this.span);
      const { bar } = this.at(event);
      if (bar !== this.hover) {
        this.hover = bar;
        this.draw();
      }
      this.point(bar, event);
    });
    canvas.addEventListener("pointerleave", () => this.point(undefined));
    canvas.addEventListener("dblclick", (event) => this.zoom(1 / 3, this.at(event).when));
    canvas.addEventListener("keydown", (event) => {
      const actions: Record<string, () => void> = {
        ArrowLeft: () => this.look(this.from - this.span / 5, this.span), ArrowRight: () => this.look(this.from + this.span / 5, this.span),
        "+": () => this.zoom(1 / 1.6), "=": () => this.zoom(1 / 1.6), "-": () => this.zoom(1.6),
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  private point(bar: Bar | undefined, event?: PointerEvent): void {
    this.tip.hidden = !bar;
    if (!bar || !event) return;
    const launch = bar.launch;
    clear(this.tip, h("b", {}, cut(bar.name, 160)), h("div", {}, `${time(bar.until - bar.from)} at ${time(bar.from)}`), launch ? h("div", {}, `launch ${count(launch.id)}, grid ${dims(launch.grid)}, block ${dims(launch.block)}`) : null, launch?.ranges ? h("div", { class: "faint" }, launch.ranges) : null);
    const box = this.element.getBoundingClientRect();
    this.tip.style.left = `${Math.max(0, Math.min(event.clientX - box.left + 14, box.width - 380))}px`;
    this.tip.style.top = `${event.clientY - box.top + 16}px`;
  }
}

// One track for each depth of the ranges, from the first launch inside to the last.
function rangeTracks(timed: CapturedLaunch[], starts: Map<CapturedLaunch, number>): Track[] {
  const tracks: Track[] = [];
  const open: (Bar & { key: string })[] = [];
  for (const launch of timed) {
    const names = launch.ranges ? launch.ranges.split("/") : [];
    const from = starts.get(launch)!;
    const until = from + launch.time_us!;
    for (let depth = 0; depth < Math.max(names.length, open.length) && depth < 4; ++depth) {
      const key = names.slice(0, depth + 1).join("/");
      const now = open[depth];
      if (depth < names.length && now?.key === key) {
        now.until = Math.max(now.until, until);
      } else {
        open.length = Math.min(open.length, depth);
        if (depth >= names.length) break;
        tracks[depth] ??= { name: depth === 0 ? "ranges" : "", bars: [] };
        const bar = { from, until, name: names[depth]!, fill: `${kPalette[5]}55`, key };
        open[depth] = bar;
        tracks[depth]!.bars.push(bar);
      }
    }
  }
  return tracks;
}
