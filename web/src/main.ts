// The page: reads the embedded data and shows its views.
import type { SampledKernel } from "./capture_samples";
import { captureFacts, captureView } from "./capture_view";
import { coarseningText, coarsenVerdict, coarsenView } from "./coarsen_view";
import { diffView, type PackedSides } from "./diff_view";
import { clear, h } from "./dom";
import { find, launchOf, type Launch, type Predict, type Report } from "./documents";
import { count, cut, dims, fileName, several, time } from "./format";
import { deferNotice, intervalBar, kindText, measuredText, rangeText } from "./interval";
import { KernelView } from "./kernel_view";
import type { Capture, Carve, Coarsen, Diff, Fit, Listing, Saturate, Stacks, Tune } from "./kinds";
import { follow, listingView } from "./listing_view";
import type { CodeTarget, Navigator } from "./navigate";
import { facts, overview } from "./overview";
import "./style.css";
import { carveView, fitView, saturateView } from "./space_views";
import { TimelineView } from "./timeline";
import { tuningView } from "./tuning_view";

// A tab is made when it is first shown, so that the first one is there at once.
interface Tab {
  name: string;
  id: string;
  make: () => HTMLElement;
  shown?: () => void;
}

const theme = {
  order: ["auto", "light", "dark"],
  get: (): string => document.documentElement.dataset.theme ?? "auto",
  set(name: string): void {
    document.documentElement.dataset.theme = name;
    dispatchEvent(new Event("themechange"));
  },
};

function launchTitle(launch: Launch): string {
  return launch.predict?.demangled ?? launch.advise?.demangled ?? launch.code?.demangled ?? "kernel";
}

// The name of a demangled kernel without its parameters, which begin at the last "(" outside of others.
function nameOf(title: string): string {
  let depth = 0;
  for (let k = title.length - 1; k > 0 && title.endsWith(")"); --k) {
    if (title[k] === ")") ++depth;
    if (title[k] === "(" && --depth === 0) return title.slice(0, k);
  }
  return title;
}

function launchHead(launch: Launch): HTMLElement {
  const { predict, explain, advise } = launch;
  const title = launchTitle(launch);
  const shape = predict?.launch ?? advise;
  const predicted = predict?.time_us ?? advise?.predicted_us ?? undefined;
  const measured = predict?.recorded_us ?? advise?.measured_us ?? undefined;
  const parts = [
    predict?.machine ?? advise?.machine,
    shape ? `grid ${dims(shape.grid)}` : null,
    shape ? `block ${dims(shape.block)}` : null,
    predict ? `caches ${predict.caches}` : null,
    fileName(predict?.file ?? advise?.file ?? ""),
    launch.code?.arch,
  ].filter((part): part is string => Boolean(part));
  const certainty = predict?.certainty;
  return h(
    "div",
    { class: "head" },
    h("div", { class: "identity" }, h("h1", { title }, nameOf(title), h("span", { class: "parameters" }, cut(title.slice(nameOf(title).length), 90))), h("p", { class: "launch" }, parts.map((part) => h("span", {}, part)))),
    h(
      "div",
      { class: "times" },
      predicted ? h("div", { class: "time" }, h("b", { id: "predicted" }, time(predicted)), h("span", {}, "predicted")) : null,
      measured ? h("div", { class: "time" }, h("b", { id: "measured" }, time(measured)), h("span", {}, measuredText(certainty, predicted, measured))) : null,
      certainty && predicted ? h("div", { class: "certainty", id: "interval" }, intervalBar(certainty, predicted, measured), h("span", { title: `Such launches are ${kindText(certainty.kind)}.` }, `${rangeText(certainty.low_us, certainty.high_us)} for 80 % of launches ${kindText(certainty.kind).replace(/^depend/, "that depend")}`)) : null,
    ),
    deferNotice(certainty),
    h("p", { class: "sentence", id: "sentence" }, explain?.sentence ?? advise?.limit ?? ""),
    facts(launch),
  );
}

function launchTabs(launch: Launch): { tabs: Tab[]; search?: () => void; open: { go: (id: string) => void }; navigator: Navigator } {
  const open = { go: (_: string): void => {} };
  const { code, timeline } = launch;
  let kernel: KernelView | undefined;
  let warps: TimelineView | undefined;
  const navigator = {
    toCode(target: CodeTarget): void {
      open.go("code");
      kernel?.show(target);
    },
  };
  const tabs: Tab[] = launch.predict || launch.advise ? [{ name: "Overview", id: "overview", make: () => overview(launch, navigator) }] : [];
  if (code) tabs.push({ name: "Code", id: "code", make: () => (kernel = new KernelView(launch)).element, shown: () => kernel?.showFirst() });
  if (code && timeline) {
    const makeTimeline = (): HTMLElement => {
      warps = new TimelineView(timeline, code, navigator);
      addEventListener("themechange", () => warps!.readColours());
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => warps!.readColours());
      return warps.element;
    };
    tabs.push({ name: "Timeline", id: "timeline", make: makeTimeline, shown: () => warps?.readColours() });
  }
  const search = (): void => {
    open.go("code");
    kernel?.focusSearch();
  };
  return { tabs, search: code ? search : undefined, open, navigator };
}

// Tabs by the usual pattern: arrow keys move between them, one panel is in sight.
function tabBar(tabs: Tab[], open: { go: (id: string) => void }): { bar: HTMLElement; panels: HTMLElement } {
  const buttons = tabs.map((tab) =>
    h("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": `panel-${tab.id}`, onclick: () => select(tab.id) }, tab.name),
  );
  const panels = h("main", {}, tabs.map((tab) => h("div", { role: "tabpanel", id: `panel-${tab.id}`, "aria-labelledby": `tab-${tab.id}`, class: "panel" })));
  const make = (k: number): void => {
    if (!panels.children[k]!.firstChild) panels.children[k]!.append(tabs[k]!.make());
  };
  addEventListener("beforeprint", () => {
    tabs.forEach((_, k) => make(k));
    dispatchEvent(new Event("printpages")); // also to what was made just now
  });
  const select = (id: string): void => {
    tabs.forEach((tab, k) => {
      const now = tab.id === id;
      if (now) make(k);
      buttons[k]!.setAttribute("aria-selected", String(now));
      buttons[k]!.tabIndex = now ? 0 : -1;
      (panels.children[k] as HTMLElement).hidden = !now;
      if (now) tab.shown?.();
    });
    document.body.dataset.tab = id;
    history.replaceState(null, "", `#${id}`);
  };
  open.go = select;
  const bar = h(
    "div",
    {
      role: "tablist",
      class: "tabs",
      "aria-label": "Views",
      onkeydown: (event: KeyboardEvent) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const now = buttons.findIndex((button) => button === document.activeElement);
        const next = (now + step + tabs.length) % tabs.length;
        select(tabs[next]!.id);
        buttons[next]!.focus();
      },
    },
    buttons,
  );
  const wanted = location.hash.slice(1);
  queueMicrotask(() => select(tabs.some((tab) => tab.id === wanted) ? wanted : tabs[0]!.id));
  return { bar, panels };
}

function themeButton(): HTMLElement {
  const button = h("button", {
    type: "button",
    class: "theme",
    title: "Light, dark, or as the system is",
    onclick: () => {
      theme.set(theme.order[(theme.order.indexOf(theme.get()) + 1) % theme.order.length]!);
      button.textContent = theme.get();
    },
  }, theme.get());
  return button;
}

function download(data: string): HTMLElement {
  return h("button", { type: "button", class: "theme", title: "The data of this report", onclick: () => {
    const url = URL.createObjectURL(new Blob([data], { type: "application/json" }));
    const link = h("a", { href: url, download: "burin-report.json" });
    link.click();
    URL.revokeObjectURL(url);
  } }, "JSON");
}

// The kernels of a capture that have a view of their own.
function sampledKernels(report: Report): SampledKernel[] {
  return report.views.flatMap((view, k) => {
    const sampled = find<{ schema: string; kernel: number; samples: number }>(view, "sampled");
    return sampled ? [{ kernel: sampled.kernel, samples: sampled.samples, view: k, launch: () => launchOf(view) }] : [];
  });
}

// What is shown at once: a launch, a capture, a tuning run, …
interface Shown {
  title: string;
  head: HTMLElement;
  tabs: Tab[];
  search?: () => void; // goes to the search field
  open: { go: (id: string) => void };
  navigator?: Navigator;
}

function plainHead(title: string, parts: (string | undefined)[], sentence: string, items: [string, string, string][] = []): HTMLElement {
  return h(
    "div",
    { class: "head" },
    h("div", { class: "identity" }, h("h1", {}, cut(title, 120)), h("p", { class: "launch" }, parts.filter(Boolean).map((part) => h("span", {}, part)))),
    h("p", { class: "sentence", id: "sentence" }, sentence),
    h("dl", { class: "facts" }, items.map(([name, value, note]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("b", {}, value), note ? h("span", {}, note) : null)))),
  );
}

function shownOf(view: Report["views"][number], report: Report, openView: (view: number, target?: CodeTarget) => void): Shown {
  const one = (title: string, head: HTMLElement, panel: HTMLElement): Shown => ({ title, head, tabs: [{ name: "Overview", id: "overview", make: () => panel }], open: { go: () => {} } });
  const listing = find<Listing>(view, "listing");
  if (listing) return one("files", plainHead("burin serve", [listing.folder], ""), listingView(listing));
  const capture = find<Capture>(view, "capture");
  if (capture) {
    const commands = capture.processes.map((process) => process.command.join(" "));
    return one(capture.file, plainHead(fileName(capture.file), [...new Set(capture.gpus.map((gpu) => gpu.name)), cut(commands.join("; "), 140)], "", captureFacts(capture)), captureView(capture, find<Stacks & { schema: string }>(view, "stacks"), sampledKernels(report), openView));
  }
  const tune = find<Tune>(view, "tune");
  if (tune) {
    const runs = tune.runs ?? [tune];
    const best = runs.map((run) => run.best?.time_us ?? Infinity);
    return one(tune.kernel, plainHead(tune.kernel, [runs[0]?.device, `strategy ${tune.strategy}`, tune.caches ? `caches ${tune.caches}` : undefined], "", [["best", Math.min(...best) < Infinity ? time(Math.min(...best)) : "none", ""], ["trials", count(runs.reduce((sum, run) => sum + (run.trials?.length ?? 0), 0)), runs[0]?.space?.valid ? `of ${count(runs[0].space.valid)} configurations` : ""], ["took", time(1e6 * runs.reduce((sum, run) => sum + run.seconds, 0)), ""]]), tuningView(tune));
  }
  const saturated = find<{ schema: string; saturation: Saturate; searches: Tune[] }>(view, "tune_at_saturation");
  if (saturated) return one(saturated.saturation.kernel, plainHead(saturated.saturation.kernel, [saturated.saturation.device, "tuned at saturation"], ""), h("div", {}, saturateView(saturated.saturation), saturated.searches.map(tuningView)));
  const carve = find<Carve>(view, "carve");
  if (carve) return one(carve.kernel, plainHead(carve.kernel, [carve.machine, "carving"], ""), carveView(carve));
  const coarsened = find<Coarsen>(view, "coarsen");
  if (coarsened) return one(coarsened.kernel, plainHead(coarsened.kernel, [coarsened.machine, coarseningText(coarsened.coarsenings), fileName(coarsened.file)], coarsenVerdict(coarsened)), coarsenView(coarsened));
  const saturate = find<Saturate>(view, "saturate");
  if (saturate) return one(saturate.kernel, plainHead(saturate.kernel, [saturate.device, "saturation"], ""), saturateView(saturate));
  const fit = find<Fit>(view, "fit");
  if (fit) return one(fit.kernel, plainHead(fit.kernel === "-" ? fileName(fit.source) : fit.kernel, ["rational program", fit.source], ""), fitView(fit));
  const diff = find<Diff>(view, "diff");
  if (diff) return one("diff", plainHead(`${fileName(diff.before)} → ${fileName(diff.after)}`, [`${several(diff.kernels.length, "kernel")} in both`, diff.gone.length > 0 ? `${count(diff.gone.length)} gone` : undefined, diff.added.length > 0 ? `${count(diff.added.length)} new` : undefined], ""), diffView(diff, find<PackedSides>(view, "sides")));
  const launch = launchOf(view);
  const { tabs, search, open, navigator } = launchTabs(launch);
  return { title: launchTitle(launch), head: launchHead(launch), tabs, search, open, navigator };
}

function show(app: HTMLElement, report: Report, which: number, data: string, target?: CodeTarget): void {
  const openView = (view: number, at?: CodeTarget): void => {
    show(app, report, view, data, at);
    scrollTo(0, 0);
  };
  const { head, tabs, search, open, navigator } = shownOf(report.views[which]!, report, openView);
  const { bar, panels } = tabBar(tabs, open);
  const titleOf = (view: Report["views"][number]): string => {
    const capture = find<Capture>(view, "capture");
    if (capture) return fileName(capture.file);
    const [predict, named] = [find<Predict>(view, "predict"), find<{ demangled: string }>(view, "advise") ?? find<{ demangled: string }>(view, "code")];
    return `${cut(predict?.demangled ?? named?.demangled ?? "kernel", 70)}${predict ? `, ${time(predict.time_us)}` : ""}`;
  };
  const chooser = report.views.length > 1
    ? h("select", { class: "chooser", "aria-label": "Kernel", onchange: (event: Event) => openView(Number((event.target as HTMLSelectElement).value)) }, report.views.map((view, k) => h("option", { value: k, selected: k === which }, `${k + 1}. ${titleOf(view)}`)))
    : null;
  clear(
    app,
    h("div", { class: "top" }, report.live ? h("a", { class: "brand", href: "./" }, "burin") : h("span", { class: "brand" }, "burin"), chooser, tabs.length > 1 ? bar : null, h("span", { class: "spring" }), download(data), themeButton()),
    head,
    panels,
    h("footer", {}, `burin ${report.burin}`),
  );
  document.onkeydown = (event) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey) return;
    const number = Number(event.key);
    if (number >= 1 && number <= tabs.length) open.go(tabs[number - 1]!.id);
    if (event.key === "/" && search) {
      event.preventDefault();
      search();
    }
  };
  if (target) queueMicrotask(() => navigator?.toCode(target));
}

const data = document.getElementById("data")!.textContent!;
const report = JSON.parse(data) as Report;
show(document.getElementById("app")!, report, 0, data);
if (report.live && report.version) follow(report.live, report.version);
