// node build.mjs FOLDER: bundles the report into FOLDER/main.js and FOLDER/main.css.
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  logLevel: "warning",
  legalComments: "none",
  outdir: process.argv[2] ?? "dist",
});
