// What a capture's samples and predictions say: the hottest lines of all kernels, and each group of
// launches as predicted and as measured.
import { swatch } from "./bars";
import { CodeModel } from "./code_model";
import { card, h, type Child } from "./dom";
import type { Launch } from "./documents";
import { count, cut, dims, fileName, percent, time } from "./format";
import { intervalBar, kindText, rangeText } from "./interval";
import type { Capture } from "./kinds";
import { colour, kIssue, reason } from "./stalls";

// A kernel of the capture whose samples are in the report, and the view that shows its code.
export interface SampledKernel {
  kernel: number; // id
  samples: number;
  view: number;
  launch: () => Launch; // decoded when it is needed
}
export type OpenKernel = (view: number, target?: { file: number; line: number }) => void;

interface HotLine {
  sampled: SampledKernel;
  file: number;
  line: number;
  path: string;
  text: string;
  samples: number;
  top: { name: string; share: number } | undefined;
}

const kLines = 24;

function hotLines(sampled: SampledKernel[]): HotLine[] {
  return sampled
    .flatMap((each) => {
      const code = each.launch().code!;
      const model = new CodeModel(code);
      return [...model.lineAmounts].map(([key, samples]): HotLine => {
        const [file, line] = key.split(":").map(Number) as [number, number];
        const source = code.files[file];
        const part = source?.parts.find((some) => line >= some.first && line < some.first + some.text.length);
        const first = model.linePartsOf(file, line)[0];
        const name = first ? (first.reason < 0 ? "issued" : code.reasons[first.reason]!) : "";
        return { sampled: each, file, line, path: source?.path ?? "", text: part ? part.text[line - part.first]!.trim() : "", samples, top: first ? { name, share: first.amount / samples } : undefined };
      });
    })
    .filter((line) => line.samples > 0)
    .sort((a, b) => b.samples - a.samples)
    .slice(0, kLines);
}

export function samplesCard(capture: Capture, sampled: SampledKernel[], open: OpenKernel): HTMLElement | null {
  if (sampled.length === 0) return null;
  const all = capture.kernels.reduce((sum, kernel) => sum + (kernel.samples ?? 0), 0);
  const lines = hotLines(sampled);
  if (lines.length === 0) return card("Samples", null, { class: "wide", id: "samples" }, h("p", { class: "empty" }, "The kernels have no line information: compile with -lineinfo. A click on a kernel's samples shows its SASS."));
  const most = lines[0]!.samples;
  const several = sampled.length > 1;
  const known = lines.some((line) => line.text !== "");
  const bar = (line: HotLine): HTMLElement => h("div", { class: "track" }, h("div", { class: "fill", style: { width: `${(100 * line.samples) / most}%`, background: line.top ? (line.top.name === "issued" ? kIssue : colour(line.top.name)) : "var(--accent)" } }));
  const stall = (line: HotLine): Child => line.top && [swatch(line.top.name === "issued" ? kIssue : colour(line.top.name)), `${line.top.name === "issued" ? "issued" : reason(line.top.name).label} ${percent(line.top.share, 0)}`];
  return card(
    "Samples by line",
    `The hottest lines, of ${count(all)} PC samples; the colour is the most frequent stall. A click shows the line and its SASS.`,
    { class: "wide", id: "samples" },
    h(
      "table",
      { class: "plain kernels lines" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "samples"), h("th", { scope: "col", class: "number" }, "share"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "bar")), h("th", { scope: "col" }, "line"), known ? h("th", { scope: "col" }, "source") : null, several ? h("th", { scope: "col" }, "kernel") : null, h("th", { scope: "col" }, "top stall"))),
      h(
        "tbody",
        {},
        lines.map((line) =>
          h(
            "tr",
            {},
            h("td", { class: "number" }, count(line.samples)),
            h("td", { class: "number" }, percent(line.samples / all)),
            h("td", { class: "bar" }, bar(line)),
            h("td", {}, h("button", { type: "button", class: "text", title: line.path, onclick: () => open(line.sampled.view, { file: line.file, line: line.line }) }, `${fileName(line.path)}:${line.line}`)),
            known ? h("td", { class: "code" }, line.text) : null,
            several ? h("td", { class: "faint", title: capture.kernels[line.sampled.kernel - 1]!.demangled }, cut(capture.kernels[line.sampled.kernel - 1]!.demangled, 32)) : null,
            h("td", { class: "nowrap" }, stall(line)),
          ),
        ),
      ),
    ),
  );
}

// Launches that were predicted, by their share of the time: the interval beside the measured time.
export function comparisonCard(capture: Capture): HTMLElement | null {
  const comparison = capture.comparison;
  if (!comparison || comparison.groups.length === 0) return null;
  const groups = [...comparison.groups].sort((a, b) => b.total_us - a.total_us).slice(0, 60);
  const launches = new Map(capture.launches.map((launch) => [launch.id, launch]));
  const row = (group: (typeof groups)[number]): HTMLElement => {
    const kernel = capture.kernels[group.kernel - 1]!;
    const example = launches.get(group.example);
    const certainty = group.certainty;
    const outside = certainty && (group.measured_us < certainty.low_us || group.measured_us > certainty.high_us);
    const said: Child = group.problem ?? (certainty?.defer ? [h("b", { class: "bad" }, "measure instead: "), certainty.reason ?? ""] : certainty ? kindText(certainty.kind) : "");
    return h(
      "tr",
      {},
      h("td", { title: kernel.demangled }, h("code", {}, cut(kernel.demangled, 64)), example ? h("div", { class: "faint" }, `launch ${count(group.example)}${group.launches > 1 ? ` and ${count(group.launches - 1)} alike` : ""}, grid ${dims(example.grid)}, block ${dims(example.block)}`) : null),
      h("td", { class: "number" }, time(group.measured_us)),
      h("td", { class: "number" }, group.predicted_us ? time(group.predicted_us) : "–"),
      h("td", { class: "number" }, group.error === undefined ? "–" : percent(group.error, 0)),
      h("td", { class: "interval-cell" }, certainty && group.predicted_us ? intervalBar(certainty, group.predicted_us, group.measured_us) : null),
      h("td", { class: `nowrap ${outside ? "bad" : ""}` }, certainty ? rangeText(certainty.low_us, certainty.high_us) : ""),
      h("td", { class: "why" }, said),
    );
  };
  const deferred = comparison.groups.filter((group) => group.certainty?.defer).length;
  return card(
    "Predicted and measured",
    `Median error ${percent(comparison.median_error)} on ${comparison.machine}. The band is the 10th to 90th percentile of such launches, the line the prediction, the dot the measured time.${deferred > 0 ? ` ${count(deferred)} should be measured instead.` : ""}`,
    { class: "wide", id: "comparison" },
    h("table", { class: "plain compared" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "launch"), ["measured", "predicted", "error"].map((name) => h("th", { scope: "col", class: "number" }, name)), h("th", { scope: "col" }, h("span", { class: "unseen" }, "picture")), h("th", { scope: "col" }, "10th to 90th percentile"), h("th", { scope: "col" }, "kind"))), h("tbody", {}, groups.map(row))),
  );
}
