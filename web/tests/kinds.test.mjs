// The views of captures, tuning, carving, saturation, fits and differences: made by the commands,
// and their numbers those of the JSON.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { close, documents, page, text } from "./browser.mjs";
import { paintOf } from "./paint.mjs";
import { altered, folder, report, root, run } from "./reports.mjs";

after(close);

const made = (name, ...args) => {
  const file = join(folder, `${name}.html`);
  run(...args, "--html", file, "--force");
  return file;
};
const time = (us) => (us < 1 ? `${Math.round(1000 * us)} ns` : us >= 1000 ? `${(us / 1000).toPrecision(3)} ms` : us >= 100 ? `${Math.round(us)} µs` : `${us.toPrecision(3)} µs`);

test("a capture: launches, shares, and what holds private data", async () => {
  const file = made("capture", "inspect", join(root, "tests/data/capture/h200/huffman_decode.burin"));
  const tab = await page(file);
  const { capture } = await documents(tab);
  const total = capture.launches.reduce((sum, launch) => sum + (launch.time_us ?? 0), 0);
  assert.ok((await text(tab, ".facts")).includes(String(capture.launches.length)));
  assert.ok((await text(tab, ".facts")).includes(time(total)), await text(tab, ".facts"));
  assert.equal(await tab.locator("#shares tbody tr").count(), new Set(capture.launches.map((launch) => launch.kernel)).size);
  if (capture.launches.some((launch) => launch.memory)) assert.match(await text(tab, ".overview"), /may be private/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("450 launches paint in two seconds", async (t) => {
  const file = altered(made("capture", "inspect", join(root, "tests/data/capture/h200/huffman_decode.burin")), "many.html", (data) => {
    const capture = data.views[0][0];
    const first = capture.launches[0];
    capture.kernels = Array.from({ length: 40 }, (_, k) => ({ ...capture.kernels[0], id: k + 1, demangled: `void layer_${k}<float, ${k}>(float*)` }));
    capture.launches = Array.from({ length: 450 }, (_, k) => ({ ...first, id: k + 1, kernel: (k % 40) + 1, stream: k % 3, start_ns: 20000 * k, time_us: 5 + (k % 7), ranges: `step ${Math.floor(k / 90)}/${k % 90 < 60 ? "forward" : "backward"}` }));
    const path = (k) => `main;train_step;${k < 30 ? "forward" : "backward"};layer_${k}`;
    data.views[0][1] = { schema: "burin.stacks/1", ...Object.fromEntries(Array.from({ length: 40 }, (_, k) => [path(k), 1000 * (k + 1)])) };
    return data;
  });
  const tab = await page(file);
  const paint = await paintOf(tab);
  t.diagnostic(`first paint after ${paint.toFixed(0)} ms`);
  assert.ok(paint < 2000, `${paint} ms`);
  assert.equal(await tab.locator("#shares tbody tr").count(), 40);
  assert.match(await text(tab, "#ranges"), /step 0/);
  // Host call paths: callers that all paths share are left out, kernels are the leaves.
  assert.match(await text(tab, "#stacks"), /Below train_step/);
  const frames = await tab.locator("#stacks .frame title").allTextContents();
  assert.deepEqual(frames.map((name) => name.split("\n")[0]).sort(), ["backward", "forward"]);
  assert.ok((await tab.locator("#stacks .leaf").count()) >= 30);
  const box = await tab.locator("#launches canvas").boundingBox();
  let shown = false;
  for (let x = box.width / 2; x < box.width / 2 + 60 && !shown; ++x) {
    await tab.mouse.move(box.x + x, box.y + box.height - 16);
    shown = await tab.locator("#launches .tip").isVisible();
  }
  assert.ok(shown, "a launch under the pointer is named");
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("tuning: the best so far, the space and the fastest trials", async () => {
  const file = made("tune", "tune", "--device", `replay:${join(root, "bench/tuning/spaces/gemm.json.gz")}`, "--budget", "60", "--seed", "3");
  const tab = await page(file);
  const { tune } = await documents(tab);
  assert.equal(await text(tab, "#best .hero b"), time(tune.best.time_us));
  const good = tune.trials.filter((trial) => trial.time_us !== null);
  assert.equal(await tab.locator("#best-so-far circle").count(), good.length);
  assert.equal(await tab.locator("#parallel path.thread").count(), good.length);
  assert.equal(await tab.locator("#parallel path.thread.best").count(), 1);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("carving, saturation and fits", async () => {
  const carved = await page(made("carve", "carve", join(root, "bench/tuning/kernels/matrix_product.toml"), "--counts", join(root, "bench/carving/counts/matrix_product.csv.gz"), "--run", "--device", `replay:${join(root, "bench/tuning/spaces/matrix_product.json.gz")}`));
  const { carve } = await documents(carved);
  assert.equal(await carved.locator("#kept tbody tr").count(), carve.sizes[0].kept.length);
  assert.equal(await carved.locator("#front circle.now").count(), carve.sizes[0].kept.length);
  assert.deepEqual(carved.problems, []);
  await carved.close();
  const fitted = await page(made("fit", "fit", "--trials", join(root, "examples/fit/trials.csv"), "-o", join(folder, "k.rp"), "--grid-expr", "ceildiv(width, bx)", "--grid-expr", "ceildiv(height, by)"));
  const { fit } = await documents(fitted);
  assert.equal(await fitted.locator("#shapes tbody tr").count(), fit.regions.length);
  // The map has the best shape of every region, and the fastest one of every sampled size.
  assert.equal(await fitted.locator('#shape-map .region[data-rank="1"]').count(), fit.regions.length);
  assert.equal(await fitted.locator("#shape-map circle").count(), fit.fastest.length);
  assert.deepEqual(fitted.problems, []);
  await fitted.close();
});

test("a shape map of two axes has an area for each region", async () => {
  const from = made("fit", "fit", "--trials", join(root, "examples/fit/trials.csv"), "-o", join(folder, "k2.rp"), "--grid-expr", "ceildiv(width, bx)", "--grid-expr", "ceildiv(height, by)");
  const file = altered(from, "areas.html", (data) => {
    data.views[0][0].regions = [
      { where: "width <= 512, height <= 700", shapes: [[256, 1, 1], [128, 2, 1]] },
      { where: "width <= 512, height > 700", shapes: [[32, 8, 1]] },
      { where: "width > 512", shapes: [[64, 4, 1]] },
    ];
    return data;
  });
  const tab = await page(file);
  assert.equal(await tab.locator("#shape-map .region rect").count(), 3);
  assert.deepEqual(await tab.locator("#shape-map .inside").allTextContents(), ["256", "32 × 8", "64 × 4"]);
  const width = async (k) => Number(await tab.locator("#shape-map .region rect").nth(k).getAttribute("width"));
  const whole = (await width(0)) + (await width(2));
  assert.ok(Math.abs((await width(0)) / whole - Math.log(512 / 90) / Math.log(3000 / 90)) < 0.01, "sizes are logarithmic");
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a coarsening: both versions, the candidates and the check", async () => {
  const coarsened = {
    schema: "burin.coarsen/1", file: "saxpy.cu", kernel: "saxpy(int, float*)", machine: "h200",
    coarsenings: [{ level: "thread", axis: "x", factor: 4, stride: 64 }],
    original_launch: { grid: [4096, 1, 1], block: [256, 1, 1], smem: 0 }, launch: { grid: [4096, 1, 1], block: [64, 1, 1], smem: 0 },
    specialised_grid: false, registers: [16, 24], spill_bytes: [0, 8], predicted_us: [12.3, 10.1],
    check: { equal: true, compiled_with: "-fmad=false", compared_bytes: 1024, differences: 0, float_atomics: false, equal_as_compiled: true },
    candidates: [{ coarsenings: [{ level: "thread", axis: "x", factor: 4, stride: 64 }], predicted_us: 10.1 }, { coarsenings: [{ level: "block", axis: "x", factor: 2 }], predicted_us: 13 }, { coarsenings: [{ level: "thread", axis: "x", factor: 8 }], refused: "a barrier in divergent flow" }],
  };
  const file = altered(report("explain"), "coarsened.html", (data) => ({ ...data, views: [[coarsened]] }));
  const tab = await page(file);
  assert.match(await text(tab, "#sentence"), new RegExp(`${(12.3 / 10.1).toFixed(2)}× faster`));
  assert.match(await text(tab, "#versions"), /registers\s+16\s+24/);
  assert.match(await text(tab, "#check"), /equal bit for bit/);
  const names = await tab.locator("#candidates tbody th").allInnerTexts();
  assert.deepEqual(names, ["thread x=4, stride 64", "original", "block x=2"]);
  assert.match(await text(tab, "#refused"), /a barrier in divergent flow/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

const sampledCapture = join(root, "build/corpus/captures/transpose_scaled.burin");
test("samples by line lead to the line and its SASS", { skip: !existsSync(sampledCapture) && "the corpus is not unpacked" }, async () => {
  const tab = await page(made("sampled", "inspect", sampledCapture, "--compare"));
  const { capture } = await documents(tab);
  const { code, sampled } = await documents(tab, 1);
  const profile = code.profiles[0];
  const samples = new Map();
  const add = (i, amount) => {
    const place = code.places[code.place[i]];
    if (place) samples.set(place.line, (samples.get(place.line) ?? 0) + amount);
  };
  profile.issued.forEach((amount, i) => add(i, amount));
  for (const [i, , amount] of profile.stalls) add(i, amount);
  const [line, most] = [...samples].sort((a, b) => b[1] - a[1])[0];
  assert.match(await text(tab, "#samples tbody tr"), new RegExp(`^${Math.round(most).toLocaleString("en-US")}\\s`));
  assert.equal(sampled.samples, capture.kernels[0].samples);
  // Predicted beside measured, with the interval.
  const group = capture.comparison.groups[0];
  assert.match(await text(tab, "#comparison tbody tr"), new RegExp(`${group.certainty.low_us.toPrecision(3)} to ${group.certainty.high_us.toPrecision(3)} µs`));
  assert.equal(await tab.locator("#comparison .interval .point").count(), 1);
  await tab.locator("#samples button.text").first().click();
  assert.equal(await tab.locator(".source-row.selected").getAttribute("data-line"), String(line));
  assert.ok((await tab.locator(".sass-row.marked").count()) > 0);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a difference says what got faster", async () => {
  const cubin = join(root, "examples/transpose.sm_90.cubin");
  const file = made("diff", "diff", cubin, cubin, "--kernel", "transpose", "--after-kernel", "transpose_padded", "--grid", "64,64", "--block", "32,8", "--arg", "buf:16M:f32", "--arg", "buf:16M:undef", "--arg", "i32:2048", "--machine", "h200");
  const tab = await page(file);
  const { diff } = await documents(tab);
  const ratio = diff.kernels[0].time_ratio;
  assert.ok(ratio < 0.7);
  assert.match(await text(tab, ".kernel-diff .hero"), new RegExp(`${(1 / ratio).toFixed(2)}× faster`));
  // Why: the stall that takes less time, and the line.
  const { before, after } = diff.kernels[0];
  const saved = (name) => (before.stalls[name] ?? 0) * before.predicted_us - (after.stalls[name] ?? 0) * after.predicted_us;
  const top = Math.max(...Object.keys(before.stalls).map(saved));
  assert.match(await text(tab, ".kernel-diff .why"), new RegExp(`takes ${time(top)} less`));
  // Lines of both builds in the order of the source, with the instructions of both.
  assert.equal(await tab.locator(".lines-diff summary").count(), diff.kernels[0].lines.length);
  const row = tab.locator(".lines-diff details", { hasText: "out[(y + j) * n + x]" }).first();
  assert.ok((await row.getAttribute("open")) !== null, "what changed most is open");
  assert.match(await row.innerText(), /LDS[\s\S]*LDS/);
  assert.ok((await row.locator("td.added").count()) > 0 && (await row.locator("td.removed").count()) > 0);
  await tab.locator(".lines-diff summary").first().click();
  assert.ok((await tab.locator(".lines-diff details").first().locator("tr td.code").count()) > 0);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});
