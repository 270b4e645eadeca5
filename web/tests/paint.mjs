// node paint.mjs REPORT.html…: the time to first paint of each report in milliseconds, the best of
// three, and of the code view's scrolling per frame, as JSON.
import { resolve } from "node:path";
import { close, page } from "./browser.mjs";

export async function firstPaint(file, options) {
  let best = Infinity;
  for (let k = 0; k < 3; ++k) {
    const tab = await page(file, options);
    best = Math.min(best, await tab.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
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
