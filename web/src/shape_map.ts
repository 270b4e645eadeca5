// Which block shape a rational program chooses at which size, as a picture: one axis of sizes with a
// row for each shape, or two axes with an area for each region.
import { frame, kPalette, scale, type Scale } from "./axes";
import { swatch } from "./bars";
import { clear, h, svg } from "./dom";
import { count, plain, time } from "./format";
import type { Fit } from "./kinds";

export const shapeText = (shape: number[]): string => shape.slice(0, shape[2]! > 1 ? 3 : shape[1]! > 1 ? 2 : 1).join(" × ");

interface Box {
  low: Map<string, number>; // above
  high: Map<string, number>; // up to
  shapes: string[]; // best first
}

// "width <= 1024, height > 512".
export function boxOf(region: Fit["regions"][number]): Box {
  const box: Box = { low: new Map(), high: new Map(), shapes: region.shapes.map(shapeText) };
  for (const [, name, sign, value] of region.where.matchAll(/([A-Za-z_]\w*) (<=|>) ([-+.\deE]+)/g)) {
    const limit = Number(value);
    if (sign === "<=") box.high.set(name!, Math.min(limit, box.high.get(name!) ?? Infinity));
    else box.low.set(name!, Math.max(limit, box.low.get(name!) ?? -Infinity));
  }
  return box;
}

const holds = (box: Box, at: Map<string, number>): boolean => [...at].every(([name, value]) => value > (box.low.get(name) ?? -Infinity) && value <= (box.high.get(name) ?? Infinity));

// The picture, and what it shows.
export function shapeMap(fit: Fit): { about: string; picture: HTMLElement } | null {
  const axes = (fit.axes ?? []).filter((axis) => axis.high > axis.low && axis.low > 0);
  const boxes = fit.regions.map(boxOf);
  if (axes.length === 0 || boxes.length === 0) return null;
  const best = [...new Set(boxes.map((box) => box.shapes[0] ?? ""))];
  const colourOf = (shape: string): string => (best.includes(shape) ? kPalette[best.indexOf(shape) % kPalette.length]! : "var(--ink-faint)");
  // Axes that regions are split at come first.
  const splits = (name: string): number => boxes.filter((box) => box.low.has(name) || box.high.has(name)).length;
  const ranked = [...axes].sort((a, b) => splits(b.name) - splits(a.name));
  const legend = h("p", { class: "legend" }, best.map((shape) => h("span", {}, swatch(colourOf(shape)), shape)), (fit.fastest ?? []).length > 0 ? h("span", {}, h("i", { class: "swatch ring" }), "fastest shape at a sampled size") : null);
  const [first, second, ...others] = ranked;
  if (!second || splits(second.name) === 0) return { about: "The block shapes that the program chooses at each size: the best in colour, those that rank second to fourth in grey.", picture: h("div", {}, rows(fit, boxes, first!, colourOf, ranked.slice(1)), legend) };
  const picture = h("div", {});
  // The other axes stand still at a value that can be chosen.
  const fixed = new Map(others.filter((axis) => splits(axis.name) > 0).map((axis) => [axis.name, Math.sqrt(axis.low * axis.high)]));
  const draw = (): void => clear(picture, areas(fit, boxes, first!, second, fixed, colourOf));
  const sliders = others.filter((axis) => fixed.has(axis.name)).map((axis) => {
    const shown = h("b", {}, plain(fixed.get(axis.name)!));
    const input = h("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": axis.name });
    input.addEventListener("input", () => {
      fixed.set(axis.name, axis.low * (axis.high / axis.low) ** (Number(input.value) / 100));
      shown.textContent = plain(fixed.get(axis.name)!);
      draw();
    });
    return h("label", {}, `${axis.name} = `, shown, " ", input);
  });
  draw();
  return { about: "The block shape that the program chooses at each size; dots are sampled sizes, in the colour of the shape that was fastest there.", picture: h("div", {}, sliders.length > 0 ? h("p", { class: "legend" }, sliders) : null, picture, legend) };
}

type Axis = NonNullable<Fit["axes"]>[number];

const sizeText = (value: number): string => (Number.isInteger(value) ? count(value) : plain(value));

// Powers of four where an axis spans many sizes.
function sizeTicks(axis: Axis, x: Scale): number[] {
  const ticks: number[] = [];
  const step = axis.high / axis.low > 4096 ? 4 : 2;
  for (let value = 2 ** Math.ceil(Math.log2(axis.low)); value <= axis.high * 1.001; value *= step) ticks.push(value);
  return ticks.length >= 2 ? ticks.filter((_, k) => k % Math.ceil(ticks.length / 12) === 0) : x.ticks;
}

// One axis of sizes: a row for each shape that some region ranks among its first four.
function rows(fit: Fit, boxes: Box[], axis: Axis, colourOf: (shape: string) => string, others: Axis[]): SVGElement {
  const fixed = new Map(others.map((each) => [each.name, Math.sqrt(each.low * each.high)]));
  const shown = [...new Set(boxes.flatMap((box) => box.shapes.slice(0, 4)))];
  const tall = 22;
  const f = { ...frame(1240, 8 + tall * shown.length + 42), left: 96, top: 8 };
  const x = scale(axis.low, axis.high, f.left, f.width - f.right, true, 8);
  const end = f.top + tall * shown.length;
  const cells = boxes.flatMap((box) => {
    if (![...fixed].every(([name, value]) => value > (box.low.get(name) ?? -Infinity) && value <= (box.high.get(name) ?? Infinity))) return [];
    const [from, until] = [Math.max(axis.low, box.low.get(axis.name) ?? 0), Math.min(axis.high, box.high.get(axis.name) ?? Infinity)];
    if (!(until > from)) return [];
    return box.shapes.slice(0, 4).map((shape, rank) =>
      svg("rect", { x: x.at(from).toFixed(1), y: f.top + tall * shown.indexOf(shape) + 1, width: Math.max(1, x.at(until) - x.at(from) - 1).toFixed(1), height: tall - 2, rx: 2, class: "region", "data-rank": rank + 1, style: { fill: rank === 0 ? colourOf(shape) : "var(--ink-faint)", opacity: [0.92, 0.3, 0.2, 0.12][rank]! } }, svg("title", {}, `${axis.name} from ${sizeText(from)} to ${sizeText(until)}: ${shape} is number ${rank + 1}`)),
    );
  });
  const dots = (fit.fastest ?? []).flatMap((each) => {
    const at = shown.indexOf(shapeText(each.shape));
    const value = each.sizes[axis.name];
    return at < 0 || value === undefined ? [] : [svg("circle", { cx: x.at(value).toFixed(1), cy: f.top + tall * (at + 0.5), r: 3.6, class: "dot hollow" }, svg("title", {}, `${sizeText(value)}: ${shapeText(each.shape)} is the fastest, ${time(each.time_us)}`))];
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart whole shape-map", role: "img", "aria-label": `Block shapes over ${axis.name}` },
    shown.map((shape, k) => [svg("line", { x1: f.left, x2: f.width - f.right, y1: f.top + tall * (k + 1), y2: f.top + tall * (k + 1), class: "grid" }), svg("text", { x: f.left - 8, y: f.top + tall * (k + 0.5) + 4, class: "tick end" }, shape)]),
    cells,
    dots,
    sizeTicks(axis, x).map((value) => svg("text", { x: x.at(value).toFixed(1), y: end + 17, class: "tick middle" }, sizeText(value))),
    svg("text", { x: (f.left + f.width - f.right) / 2, y: end + 36, class: "tick middle" }, axis.name),
  );
}

// Two axes of sizes: an area for each region, in the colour of its best shape.
function areas(fit: Fit, boxes: Box[], across: Axis, up: Axis, fixed: Map<string, number>, colourOf: (shape: string) => string): SVGElement {
  const f = { ...frame(760, 420), left: 84 };
  const x = scale(across.low, across.high, f.left, f.width - f.right, true, 8);
  const y = scale(up.low, up.high, f.height - f.bottom, f.top, true, 8);
  const within = (value: number, axis: Axis): number => Math.max(axis.low, Math.min(axis.high, value));
  const cells = boxes.filter((box) => holds(box, fixed)).flatMap((box) => {
    const [left, right] = [x.at(within(box.low.get(across.name) ?? 0, across)), x.at(within(box.high.get(across.name) ?? Infinity, across))];
    const [bottom, top] = [y.at(within(box.low.get(up.name) ?? 0, up)), y.at(within(box.high.get(up.name) ?? Infinity, up))];
    if (right - left < 0.5 || bottom - top < 0.5) return [];
    const shape = box.shapes[0] ?? "–";
    return [
      svg("g", { class: "region", "data-rank": 1 },
        svg("rect", { x: left.toFixed(1), y: top.toFixed(1), width: (right - left).toFixed(1), height: (bottom - top).toFixed(1), style: { fill: colourOf(shape) } }),
        right - left > 54 && bottom - top > 18 ? svg("text", { x: ((left + right) / 2).toFixed(1), y: ((top + bottom) / 2 + 4).toFixed(1), class: "inside middle" }, shape) : null,
        svg("title", {}, `${fit.regions[boxes.indexOf(box)]!.where}: ${box.shapes.slice(0, 4).join(", ")}`)),
    ];
  });
  const dots = (fit.fastest ?? []).flatMap((each) => {
    const [a, b] = [each.sizes[across.name], each.sizes[up.name]];
    return a === undefined || b === undefined ? [] : [svg("circle", { cx: x.at(a).toFixed(1), cy: y.at(b).toFixed(1), r: 4, class: "dot sampled", style: { fill: colourOf(shapeText(each.shape)) } }, svg("title", {}, `${across.name} ${sizeText(a)}, ${up.name} ${sizeText(b)}: ${shapeText(each.shape)} is the fastest, ${time(each.time_us)}`))];
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart roomy shape-map", role: "img", "aria-label": `Best block shape over ${across.name} and ${up.name}` },
    cells,
    dots,
    sizeTicks(across, x).map((value) => svg("text", { x: x.at(value).toFixed(1), y: f.height - f.bottom + 16, class: "tick middle" }, sizeText(value))),
    sizeTicks(up, y).map((value) => svg("text", { x: f.left - 7, y: y.at(value) + 4, class: "tick end" }, sizeText(value))),
    svg("text", { x: (f.left + f.width - f.right) / 2, y: f.height - 5, class: "tick middle" }, across.name),
    svg("text", { x: 14, y: (f.top + f.height - f.bottom) / 2, class: "tick middle", transform: `rotate(-90 14 ${(f.top + f.height - f.bottom) / 2})` }, up.name),
  );
}
