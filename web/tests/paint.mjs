// node paint.mjs REPORT.html…: the time to first paint of each report in milliseconds, the best of
// three, as JSON.
import { resolve } from "node:path";
import { close, page } from "./browser.mjs";

// Of a page that is open; a busy machine may paint it later than it is ready.
export async function paintOf(tab) {
  const entry = await tab.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  return entry.jsonValue();
}

export async function firstPaint(file, options) {
  let best = Infinity;
  for (let k = 0; k < 3; ++k) {
    const tab = await page(file, options);
    best = Math.min(best, await paintOf(tab));
    await tab.close();
  }
  return best;
}

if (process.argv[1]?.endsWith("paint.mjs")) {
  const found = [];
  for (const file of process.argv.slice(2)) found.push({ file, first_paint_ms: await firstPaint(resolve(file)) });
  await close();
  console.log(JSON.stringify(found));
}
