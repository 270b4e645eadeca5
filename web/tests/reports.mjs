// The reports that the tests look at, made by the real burin (BURIN names it).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const burin = resolve(process.env.BURIN ?? join(root, "build/burin"));
export const folder = mkdtempSync(join(tmpdir(), "burin-web-"));

const transpose = [
  join(root, "examples/transpose.sm_90.cubin"), "--kernel", "transpose", "--grid", "64,64", "--block", "32,8",
  "--arg", "buf:16M:f32", "--arg", "buf:16M:undef", "--arg", "i32:2048", "--machine", "h200",
];

export const run = (...args) => execFileSync(burin, args, { encoding: "utf8", maxBuffer: 1 << 28, cwd: root });

// Makes a report of the transpose example and returns its path.
export function report(command, ...options) {
  const file = join(folder, `${command}.html`);
  run(command, ...transpose, ...options, "--html", file, "--force");
  return file;
}
export const json = (command, ...options) => JSON.parse(run(command, ...transpose, ...options, "--json"));

// A report with other data in the page of `from`, written as burin writes it.
export function altered(from, name, change) {
  const page = readFileSync(from, "utf8");
  const start = page.indexOf(">", page.indexOf('id="data"')) + 1;
  const end = page.indexOf("</script>", start);
  const data = change(JSON.parse(page.slice(start, end)));
  const file = join(folder, name);
  writeFileSync(file, page.slice(0, start) + JSON.stringify(data).replaceAll("<", "\\u003c") + page.slice(end));
  return file;
}
