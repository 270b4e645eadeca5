// The views of a launch: what they show is what the JSON says, and they lead to one another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, documents, page, text } from "./browser.mjs";
import { altered, json, report, run } from "./reports.mjs";

let advise, explain;
before(() => {
  advise = report("advise");
  explain = report("explain", "--ladder", "--what-if", "shared.bandwidth=2x");
});
after(close);

const percent = (share) => `${(100 * share).toFixed(1)} %`;

test("the data of a report is that of --json", async () => {
  const tab = await page(explain);
  const { explain: shown } = await documents(tab);
  const said = json("explain", "--ladder", "--what-if", "shared.bandwidth=2x");
  assert.equal(shown.time_us, said.time_us);
  assert.deepEqual(shown.sensitivity, said.sensitivity);
  assert.deepEqual(shown.bounds, said.bounds);
  assert.deepEqual(shown.occupancy_ladder, said.occupancy_ladder);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("the numbers shown are those of the data", async () => {
  const tab = await page(explain);
  const { predict, explain: why } = await documents(tab);
  assert.equal(await text(tab, "#predicted"), `${predict.time_us.toFixed(1)} µs`);
  assert.equal(await text(tab, "#sentence"), why.sentence);
  // Every stall of at least 0.2 %, and what is issued; together they are the whole.
  const rows = await tab.locator("#stall-table tbody tr").evaluateAll((all) => all.map((row) => row.querySelector("td.number").textContent));
  const shares = [predict.issued_share, ...Object.values(predict.stalls)].filter((share) => share >= 0.002).sort((a, b) => b - a);
  assert.deepEqual(rows, shares.map(percent));
  const sensitivities = await tab.locator("#sensitivity-table tbody tr td.number").allInnerTexts();
  assert.deepEqual(sensitivities, why.sensitivity.filter((row) => row.share > Math.max(0.01, 2 * row.uncertainty)).map((row) => percent(row.share)));
  assert.match(await text(tab, "#what-if"), new RegExp(`${why.what_if[0].speedup.toFixed(2)}×`));
  assert.equal(await tab.locator("#ladder circle").count(), why.occupancy_ladder.length);
  const bound = await text(tab, "#bounds tbody tr");
  assert.ok(bound.includes(`${why.bounds[0].time_us.toFixed(1)} µs`), bound);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("the interval of a prediction, and when to measure instead", async () => {
  const tab = await page(explain);
  const { predict } = await documents(tab);
  const { low_us, high_us, defer } = predict.certainty;
  assert.ok((await text(tab, "#interval")).startsWith(`${low_us.toFixed(1)} to ${high_us.toFixed(1)} µs for 80 %`), await text(tab, "#interval"));
  assert.equal(await tab.locator("#interval .band").count(), 1);
  assert.equal(await tab.locator("#defer").count(), defer ? 1 : 0);
  await tab.close();
  const doubtful = altered(explain, "defer.html", (data) => {
    const document = data.views[0].find((each) => each.schema.startsWith("burin.predict"));
    document.certainty = { ...document.certainty, defer: true, reason: "34 % of the time depends on Unknown values" };
    document.recorded_us = 2 * high_us;
    return data;
  });
  const other = await page(doubtful);
  assert.match(await text(other, "#defer"), /Measure this launch instead: 34 % of the time depends on Unknown values/);
  assert.match(await text(other, ".times"), /outside the interval/);
  assert.equal(await other.locator("#interval .point").count(), 1);
  assert.deepEqual(other.problems, []);
  await other.close();
});

test("a click on finding 1 highlights its line and its cause", async () => {
  const tab = await page(advise);
  const { advise: said } = await documents(tab);
  const finding = said.findings[0];
  await tab.locator("#findings .finding button.jump").first().click();
  assert.equal(await tab.locator("#tab-code").getAttribute("aria-selected"), "true");
  const row = (offset) => tab.locator(`.sass-row[data-instruction="${offset / 16}"]`);
  assert.match(await row(finding.where.offset).getAttribute("class"), /selected/);
  assert.match(await row(finding.cause.offset).getAttribute("class"), /cause/);
  assert.equal(await tab.locator(".source-row.selected").getAttribute("data-line"), String(finding.where.line));
  assert.ok(await row(finding.where.offset).isVisible());
  // The second one waits for another instruction: an arrow leads there.
  const second = said.findings.find((each) => each.where.offset !== each.cause.offset);
  await tab.locator(`.rail button[data-finding="${said.findings.indexOf(second) + 1}"]`).click();
  assert.match(await row(second.where.offset).getAttribute("class"), /selected/);
  if ((await row(second.cause.offset).count()) > 0) assert.match(await row(second.cause.offset).getAttribute("class"), /cause/);
  else assert.match(await tab.locator(".arrow-label").allTextContents().then(String), new RegExp(second.cause.offset.toString(16)));
  assert.ok((await tab.locator(".arrows path.arrow.main").count()) > 0);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("source and SASS lead to one another", async () => {
  const tab = await page(advise, { hash: "code" });
  const { code } = await documents(tab);
  const line = 22;
  await tab.locator(`.source-row[data-line="${line}"]`).click();
  const marked = await tab.locator(".sass-row.marked").evaluateAll((rows) => rows.map((row) => Number(row.dataset.instruction)));
  assert.ok(marked.length > 0);
  for (const i of marked) {
    const place = code.places[code.place[i]];
    assert.ok([place.line, ...(place.chain ?? []).map((call) => call[1])].includes(line), `instruction ${i}`);
  }
  const share = await text(tab, `.source-row[data-line="${line}"] .share`);
  const { predict } = await documents(tab);
  assert.equal(share, percent(predict.lines.find((each) => each.line === line).share));
  // A store of the line before the barrier, by its row.
  const store = code.text.findIndex((each) => each.startsWith("STS"));
  await tab.locator(`.sass-row[data-instruction="${store}"]`).click();
  assert.equal(await tab.locator(".source-row.selected").getAttribute("data-line"), String(code.places[code.place[store]].line));
  assert.ok((await text(tab, ".detail header code")).startsWith("STS"));
  await tab.close();
});

test("the keyboard alone is enough", async () => {
  const tab = await page(advise);
  await tab.keyboard.press("2");
  assert.equal(await tab.locator("#tab-code").getAttribute("aria-selected"), "true");
  await tab.locator(".sass .virtual").focus();
  await tab.keyboard.press("Home");
  await tab.keyboard.press("ArrowDown");
  assert.equal(await tab.locator(".sass-row.selected").getAttribute("data-instruction"), "1");
  await tab.keyboard.press("n");
  const hot = Number(await tab.locator(".sass-row.selected").getAttribute("data-instruction"));
  assert.ok(hot > 1);
  await tab.keyboard.press("/");
  await tab.keyboard.type("BAR.SYNC");
  await tab.keyboard.press("Enter");
  assert.ok((await text(tab, ".detail header code")).startsWith("BAR"));
  await tab.keyboard.press("Escape");
  await tab.locator("#tab-code").focus();
  await tab.keyboard.press("ArrowRight");
  assert.equal(await tab.locator("#tab-timeline").getAttribute("aria-selected"), "true");
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("the timeline has every cycle of its warps once", async () => {
  const tab = await page(explain, { hash: "timeline" });
  const { timeline, code } = await documents(tab);
  const ends = new Map();
  let issues = 0;
  for (const [warp, from, cycles, instruction, stall] of timeline.intervals) {
    assert.ok(cycles > 0 && from >= 0 && from + cycles <= timeline.until - timeline.from);
    assert.ok(instruction < code.instructions && stall < code.reasons.length);
    if (ends.has(warp)) assert.ok(from >= ends.get(warp), `warp ${warp} at ${from}`);
    ends.set(warp, from + cycles);
    issues += stall < 0 ? 1 : 0;
  }
  assert.ok(issues > 100);
  // A scheduler issues at most once in a cycle.
  const slots = new Set();
  for (const [warp, from, , , stall] of timeline.intervals) {
    if (stall >= 0) continue;
    const slot = `${timeline.scheduler[warp]}:${from}`;
    assert.ok(!slots.has(slot), slot);
    slots.add(slot);
  }
  const box = await tab.locator("canvas").boundingBox();
  await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 4);
  await tab.mouse.move(box.x + box.width / 2 + 3, box.y + 60);
  await tab.waitForSelector(".tip:not([hidden])");
  assert.match(await text(tab, ".tip"), /block \d+, warp \d+/);
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("it reads in the dark, on a narrow screen and on paper", async () => {
  for (const options of [{ theme: "dark" }, { width: 400, height: 800 }]) {
    for (const hash of ["overview", "code", "timeline"]) {
      const tab = await page(advise, { ...options, hash });
      const overflow = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${hash} is ${overflow} pixels too wide at ${options.width ?? 1440}`);
      assert.deepEqual(tab.problems, []);
      await tab.close();
    }
  }
  const tab = await page(advise);
  const pdf = await tab.pdf({ format: "A4", printBackground: true });
  assert.ok(pdf.length > 20000);
  await tab.close();
});

test("the trace is what Perfetto reads", async () => {
  const { events, threads } = await import("node:fs").then(({ readFileSync }) => {
    const file = `${explain}.trace.json`;
    run("predict", "examples/transpose.sm_90.cubin", "--kernel", "transpose", "--grid", "64,64", "--block", "32,8", "--arg", "buf:16M:f32", "--arg", "buf:16M:undef", "--arg", "i32:2048", "--machine", "h200", "--trace", file);
    const all = JSON.parse(readFileSync(file, "utf8")).traceEvents;
    return { events: all.filter((event) => event.ph === "X"), threads: all.filter((event) => event.name === "thread_name") };
  });
  assert.ok(events.length > 1000 && threads.length >= 32);
  for (const event of events) assert.ok(event.dur > 0 && Number.isInteger(event.ts) && Number.isInteger(event.tid));
});
