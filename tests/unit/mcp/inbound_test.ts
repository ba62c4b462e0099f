import assert from "node:assert/strict";
import { inbound } from "svc/mcp/inbound.ts";
import { openRequests } from "svc/mcp/open_requests.ts";

interface Reply {
  readonly id: number | null;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client's lines, what went on to the server, and what was answered at once. */
function client(revision = "2025-06-18") {
  const delivered: string[] = [];
  const sent: (Reply | readonly Reply[])[] = [];
  const givenUp: unknown[] = [];
  const faults: string[] = [];
  const open = openRequests();
  const take = inbound({
    open,
    out: { send: (message) => void sent.push(message as Reply) },
    revision: () => revision,
    deliver: (message) => void delivered.push("id" in message ? String(message.id) : "notice"),
    giveUp: (id) => void givenUp.push(id),
    fault: (why) => void faults.push(why),
  });
  return {
    delivered,
    sent,
    givenUp,
    faults,
    open,
    say: (value: unknown) => take({ text: JSON.stringify(value) }),
  };
}

const ask = (id: number, method = "tools/list") => ({ jsonrpc: "2.0", id, method });

Deno.test("an id names one open request, and is free again once it is answered", () => {
  const { delivered, sent, open, say } = client();
  say(ask(1));
  say(ask(1));
  assert.deepEqual(delivered, ["1"]);
  const [refused] = sent as Reply[];
  // Its own answer must not be taken for that of the first.
  assert.equal(refused!.id, null);
  assert.match(refused!.error!.message, /Another open request/);
  open.settle(1, {});
  say(ask(1));
  assert.deepEqual(delivered, ["1", "1"]);
});

Deno.test("who asks on and on without reading is told to wait", () => {
  const { delivered, sent, open, say } = client();
  for (let id = 1; id <= 257; id++) say(ask(id));
  assert.equal(delivered.length, 256);
  const [refused] = sent as Reply[];
  assert.deepEqual([sent.length, refused!.id], [1, 257]);
  assert.match(refused!.error!.message, /wait for some/);
  open.settle(1, {});
  say(ask(258));
  assert.equal(delivered.at(-1), "258");
});

Deno.test("what the SDK would take for no request, and never answer, is refused and told as a fault", () => {
  const { delivered, sent, faults, say } = client();
  say({ ...ask(1, "ping"), params: { _meta: 5 } });
  const [{ id, error }] = sent as [Reply];
  assert.deepEqual([delivered, id, error!.code], [[], 1, -32602]);
  assert.deepEqual(faults, [error!.message]);
});

Deno.test("a cancelled request is given up once, and one that is not open never", () => {
  const { delivered, givenUp, say } = client();
  const notify = (method: string, requestId: number) =>
    say({ jsonrpc: "2.0", method: `notifications/${method}`, params: { requestId } });
  notify("cancelled", 1);
  say(ask(1));
  notify("progress", 1);
  notify("cancelled", 1);
  assert.deepEqual(givenUp, [1]);
  assert.deepEqual(delivered, ["notice", "1", "notice", "notice"]);
});

Deno.test("batches are for revisions that have them, and hold no beginning", () => {
  const now = client();
  now.say([ask(1)]);
  assert.deepEqual(now.delivered, []);
  assert.match((now.sent[0] as Reply).error!.message, /one message a line/);
  const before = client("2025-03-26");
  before.say([ask(1, "initialize")]);
  assert.deepEqual(before.delivered, []);
  const [[refused]] = before.sent as [readonly Reply[]];
  assert.match(refused!.error!.message, /no part of a batch/);
  before.say([ask(2), ask(3)]);
  assert.deepEqual(before.delivered, ["2", "3"]);
});
