/** The lines of `svc start --json`: the first says where it listens, and each event has its declared shape. */
import assert from "node:assert/strict";
import { z } from "zod";
import { EventLines, streamShape } from "svc/cli/service/event_lines.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import { EVENT_TYPES } from "svc/features/telemetry/event_table.ts";
import { EVENT_SHAPES } from "svc/features/telemetry/event_shapes.ts";
import { verifies } from "tests/kit/verifies.ts";

const AT = 1_700_000_000_000;

function lines(wanted = true) {
  const written: string[] = [];
  const stdout = {
    terminal: false,
    columns: () => undefined,
    write: (t: string) => void written.push(t),
  };
  const redact = (text: string) => text.replaceAll("hush", "[redacted]");
  return { written, lines: new EventLines({ stdout, redact }, wanted) };
}

const event = (type: Event["type"], data: object, id = 1): Event => ({
  ...{ id, at: AT, type, repo_id: "r1", job_id: null, data: JSON.stringify(data) },
});

const STARTED = {
  ...{ ok: true, event: "started", shape: "start", profile: "host", repo: "/work/shop" } as const,
  ...{ dashboard_url: null, control_url: null, pid: 7, database: "/d.db" },
};

verifies(["4.5:start:json"], "events wait for the first line, and come in their order", () => {
  const { written, lines: told } = lines();
  told.hear(event("status_change", { state: "running" }, 1));
  assert.deepEqual(written, []);
  told.started(STARTED);
  told.hear(
    event("ticket_update", { repo_id: "r1", ticket_id: "T-0001", from: "backlog", to: "done" }, 2),
  );
  const read = written.map((line) => JSON.parse(line));
  assert.deepEqual(read.map(({ event }) => event), ["started", "status_change", "ticket_update"]);
  assert.ok(read.every((line) => line.ok === true && streamShape(z).safeParse(line).success));
  assert.equal(read[1].at, "2023-11-14T22:13:20.000Z");
});

verifies(["4.5:start:json"], "a line has no secret, and nothing in it acts on a terminal", () => {
  const { written, lines: told } = lines();
  told.started(STARTED);
  const reason = "hush \u001b]0;x\u0007 \u202e\n\u2028";
  told.hear(event("status_change", { state: "paused", claims: "paused", reason }));
  assert.equal(written.length, 2);
  assert.doesNotMatch(written[1]!.trimEnd(), /hush|\p{Cc}|\p{Cf}|\u2028/u);
  assert.equal(JSON.parse(written[1]!).data.reason.replace("[redacted]", "hush"), reason);
});

Deno.test("without --json nothing is written", () => {
  const { written, lines: told } = lines(false);
  told.started(STARTED);
  told.hear(event("status_change", { state: "running" }));
  assert.deepEqual(written, []);
});

Deno.test("each type of event is declared", () => {
  assert.deepEqual(Object.keys(EVENT_SHAPES).toSorted(), [...EVENT_TYPES].toSorted());
});
