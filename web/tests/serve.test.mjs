// burin serve in the browser: the listing follows the folder, and reports run apart.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, open } from "./browser.mjs";
import { burin, folder, report, root } from "./reports.mjs";

const capture = join(root, "tests/data/capture/h200/spmv_vector.burin");
const served = join(folder, "served");
let server, address;

before(async () => {
  mkdirSync(served, { recursive: true });
  copyFileSync(capture, join(served, `a"><img src=x onerror=alert(1)>.burin`));
  copyFileSync(report("explain"), join(served, "transpose.html"));
  server = spawn(burin, ["serve", served]);
  address = await new Promise((done, fail) => {
    let said = "";
    server.stdout.on("data", (part) => {
      said += part;
      const found = said.match(/http:\S+\//);
      if (found) done(found[0]);
    });
    server.stderr.on("data", (part) => (said += part));
    server.on("exit", () => fail(new Error(said)));
  });
});
after(async () => {
  server?.removeAllListeners("exit");
  server?.kill();
  await close();
});

async function visit(path) {
  const tab = await (await open()).newPage();
  tab.problems = [];
  tab.on("console", (message) => message.type() === "error" && tab.problems.push(message.text()));
  tab.on("pageerror", (error) => tab.problems.push(error.message));
  tab.on("dialog", (dialog) => {
    tab.problems.push(dialog.message());
    void dialog.dismiss();
  });
  await tab.goto(address + path);
  await tab.waitForSelector(".top");
  return tab;
}

test("the listing follows the folder, and names are text", async () => {
  const tab = await visit("");
  assert.equal(await tab.locator("#files tbody tr").count(), 2);
  assert.equal(await tab.locator("img").count(), 0);
  assert.match(await tab.locator("#files").innerText(), /may be private/);
  copyFileSync(capture, join(served, "second.burin"));
  await tab.waitForSelector("#files tbody tr:nth-child(3)", { timeout: 15000 });
  assert.deepEqual(tab.problems, []);
  await tab.locator("#files a", { hasText: "second.burin" }).click();
  await tab.waitForSelector("#shares");
  assert.deepEqual(tab.problems, []);
  await tab.close();
});

test("a report from the folder runs, but cannot read from the server", async () => {
  const tab = await visit("report?name=transpose.html");
  assert.ok((await tab.locator("#predicted").innerText()).includes("µs"));
  const read = await tab.evaluate(async (url) => {
    try {
      return (await fetch(url)).status;
    } catch {
      return "refused";
    }
  }, `${address}version`);
  assert.equal(read, "refused");
  await tab.close();
});

test("other names and sites are refused", async () => {
  const port = new URL(address).port;
  for (const headers of [{ Host: "evil.example" }, { Host: `127.0.0.1:${port}`, Origin: "http://evil.example" }]) {
    const { request } = await import("node:http");
    const status = await new Promise((done) => request({ host: "127.0.0.1", port, path: "/", headers }, (reply) => done(reply.statusCode)).end());
    assert.equal(status, 403);
  }
});
