/** Texts of tickets that no cache holds are read once for all who search for the same words. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { unheldTexts } from "svc/runtime/views/unheld_texts.ts";
import type { ViewPorts } from "svc/runtime/views/view_ports.ts";

const TEXTS = ["the pump", "the crane and the pump", "held, not read"];
const paths = TEXTS.map((_, nth) => `docs/tickets/backlog/T-${nth}.md`);

function filesOf() {
  return {
    tickets: paths.map((path) => ({ path }) as Ticket),
    texts: {
      text: (path: string) => path === paths[2] ? TEXTS[2] : undefined,
      foldedText: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
    },
  };
}

/** Reads the texts above, and writes down what was asked for. */
function reader() {
  const asked: string[][] = [];
  let fault: Failure | undefined;
  const readTree: ViewPorts["readTree"] = async (plan, take) => {
    asked.push([...plan.paths]);
    await undefined;
    if (fault !== undefined) throw fault;
    for (const path of plan.paths) {
      await take(path, new TextEncoder().encode(TEXTS[paths.indexOf(path)]), "");
    }
  };
  return { readTree, asked, fail: (why: Failure | undefined) => fault = why };
}

const row = { path: "/work/harbor" };

Deno.test("searches for the same words read the texts once, also those that come at the same time", async () => {
  const { readTree, asked } = reader();
  const files = filesOf();
  const look = (words: string[]) => unheldTexts({ readTree }, { row, files }, words);
  const found = await Promise.all([look(["pump", "crane"]), look(["pump", "crane"])]);
  assert.deepEqual(asked, [[paths[0], paths[1]]]);
  for (const one of [...found, await look(["pump", "crane"])]) {
    assert.deepEqual([...one], [[paths[0], "pump"], [paths[1], "pump\ncrane"]]);
  }
  assert.equal(asked.length, 1);
  await look(["crane"]);
  assert.equal(asked.length, 2);
});

Deno.test("files that were read anew are searched anew, and old searches are let go of", async () => {
  const { readTree, asked } = reader();
  const files = filesOf();
  await unheldTexts({ readTree }, { row, files }, ["pump"]);
  await unheldTexts({ readTree }, { row, files: filesOf() }, ["pump"]);
  assert.equal(asked.length, 2);
  for (const word of ["a", "b", "c", "d"]) await unheldTexts({ readTree }, { row, files }, [word]);
  await unheldTexts({ readTree }, { row, files }, ["pump"]);
  assert.equal(asked.length, 7);
});

Deno.test("a search that failed is made again", async () => {
  const { readTree, asked, fail } = reader();
  const files = filesOf();
  const look = () => unheldTexts({ readTree }, { row, files }, ["pump"]);
  fail(new Failure("environment", "Cannot read docs/tickets"));
  await assert.rejects(look(), (thrown: Failure) => thrown.code === "environment");
  fail(undefined);
  assert.equal((await look()).size, 2);
  assert.equal(asked.length, 2);
});
