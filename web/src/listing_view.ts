// What `burin serve` has, and its pages kept up to date.
import { card, h } from "./dom";
import { bytes, count } from "./format";
import type { Listing } from "./kinds";

const kEvery = 2000; // milliseconds between two questions

export function listingView(listing: Listing): HTMLElement {
  const rows = listing.items.map((item) =>
    h(
      "tr",
      { "data-kind": item.kind },
      h("td", {}, h("a", { href: `${item.kind === "report" ? "report" : "view"}?name=${encodeURIComponent(item.name)}` }, item.name)),
      h("td", {}, item.kind, item.memory ? h("span", { class: "private" }, "contains memory contents, which may be private") : null),
      h("td", { class: "number" }, bytes(item.bytes)),
      h("td", { class: "number" }, new Date(item.modified_ms).toLocaleString("sv-SE")),
    ),
  );
  return h(
    "div",
    { class: "overview" },
    card(
      "Files",
      `${count(listing.items.length)} captures, tuning sessions and reports, newest first. The page follows while files change.`,
      { class: "wide", id: "files" },
      rows.length > 0
        ? h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "name"), h("th", { scope: "col" }, "kind"), h("th", { scope: "col", class: "number" }, "size"), h("th", { scope: "col", class: "number" }, "changed"))), h("tbody", {}, rows))
        : h("p", { class: "empty" }, "Nothing yet: burin record and burin tune --session write here."),
    ),
  );
}

// Loads the page again when its server has something newer; a server that is gone is asked again.
export function follow(live: string, version: string): void {
  const ask = async (): Promise<void> => {
    try {
      const reply = await fetch(live, { cache: "no-store" });
      if (reply.ok && (await reply.text()) !== version && !document.hidden) return location.reload();
      document.body.toggleAttribute("data-lost", !reply.ok);
    } catch {
      document.body.toggleAttribute("data-lost", true);
    }
    setTimeout(() => void ask(), kEvery);
  };
  setTimeout(() => void ask(), kEvery);
}
