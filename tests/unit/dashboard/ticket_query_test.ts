import assert from "node:assert/strict";
import { foundParts, ticketsUrl } from "svc/dashboard/state/ticket_query.ts";

Deno.test("ticketsUrl asks by the names of the API, and for nothing that is empty", () => {
  assert.equal(
    ticketsUrl({ q: " tide table ", state: "", repo: "r-1" }, { limit: "50" }),
    "/api/tickets?search=tide+table&repo_id=r-1&limit=50",
  );
  assert.equal(ticketsUrl({}), "/api/tickets?");
});

Deno.test("foundParts marks the words that were looked for, whatever their case and signs", () => {
  const marked = (text: string, query: string) =>
    foundParts(text, query).map((part) => part.found ? `[${part.text}]` : part.text).join("");
  assert.equal(marked("Keep the Tide table", "tide TABLE"), "Keep the [Tide] [table]");
  assert.equal(marked("a.b (c) a-b", ".b (c a-"), "a[.b] [(c]) [a-]b");
  assert.equal(marked("uploads", "upload up"), "[upload]s");
  assert.equal(marked("nothing", ""), "nothing");
  assert.equal(marked("سفينة في الميناء", "الميناء"), "سفينة في [الميناء]");
});
