import assert from "node:assert/strict";
import type { ModelFaultKind, ModelReply } from "svc/features/models/client/model.ts";
import { MODEL_FAULTS } from "svc/features/models/client/model.ts";
import { FAILURE_CATEGORIES } from "svc/core/disposition.ts";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { BAD_MODES } from "tests/kit/model_endpoint_faults.ts";
import { ask, client, faultOf, hastyClock, QUESTION, SHORT } from "./asking.ts";

const PATIENT = { ...SHORT, idleMs: 60_000, totalMs: 60_000 };

/** Ms that all pauses between the tries of one request take together at most: 2, 4, 8 and 16 s. */
const PAUSES_MS = 30_000;

/** What each bad mode comes to: a fault, and whether it was asked for again. */
const FAULTS: Readonly<Record<string, readonly [ModelFaultKind, tries: number]>> = {
  hang: ["idle", 1],
  hang_after_headers: ["idle", 1],
  stall_in_text: ["idle", 1],
  slow_bytes: ["idle", 1],
  half_json: ["protocol", 5],
  broken_event: ["protocol", 5],
  half_body: ["protocol", 5],
  no_done: ["protocol", 5],
  empty_finish: ["protocol", 5],
  reset: ["unreachable", 5],
  no_choices: ["protocol", 5],
  error_in_stream: ["server", 5],
  error_as_events: ["server", 5],
  http_500: ["server", 5],
  http_503: ["server", 5],
  html_502: ["server", 5],
  retry_after_seconds: ["rate_limited", 5],
  retry_after_date: ["rate_limited", 5],
  retry_after_ms: ["rate_limited", 5],
  retry_after_long: ["rate_limited", 1],
  http_401: ["auth", 1],
  http_402: ["quota", 1],
  insufficient_quota: ["quota", 1],
  content_filter: ["bad_request", 1],
  filtered_prompt: ["bad_request", 1],
  model_404: ["not_found", 1],
  context_length: ["context_overflow", 1],
  context_llama: ["context_overflow", 1],
  wrong_type: ["protocol", 1],
  html_page: ["protocol", 1],
  long_line: ["too_large", 1],
  endless: ["too_large", 1],
  endless_comments: ["too_large", 1],
  redirect: ["protocol", 1],
};

type Good = (reply: ModelReply) => void;
const whole: Good = ({ text, calls, usage }) => {
  assert.equal(text, "Grüße – all well");
  assert.deepEqual(calls, [{ id: "call_0_0", name: "look", args: '{"a":1}' }]);
  assert.ok(usage.tokensIn > 0);
};

/** Bad modes that a good client reads all the same. */
const READ: Readonly<Record<string, Good>> = {
  invalid_args: ({ calls }) => assert.equal(calls[0]!.args, '{"a": '),
  duplicate_ids: ({ calls }) => {
    assert.equal(calls.length, 2);
    assert.notEqual(calls[0]!.id, calls[1]!.id);
  },
  missing_ids: ({ calls }) => {
    assert.deepEqual(calls.map(({ args }) => args), ['{"a":1}', "{}"]);
    assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
    for (const { id } of calls) assert.match(id, /^[a-z0-9]{9}$/);
  },
  same_index: ({ calls }) => assert.deepEqual(calls.map(({ id }) => id), ["c1", "c2"]),
  legacy_call: ({ calls, end }) => {
    assert.deepEqual(calls.map(({ name, args }) => [name, args]), [["look", '{"a": 1}']]);
    assert.equal(end, "calls");
  },
  loops: ({ text, end, repeated }) => {
    assert.deepEqual([text, end, repeated], ["I look again.", "length", "text"]);
  },
  split_utf8: whole,
  bom: whole,
  crlf: whole,
  // The answer of a gateway that gives it another type, or none.
  events_as_json: whole,
  events_as_text: whole,
  events_as_page: whole,
  json_as_text: whole,
  json_as_events: whole,
  end_stalls: whole,
  end_lost: whole,
  done_with_blanks: whole,
  refusal: ({ text }) => assert.equal(text, "I cannot."),
  no_stream_options: ({ text, usage }) => {
    assert.equal(text, "Grüße – all well");
    assert.equal(usage.estimated, true);
  },
};

Deno.test("every bad mode of the fixture is either a typed fault or read all the same", () => {
  assert.deepEqual(
    [...Object.keys(FAULTS), ...Object.keys(READ)].sort(),
    Object.keys(BAD_MODES).sort(),
  );
  assert.ok(Object.keys(BAD_MODES).length >= 20);
});

for (const [bad, [kind, tries]] of Object.entries(FAULTS)) {
  Deno.test(`ask ends "${bad}" as ${kind}`, async () => {
    await using endpoint = modelEndpoint({ steps: [{ bad, always: true }] });
    const clock = hastyClock();
    // What ends by its size must not end by its time on a slow machine.
    const patient = kind === "too_large" && { clock: systemClock, limits: PATIENT };
    const fault = await faultOf(ask(endpoint.url, { clock, random: () => 0.9999, ...patient }));
    assert.equal(fault.kind, kind, fault.message);
    // Each try is bounded by the limits of its exchange, and the pauses between them so.
    assert.equal(clock.waits.length, tries - 1);
    assert.ok(clock.waits.reduce((sum, ms) => sum + ms, 0) <= PAUSES_MS, clock.waits.join());
    assert.ok(MODEL_FAULTS.includes(fault.kind));
    assert.ok(FAILURE_CATEGORIES.includes(fault.detail.category));
    assert.ok(
      fault.message.startsWith(`Cannot ask the model "fixture-model" at "${endpoint.url}": `),
    );
    assert.notEqual(fault.detail.remedy, "");
    assert.equal(endpoint.requests.length, tries);
  });
}

for (const [bad, check] of Object.entries(READ)) {
  Deno.test(`ask reads "${bad}"`, async () => {
    await using endpoint = modelEndpoint({ steps: [{ bad, always: true }] });
    check(await ask(endpoint.url));
  });
}

Deno.test("ask waits briefly for the end of an answer that is finished", async () => {
  await using endpoint = modelEndpoint({ steps: [{ bad: "end_stalls" }] });
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    sleep(ms: number, signal?: AbortSignal) {
      waits.push(ms);
      return systemClock.sleep(ms, signal);
    },
  };
  const limits = { ...SHORT, idleMs: 9000, totalMs: 9000, endMs: 60 };
  whole(await ask(endpoint.url, { clock, limits }));
  assert.ok(waits[0]! > 1000, "while it comes");
  assert.ok(waits.at(-1)! <= limits.endMs, waits.join());
});

for (const bad of ["content_filter", "filtered_prompt"]) {
  Deno.test(`ask says what to do about a content filter ("${bad}")`, async () => {
    await using endpoint = modelEndpoint({ steps: [{ bad }] });
    const fault = await faultOf(ask(endpoint.url));
    assert.match(fault.message, /content filter stopped the answer|filtered due to the prompt/);
    assert.match(fault.detail.remedy, /^Word the task in another way/);
  });
}

Deno.test("ask does not say of a server that cuts a connection off that it must be started", async () => {
  await using endpoint = modelEndpoint({ steps: [{ bad: "reset", always: true }] });
  const { message, detail } = await faultOf(ask(endpoint.url));
  assert.match(message, /the connection broke off$/);
  assert.match(detail.remedy, /the server's own log$/);
});

Deno.test("ask says that nothing listens at a closed port", async () => {
  const gone = modelEndpoint({});
  await gone[Symbol.asyncDispose]();
  const fault = await faultOf(ask(gone.url));
  assert.deepEqual([fault.kind, fault.detail.category], ["unreachable", "model_unreachable"]);
  assert.match(fault.message, /nothing listens there$/);
  assert.match(fault.detail.remedy, /^Start the model server/);
});

Deno.test("ask says that no client may use the port that fetch refuses", async () => {
  const fault = await faultOf(ask("http://127.0.0.1:1/v1"));
  assert.deepEqual([fault.kind, fault.detail.transient], ["unreachable", false]);
});

Deno.test("ask goes on after a 503 and a broken stream, and the watcher is told", async () => {
  await using endpoint = modelEndpoint({
    steps: [{ bad: "http_503" }, { bad: "no_done" }, { reply: { text: "here I am" } }],
  });
  let seen = "";
  const signal = new AbortController().signal;
  const reply = await client(endpoint.url).ask(QUESTION, {
    signal,
    onText: (delta) => seen += delta,
  });
  assert.equal(reply.text, "here I am");
  assert.match(seen, /^Gr.*\n\[the answer broke off; asking again\]\nhere I am$/s);
  assert.equal(endpoint.requests.length, 3);
});

Deno.test("ask waits as long as the provider wishes, and hands a longer wish to the queue", async () => {
  const clock = hastyClock();
  await using endpoint = modelEndpoint({
    steps: [{ bad: "retry_after_seconds" }, { bad: "retry_after_date" }, { reply: { text: "ok" } }],
  });
  assert.equal((await ask(endpoint.url, { clock })).text, "ok");
  assert.equal(clock.waits[0], 1000);
  assert.ok(clock.waits.every((ms) => ms <= 2000));
  await using long = modelEndpoint({ steps: [{ bad: "retry_after_long" }] });
  const fault = await faultOf(ask(long.url));
  assert.equal(fault.detail.retryAfterMs, 3_600_000);
});

for (
  const [bad, when] of [["hang", "before the answer"], ["stall_in_text", "in the middle of it"]]
) {
  Deno.test(`ask ends as cancelled when it is aborted ${when}`, async () => {
    await using endpoint = modelEndpoint({ steps: [{ bad: bad! }] });
    const abort = new AbortController();
    const asked = client(endpoint.url, { limits: {}, clock: systemClock }).ask(QUESTION, {
      signal: abort.signal,
      onText: () => abort.abort(),
    });
    if (bad === "hang") {
      await endpoint.asked(1);
      abort.abort();
    }
    assert.equal((await faultOf(asked)).kind, "cancelled");
    assert.equal(endpoint.requests.length, 1);
  });
}

Deno.test("ask with an aborted signal sends nothing", async () => {
  await using endpoint = modelEndpoint({ steps: [{ reply: {} }] });
  const asked = client(endpoint.url).ask(QUESTION, { signal: AbortSignal.abort() });
  assert.equal((await faultOf(asked)).kind, "cancelled");
  assert.equal(endpoint.requests.length, 0);
});
