// Linear and logarithmic axes for the charts that are drawn by hand.
import { svg } from "./dom";

export interface Scale {
  at: (value: number) => number; // in pixels
  ticks: number[];
}

// Round numbers between the ends: 1, 2 and 5 times a power of ten; powers of two or ten where it is
// logarithmic.
export function scale(low: number, high: number, from: number, to: number, logarithmic: boolean, count = 6): Scale {
  if (!(high > low)) high = low + Math.max(1e-9, Math.abs(low) * 0.1 || 1);
  if (logarithmic) {
    const [a, b] = [Math.log10(low), Math.log10(high)];
    const at = (value: number): number => from + ((to - from) * (Math.log10(Math.max(value, low * 1e-3)) - a)) / (b - a);
    const ticks: number[] = [];
    const steps = b - a > count ? [1] : b - a > 2 ? [1, 3] : b - a > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
    for (let e = Math.floor(a); e <= b; ++e) for (const step of steps) if (step * 10 ** e >= low * 0.999 && step * 10 ** e <= high * 1.001) ticks.push(step * 10 ** e);
    return { at, ticks };
  }
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) ?? raw;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step || 0); // never -0
  return { at: (value) => from + ((to - from) * (value - low)) / (high - low), ticks };
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}
export const frame = (width = 620, height = 280): Frame => ({ width, height, left: 64, right: 16, top: 14, bottom: 38 });

export function grid(f: Frame, x: Scale, y: Scale, xName: string, xText: (v: number) => string, yText: (v: number) => string): SVGElement[] {
  return [
    ...y.ticks.flatMap((v) => [svg("line", { x1: f.left, x2: f.width - f.right, y1: y.at(v), y2: y.at(v), class: "grid" }), svg("text", { x: f.left - 7, y: y.at(v) + 4, class: "tick end" }, yText(v))]),
    ...x.ticks.flatMap((v) => [svg("text", { x: x.at(v), y: f.height - f.bottom + 16, class: "tick middle" }, xText(v))]),
    svg("text", { x: (f.left + f.width - f.right) / 2, y: f.height - 5, class: "tick middle" }, xName),
  ];
}

// Colours for kinds of things that are not stalls: told apart with colour blindness too.
export const kPalette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#6b5b95", "#b8a44a", "#44aa99"];
