// The views of captures, tuning, carving, saturation, fits and differences: made by the commands,
// and their numbers those of the JSON.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { join } from "node:path";
import { close, documents, page, text } from "./browser.mjs";
import { folder, root, run } from "./reports.mjs";

after(close);

const made = (name, ...args) => {
  const file = join(folder, `${name}.html`);
  run(...args, "--html", file, "--force");
  return file;
};
const time = (us) => (us >= 1000 ? `${(us / 1000).toPrecision(3)} ms` : us >= 100 ? `${Math.round(us)} µs` : `${us.toPrecision(3)} µs`);

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
  const { altered } = await import("./reports.mjs");
  const file = altered(made("capture", "inspect", join(root, "tests/data/capture/h200/huffman_decode.burin")), "many.html", (data) => {
    const capture = data.views[0][0];
    const first = capture.launches[0];
    capture.kernels = Array.from({ length: 40 }, (_, k) => ({ ...capture.kernels[0], id: k + 1, demangled: `void layer_${k}<float, ${k}>(float*)` }));
    capture.launches = Array.from({ length: 450 }, (_, k) => ({ ...first, id: k + 1, kernel: (k % 40) + 1, stream: k % 3, start_ns: 20000 * k, time_us: 5 + (k % 7), ranges: `step ${Math.floor(k / 90)}/${k % 90 < 60 ? "forward" : "backward"}` }));
    return data;
  });
  const tab = await page(file);
  const paint = await tab.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  t.diagnostic(`first paint after ${paint.toFixed(0)} ms`);
  assert.ok(paint < 2000, `${paint} ms`);
  assert.equal(await tab.locator("#shares tbody tr").count(), 40);
  assert.match(await text(tab, "#ranges"), /step 0/);
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
  assert.deepEqual(fitted.problems, []);
  await fitted.close();
});

test("a difference says what got faster", async () => {
  const cubin = join(root, "examples/transpose.sm_90.cubin");
  const file = made("diff", "diff", cubin, cubin, "--kernel", "transpose", "--after-kernel", "transpose_padded", "--grid", "64,64", "--block", "32,8", "--arg", "buf:16M:f32", "--arg", "buf:16M:undef", "--arg", "i32:2048", "--machine", "h200");
  const tab = await page(file);
  const { diff } = await documents(tab);
  const ratio = diff.kernels[0].time_ratio;
  assert.ok(ratio < 0.7);
  assert.match(await text(tab, ".kernel-diff .hero"), new RegExp(`${(1 / ratio).toFixed(2)}× faster`));
  assert.deepEqual(tab.problems, []);
  await tab.close();
});
