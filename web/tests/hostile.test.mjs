// Names, paths and source lines come from binaries and captures that anybody may have made: they
// are shown as text, whatever they contain.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, page, text } from "./browser.mjs";
import { altered, report } from "./reports.mjs";

const kHostile = [
  `</script><script>alert(1)</script>`, `<img src=x onerror="alert(2)">`, `"><svg onload=alert(3)>`, `'); alert(4); ('`,
  `<!--`, `]]>`, `\u2028alert(5)\u2029`, `javascript:alert(6)`, `{{constructor.constructor('alert(7)')()}}`, `${"A".repeat(5000)}<b>`, `\u0000\u0007\u001b[31m`, `\u202egnp.exe`,
];

let made;
before(() => {
  made = report("advise");
});
after(close);

test("hostile text stays text", async () => {
  for (const [k, name] of kHostile.entries()) {
    const file = altered(made, `hostile${k}.html`, (data) => {
      for (const document of data.views[0]) {
        for (const key of ["kernel", "demangled", "file", "machine", "limit", "sentence"]) if (key in document) document[key] = name;
        if (document.schema.startsWith("burin.code")) {
          document.texts = document.texts.map(() => name);
          document.places.functions = document.places.functions.map(() => name);
          document.files = document.files.map((each) => ({ ...each, path: `/x/${name}`, parts: each.parts.map((part) => ({ ...part, text: part.text.map(() => name) })) }));
          document.loops = [{ first: 2, last: 5, depth: 1, parent: null, instructions: 4, file: name, lines: [1, 2] }];
        }
        if (document.schema.startsWith("burin.advise")) {
          for (const finding of document.findings) {
            Object.assign(finding, { rule: name, text: name, hint: name, trust: name });
            finding.where.source = name;
            finding.where.file = name;
          }
          document.notes = [name];
        }
      }
      return data;
    });
    for (const hash of ["overview", "code", "timeline"]) {
      const tab = await page(file, { hash });
      assert.deepEqual(tab.problems, [], name);
      assert.equal(await tab.locator("img, iframe, object, embed, #app script, #app a[href^=javascript]").count(), 0, name);
      assert.ok((await text(tab, "h1")).length > 0);
      await tab.close();
    }
  }
});

test("data that is cut or strange does not break the page", async () => {
  const changes = {
    "no profile": (code) => ({ ...code, profiles: [] }),
    "no lines": (code) => ({ ...code, place: code.place.map((_, i) => (i === 0 ? -1 : 0)), places: { file: [], line: [], chains: [], calls: [], functions: [] }, files: [] }),
    "no accesses": (code) => ({ ...code, accesses: undefined }),
    "one instruction": (code) => ({ ...code, instructions: 1, profiles: [], loops: [] }),
  };
  for (const [name, change] of Object.entries(changes)) {
    const file = altered(made, `${name.replace(" ", "-")}.html`, (data) => {
      data.views[0] = data.views[0].filter((document) => !document.schema.startsWith("burin.advise") && !document.schema.startsWith("burin.timeline")).map((document) => (document.schema.startsWith("burin.code") ? change(document) : document));
      return data;
    });
    for (const hash of ["overview", "code"]) {
      const tab = await page(file, { hash });
      assert.deepEqual(tab.problems, [], name);
      await tab.close();
    }
  }
});
