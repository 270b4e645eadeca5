// What a tuning run tried: the best so far, the space, and why configurations failed or were pruned.
import { frame, grid, kPalette, scale } from "./axes";
import { barTable } from "./bars";
import { card, h, svg } from "./dom";
import { count, percent, time } from "./format";
import type { Config, Trial, Tune, TuneRun } from "./kinds";

const kDrawn = 1500; // lines of the parallel coordinates, at most

export const configText = (config: Config): string => Object.entries(config).map(([name, value]) => `${name}=${value}`).join(", ");

const works = (trial: Trial): trial is Trial & { time_us: number } => trial.time_us !== null && trial.time_us > 0;

export function tuningView(tune: Tune): HTMLElement {
  const runs = tune.runs ?? [tune];
  return h("div", { class: "overview" }, runs.flatMap((run) => runCards(run)), tune.notes.length > 0 ? card("Notes", null, { class: "wide" }, h("ul", {}, tune.notes.map((note) => h("li", {}, note)))) : null);
}

function runCards(run: TuneRun): (HTMLElement | null)[] {
  const trials = run.trials ?? [];
  return [
    trials.length > 0 ? card("Best so far", `${count(trials.length)} trials on ${run.device}; ended because ${run.ended}.`, { id: "best-so-far" }, bestSoFar(run, trials)) : null,
    bestCard(run),
    run.space && trials.some(works) ? card("Parameters and time", "Each line is one configuration that worked; the fastest tenth is drawn in colour.", { class: "wide", id: "parallel" }, parallel(run, trials)) : null,
    fastest(run, trials),
    failures(trials),
  ];
}

function bestCard(run: TuneRun): HTMLElement {
  if (!run.best) return card("Best configuration", null, { id: "best" }, h("p", { class: "empty" }, "No configuration worked."));
  const finalists = run.final?.finalists ?? [];
  const slowest = Math.max(run.best.time_us, ...finalists.map((each) => each.time_us));
  return card(
    "Best configuration",
    run.final ? `Measured again with the others, in turn: it is the fastest with ${percent(run.final.confidence, 0)} confidence.` : null,
    { id: "best" },
    h("p", { class: "hero" }, h("b", {}, time(run.best.time_us)), h("span", { class: "faint" }, run.best.objective !== undefined ? `${run.best.objective.toPrecision(4)} ${run.best.unit ?? ""}` : "")),
    h("p", {}, h("code", {}, configText(run.best.config))),
    finalists.length > 1 ? barTable(["finalist", "time"], finalists.map((each) => ({ label: h("code", {}, configText(each.config)), share: each.time_us / slowest, value: time(each.time_us) })), { class: "finalists" }) : null,
  );
}

function bestSoFar(run: TuneRun, trials: Trial[]): SVGElement {
  const good = trials.map((trial, k) => ({ trial, k })).filter((each) => works(each.trial));
  const times = good.map((each) => each.trial.time_us!);
  const f = frame();
  const x = scale(1, Math.max(2, trials.length), f.left, f.width - f.right, false);
  const low = Math.min(...times, run.optimum_us ?? Infinity);
  const y = scale(low * 0.95, Math.max(...times) * 1.05, f.height - f.bottom, f.top, Math.max(...times) > 4 * low, 5);
  let best = Infinity;
  let path = "";
  for (const { trial, k } of good) {
    if (trial.time_us! >= best) continue;
    path += path ? `H${x.at(k + 1).toFixed(1)}V${y.at(trial.time_us!).toFixed(1)}` : `M${x.at(k + 1).toFixed(1)} ${y.at(trial.time_us!).toFixed(1)}`;
    best = trial.time_us!;
  }
  return svg(
    "svg",
    { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart roomy", role: "img", "aria-label": `Best time over ${trials.length} trials: ${best < Infinity ? time(best) : "none"}` },
    grid(f, x, y, "trial", (v) => count(v), (v) => time(v)),
    run.optimum_us ? svg("line", { x1: f.left, x2: f.width - f.right, y1: y.at(run.optimum_us), y2: y.at(run.optimum_us), class: "gap" }) : null,
    good.map(({ trial, k }) => svg("circle", { cx: x.at(k + 1).toFixed(1), cy: y.at(trial.time_us!).toFixed(1), r: 2.2, class: "dot faded" }, svg("title", {}, `${time(trial.time_us!)}: ${configText(trial.config)}`))),
    svg("path", { class: "line", d: `${path}H${(f.width - f.right).toFixed(1)}` }),
  );
}

// One axis for each parameter with several values, and one for the time.
function parallel(run: TuneRun, trials: Trial[]): SVGElement {
  const parameters = Object.entries(run.space!.parameters).filter(([, values]) => values.length > 1);
  const good = trials.filter(works).sort((a, b) => b.time_us - a.time_us);
  const shown = good.length > kDrawn ? good.filter((_, k) => k % Math.ceil(good.length / kDrawn) === 0 || k >= good.length - good.length / 10) : good;
  const [width, height, top, bottom] = [Math.max(1240, 120 * (parameters.length + 1)), 380, 44, 26];
  const x = (k: number): number => 60 + ((width - 130) * k) / parameters.length;
  const times = good.map((trial) => trial.time_us);
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const y = scale(low, high, height - bottom, top, high > 4 * low, 5);
  const place = (values: (number | string)[], value: unknown): number => {
    const at = Math.max(0, values.findIndex((each) => each === value));
    return top + (height - top - bottom) * (1 - (at + 0.5) / values.length);
  };
  const bestTenth = times.slice().sort((a, b) => a - b)[Math.floor(times.length / 10)]!;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart whole", role: "img", "aria-label": `Parallel coordinates of ${parameters.map(([name]) => name).join(", ")} and time for ${good.length} configurations` },
    shown.map((trial, k) =>
      svg(
        "path",
        { class: trial.time_us <= bestTenth ? (k === shown.length - 1 ? "thread best" : "thread fast") : "thread", d: [...parameters.map(([name, values], at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${place(values, trial.config[name]).toFixed(1)}`), `L${x(parameters.length).toFixed(1)} ${y.at(trial.time_us).toFixed(1)}`].join("") },
        svg("title", {}, `${time(trial.time_us)}: ${configText(trial.config)}`),
      ),
    ),
    parameters.map(([name, values], at) => [
      svg("line", { x1: x(at), x2: x(at), y1: top, y2: height - bottom, class: "axis" }),
      svg("text", { x: x(at), y: 16 + 14 * (at % 2), class: "label middle" }, name),
      values.filter((_, k) => values.length <= 14 || k % Math.ceil(values.length / 14) === 0).map((value) => svg("text", { x: x(at) + 5, y: place(values, value) + 4, class: "tick halo" }, String(value))),
    ]),
    svg("line", { x1: x(parameters.length), x2: x(parameters.length), y1: top, y2: height - bottom, class: "axis" }),
    svg("text", { x: x(parameters.length), y: 16, class: "label middle" }, "time"),
    y.ticks.map((tick) => svg("text", { x: x(parameters.length) + 6, y: y.at(tick) + 4, class: "tick halo" }, time(tick))),
  );
}

// Trials that gave no time, by what became of them and why.
function failures(trials: Trial[]): HTMLElement | null {
  const groups = new Map<string, { status: string; reason: string; trials: Trial[] }>();
  for (const trial of trials) {
    if (works(trial)) continue;
    const reason = String(trial.reason ?? "").split("\n")[0]!;
    const key = `${trial.status} ${reason.replace(/\d+/g, "#")}`;
    const group = groups.get(key) ?? { status: trial.status, reason, trials: [] };
    group.trials.push(trial);
    groups.set(key, group);
  }
  if (groups.size === 0) return null;
  const rows = [...groups.values()].sort((a, b) => b.trials.length - a.trials.length);
  return card(
    "Left out",
    `${count(rows.reduce((sum, row) => sum + row.trials.length, 0))} configurations gave no time.`,
    { id: "left-out" },
    h(
      "table",
      { class: "plain" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "trials"), h("th", { scope: "col" }, "status"), h("th", { scope: "col" }, "reason"), h("th", { scope: "col" }, "for example"))),
      h("tbody", {}, rows.slice(0, 12).map((row) => h("tr", {}, h("td", { class: "number" }, count(row.trials.length)), h("td", { class: "nowrap" }, row.status), h("td", {}, row.reason), h("td", {}, h("code", {}, configText(row.trials[0]!.config)))))),
    ),
  );
}

// One column for each parameter that has several values; what all of them share is not repeated.
function fastest(run: TuneRun, trials: Trial[]): HTMLElement | null {
  const good = trials.filter(works).sort((a, b) => a.time_us - b.time_us).slice(0, 20);
  if (good.length === 0) return null;
  const names = Object.keys(good[0]!.config).filter((name) => (run.space?.parameters[name]?.length ?? 2) > 1);
  const slowest = good[good.length - 1]!.time_us;
  return card(
    "Fastest trials",
    null,
    { class: "wide", id: "fastest" },
    h(
      "table",
      { class: "plain kernels" },
      h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col", class: "number" }, name)), h("th", { scope: "col" }, h("span", { class: "unseen" }, "bar")), h("th", { scope: "col", class: "number" }, "time"), h("th", { scope: "col", class: "number" }, "of the best"))),
      h(
        "tbody",
        {},
        good.map((trial, k) =>
          h(
            "tr",
            {},
            names.map((name) => h("td", { class: `number ${trial.config[name] === good[0]!.config[name] ? "" : "other"}` }, String(trial.config[name]))),
            h("td", { class: "bar" }, h("div", { class: "track" }, h("div", { class: "fill", style: { width: `${(100 * trial.time_us) / slowest}%`, background: k === 0 ? kPalette[1]! : "var(--accent)" } }))),
            h("td", { class: "number" }, time(trial.time_us)),
            h("td", { class: "number" }, percent(good[0]!.time_us / trial.time_us)),
          ),
        ),
      ),
    ),
  );
}
