// How far a prediction can be relied on: the interval that holds 80 % of the measured times of such
// launches, and whether a measurement is needed.
import { h } from "./dom";
import type { Certainty } from "./documents";
import { percent, time } from "./format";

const kKinds: Record<string, string> = {
  unknown: "depend on Unknown values",
  short: "under 10 µs",
  waits: "limited by inter-block synchronisation",
  latency: "limited by latency",
};
export const kindText = (kind: string): string => kKinds[kind] ?? `limited by ${kind} throughput`;

// 20.4 to 26.5 µs; the unit once where both have it.
export function rangeText(low: number, high: number): string {
  const [a, b] = [time(low), time(high)];
  const unit = (text: string): string => text.slice(text.lastIndexOf(" "));
  return `${unit(a) === unit(b) ? a.slice(0, -unit(a).length) : a} to ${b}`;
}

// A track with the interval as a band, the predicted time as a line and the measured one as a dot.
export function intervalBar(certainty: Certainty, predicted: number, measured?: number): HTMLElement {
  const values = [certainty.low_us, certainty.high_us, predicted, ...(measured ? [measured] : [])];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((high - low) * 0.08, high * 0.01);
  const at = (us: number): string => `${((100 * (us - low + margin)) / (high - low + 2 * margin)).toFixed(2)}%`;
  const width = `${((100 * (certainty.high_us - certainty.low_us)) / (high - low + 2 * margin)).toFixed(2)}%`;
  const name = `10th to 90th percentile ${rangeText(certainty.low_us, certainty.high_us)}, predicted ${time(predicted)}${measured ? `, measured ${time(measured)}` : ""}`;
  return h(
    "span",
    { class: "interval", role: "img", "aria-label": name, title: name },
    h("i", { class: "band", style: { left: at(certainty.low_us), width } }),
    h("i", { class: "mark", style: { left: at(predicted) } }),
    measured ? h("i", { class: "point", style: { left: at(measured) } }) : null,
  );
}

export function measuredText(certainty: Certainty | undefined, predicted: number | undefined, measured: number): string {
  if (!predicted) return "measured";
  const off = `measured, off by ${percent(Math.max(predicted / measured, measured / predicted) - 1)}`;
  if (!certainty) return off;
  const inside = measured >= certainty.low_us && measured <= certainty.high_us;
  return `${off}, ${inside ? "inside" : "outside"} the interval`;
}

export function deferNotice(certainty: Certainty | undefined): HTMLElement | null {
  if (!certainty?.defer) return null;
  return h("p", { class: "notice", id: "defer" }, h("b", {}, "Measure this launch instead: "), certainty.reason ?? "", ". The prediction is not reliable.");
}
