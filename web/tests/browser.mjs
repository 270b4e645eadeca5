// Headless Chromium for the tests: Debian's package, or the program that CHROMIUM names.
import { existsSync, readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { chromium } from "playwright-core";

const kPlaces = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

let browser;
export async function open() {
  const executablePath = kPlaces.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("no Chromium found: install the package chromium, or name it with CHROMIUM=");
  browser ??= await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  return browser;
}
export const close = async () => browser?.close();

// A page of a report that fails the test on any error, and on any request beyond the file itself.
export async function page(file, { hash = "", theme = "light", width = 1440, height = 900 } = {}) {
  const tab = await (await open()).newPage({ viewport: { width, height }, colorScheme: theme });
  const problems = [];
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  tab.on("pageerror", (error) => problems.push(error.message));
  tab.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  tab.on("request", (request) => {
    if (!request.url().startsWith(`file://${file}`) && !request.url().startsWith("data:")) problems.push(`request: ${request.url()}`);
  });
  await tab.goto(`file://${file}${hash ? `#${hash}` : ""}`);
  await tab.waitForSelector(".top");
  tab.problems = problems;
  return tab;
}

// The page's own decoding of long columns.
const source = transformSync(readFileSync(new URL("../src/decode.ts", import.meta.url), "utf8"), { loader: "ts" }).code;
export const { decodeCode, decodeTimeline } = await import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);

// The documents of a view, by the name of their schema.
export async function documents(tab, view = 0) {
  const data = JSON.parse(await tab.locator("#data").textContent());
  const found = Object.fromEntries(data.views[view].map((document) => [document.schema.split(/[./]/)[1], document]));
  if (found.code) found.code = decodeCode(found.code);
  if (found.timeline) found.timeline = decodeTimeline(found.timeline);
  return found;
}

export const text = async (tab, selector) => (await tab.locator(selector).first().innerText()).trim();
