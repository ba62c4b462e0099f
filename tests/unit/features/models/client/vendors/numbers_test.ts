/** Numbers that a server of a vendor's protocol makes up: places of parts, and counts of tokens. */
import assert from "node:assert/strict";
import { faultOf } from "tests/unit/features/models/asking.ts";
import { asking, events, message, response, said, type VendorName } from "./vendor_asking.ts";

const BOTH: readonly VendorName[] = ["responses", "messages"];

/** The greatest place that an array may have. */
const FAR = 2 ** 32 - 2;

/** A reply whose one part has such a number, or whose parts have no end. */
const NUMBERED: Readonly<Record<VendorName, (numbers: readonly number[]) => Response>> = {
  responses: (numbers) =>
    events(
      ...numbers.map((output_index) => ({
        ...{ type: "response.output_item.done", output_index },
        item: said(`${output_index}`),
      })),
      { type: "response.completed", response: { status: "completed", output: [], usage: {} } },
    ),
  messages: (numbers) =>
    events(
      { type: "message_start", message: { id: "m", content: [], usage: { input_tokens: 1 } } },
      ...numbers.flatMap((index) => [
        { type: "content_block_start", index, content_block: { type: "text", text: `${index}` } },
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ),
};

for (const protocol of BOTH) {
  Deno.test(`${protocol}: whatever numbers the parts of a reply have, it is read soon`, async () => {
    const begun = performance.now();
    const far = await asking(protocol, [NUMBERED[protocol]([FAR, 1, 2 ** 53, -1])]).ask();
    assert.match(far.text, new RegExp(`^1\\s*${FAR}\\s*(?:${2 ** 53})?$`));
    const many = Array.from({ length: 5_000 }, (_, at) => at);
    const fault = await faultOf(
      asking(protocol, Array.from({ length: 9 }, () => NUMBERED[protocol](many))).ask(),
    );
    assert.equal(fault.kind, "protocol");
    const took = performance.now() - begun;
    assert.ok(took < 10_000, `${Math.round(took)} ms`);
  });
}

Deno.test("counts of tokens that no vendor can have had count as none", async () => {
  const most = Number.MAX_SAFE_INTEGER;
  for (const input_tokens of [most, -5, 0.5]) {
    const usage = { input_tokens, output_tokens: most };
    const asked = [
      asking("responses", [response([said("ok")], { usage })]).ask(),
      asking("messages", [message([{ type: "text", text: "ok" }], { usage })]).ask(),
    ];
    for (const reply of await Promise.all(asked)) assert.equal(reply.usage.estimated, true);
  }
  const usage = { input_tokens: 10, output_tokens: most, cache_read_input_tokens: most };
  const { usage: counted } = await asking("responses", [response([said("ok")], { usage })]).ask();
  assert.deepEqual(counted, { tokensIn: 10, tokensOut: 0, estimated: false });
});
