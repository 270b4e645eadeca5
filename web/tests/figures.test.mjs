// Size and speed: the transpose example, and a kernel of 20,000 instructions made from it.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { close, page } from "./browser.mjs";
import { firstPaint } from "./paint.mjs";
import { altered, report } from "./reports.mjs";

const kInstructions = 20000;
const kMegabyte = 1e6;

let small, large;
before(() => {
  small = report("explain", "--ladder");
  large = altered(small, "large.html", (data) => {
    const view = data.views[0];
    const code = view.find((document) => document.schema.startsWith("burin.code"));
    const again = (column) => Array.from({ length: kInstructions }, (_, i) => column[i % column.length]);
    const n = code.instructions;
    for (const key of ["text", "control"]) code[key] = again(code[key]);
    // Columns of differences: the first element of a copy leads back to its start.
    const sum = (column) => column.reduce((all, each) => all + each, 0);
    for (const key of ["live", "place"]) {
      const back = sum(code[key]);
      code[key] = again(code[key]).map((value, i) => (i > 0 && i % n === 0 ? value - back : value));
    }
    const copies = Math.floor(kInstructions / n);
    for (const profile of code.profiles) {
      profile.issued = again(profile.issued);
      for (const rows of [profile.stalls, profile.causes]) {
        const back = sum(rows.instruction);
        for (const key of Object.keys(rows)) {
          const once = rows[key];
          rows[key] = Array.from({ length: copies }, (_, k) => once.map((value, at) => (key === "instruction" && k > 0 && at === 0 ? value + n - back : value))).flat();
        }
      }
    }
    code.loops = Array.from({ length: 50 }, (_, k) => ({ first: 400 * k + 10, last: 400 * k + 300, depth: 1, parent: null, instructions: 291 }));
    code.instructions = kInstructions;
    return data;
  });
});
after(close);

test("a report is small", async (t) => {
  const size = statSync(small).size;
  assert.ok(size < 3 * kMegabyte, `${size} bytes`);
  const paint = await firstPaint(small);
  t.diagnostic(`transpose: ${(size / kMegabyte).toFixed(2)} MB, first paint after ${paint.toFixed(0)} ms`);
});

test("of 20,000 instructions only those in sight are drawn", async (t) => {
  const size = statSync(large).size;
  assert.ok(size < 3 * kMegabyte, `${size} bytes`);
  const paint = await firstPaint(large, { hash: "code" });
  const tab = await page(large, { hash: "code" });
  assert.ok((await tab.locator(".sass-row").count()) < 200, "only rows in sight exist");
  const worst = await tab.evaluate(async () => {
    const list = document.querySelector(".sass .virtual");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const frames = [];
    await frame();
    let before = performance.now();
    for (let k = 0; k < 120; ++k) {
      list.scrollTop += 370;
      await frame();
      const now = performance.now();
      frames.push(now - before);
      before = now;
    }
    frames.sort((a, b) => a - b);
    return { median: frames[60], most: frames[117] };
  });
  t.diagnostic(`${(size / kMegabyte).toFixed(2)} MB, first paint after ${paint.toFixed(0)} ms; scrolling: ${worst.median.toFixed(1)} ms per frame, 98 % below ${worst.most.toFixed(1)} ms`);
  await tab.locator(".sass .virtual").focus();
  await tab.keyboard.press("End");
  assert.equal(await tab.locator(".sass-row.selected").getAttribute("data-instruction"), String(kInstructions - 1));
  assert.ok(await tab.locator(".sass-row.selected").isVisible());
  await tab.keyboard.press("Home");
  await tab.locator(".loop-row button").first().click();
  assert.equal(await tab.locator(".loop-row button").first().getAttribute("aria-expanded"), "false");
  assert.equal(await tab.locator('.sass-row[data-instruction="11"]').count(), 0, "folded");
  assert.deepEqual(tab.problems, []);
  await tab.close();
});
