/** Requests that a strict server takes, and bad ones that it refuses in its vendor's words. */
import assert from "node:assert/strict";
import { openZoo, type ZooServer } from "./zoo.ts";

// deno-lint-ignore no-explicit-any -- requests are broken on purpose
export type Body = any;

const call = (id: string, more = {}) => ({
  id,
  type: "function",
  function: { name: "look", arguments: '{"path":"a"}' },
  ...more,
});

/** A question, one step with two calls, and their results; each vendor's own fields are added by `more`. */
export function conversation(
  ids: readonly [string, string],
  more: { message?: Body; first?: Body } = {},
) {
  const [one, two] = ids;
  return [
    { role: "system", content: "You are a test." },
    { role: "user", content: "Look." },
    {
      role: "assistant",
      content: "",
      tool_calls: [call(one, more.first), call(two)],
      ...more.message,
    },
    { role: "tool", tool_call_id: one, content: "a line" },
    { role: "tool", tool_call_id: two, content: "a line" },
  ];
}

export const tool = (name: string) => ({
  type: "function",
  function: { name, description: "Looks", parameters: { type: "object", properties: {} } },
});

export interface Refusals {
  readonly server: ZooServer;
  readonly good: Body;
  /** What is asked first, where that is no chat request. */
  readonly question?: Body;
  /** What is wrong, how, and what is answered. */
  readonly bad: readonly (readonly [string, (body: Body) => void, RegExp])[];
}

export function drop(body: Body, at: number): void {
  body.messages.splice(at, 1);
}

/** Its first reply thinks "I look.", so that the table's second request can send that back. */
const SCENARIO = { steps: [{ always: true, reply: { text: "Yes.", reasoning: "I look." } }] };

function authOf({ speaks }: ZooServer, key = ""): Record<string, string> {
  return speaks === "messages"
    ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
    : { authorization: `Bearer ${key}` };
}

/** Declares a test for each server of the table. */
export function refusalTests(table: readonly Refusals[]): void {
  for (const { server, good, bad, question: first } of table) {
    Deno.test(`${server.name} (${server.model}) refuses what its vendor refuses`, async () => {
      await using zoo = await openZoo(server, SCENARIO);
      const url = `${new URL(zoo.url).origin}${server.protocol.target}`;
      const ask = async (body: Body, key = server.key) => {
        const headers = { "content-type": "application/json", ...authOf(server, key) };
        const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
        return `${response.status} ${await response.text()}`;
      };
      const question = first ??
        { model: server.model, messages: [{ role: "user", content: "Look." }] };
      const takes = good ?? question;
      if (good !== undefined) {
        assert.match(await ask(question), /^200 /);
        assert.match(await ask(good), /^200 /);
      }
      if (server.key !== undefined) assert.match(await ask(takes, "another"), /^40[01] /);
      for (const [what, spoil, answer] of bad) {
        const body = structuredClone(takes);
        spoil(body);
        assert.match(await ask(body), answer, what);
      }
    });
  }
}
