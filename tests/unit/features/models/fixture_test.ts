import assert from "node:assert/strict";
import { modelEndpoint, type Scenario } from "tests/kit/model_endpoint.ts";
import { filled, roleOf } from "tests/kit/model_scenario.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

async function say(url: string, messages: readonly Turn[]): Promise<string> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "fixture-model", messages }),
  });
  const { choices, error } = await response.json();
  return error?.message.slice(0, 40) ?? choices[0].message.content;
}

const start = (role: string, task: string): Turn[] => [
  { role: "system", content: `# Role: ${role}\n\nYou work with the engineer.` },
  { role: "user", content: task },
];
const said = (content: string): Turn => ({ role: "assistant", content });

Deno.test("a scenario follows several roles and several runs of one at once", async () => {
  const scenario: Scenario = {
    roles: {
      engineer: [
        [{ reply: { text: "e1" } }, { reply: { text: "e2" } }],
        [{ reply: { text: "again" } }],
      ],
      qa: [{ reply: { text: "q1" } }],
    },
    steps: [{ reply: { text: "anyone" }, always: true }],
  };
  await using endpoint = modelEndpoint(scenario);
  const { url } = endpoint;
  assert.equal(await say(url, start("engineer", "A")), "e1");
  assert.equal(await say(url, start("qa", "A")), "q1");
  assert.equal(await say(url, start("gardener", "A")), "anyone");
  // Another task is another run, and the first one goes on beside it.
  assert.equal(await say(url, start("engineer", "B")), "again");
  assert.equal(await say(url, [...start("engineer", "A"), said("e1")]), "e2");
  // The same task anew begins the next run; the last one is used for all that follow.
  assert.equal(await say(url, start("engineer", "A")), "again");
  assert.equal(await say(url, start("engineer", "A")), "again");
  assert.match(
    await say(url, [...start("engineer", "A"), said("again")]),
    /^the scenario has no step/,
  );
  assert.equal(endpoint.requests.length, 8);
});

Deno.test("a retry of the first request stays in its run", async () => {
  await using endpoint = modelEndpoint({
    roles: {
      qa: [[{ bad: "http_503" }, { reply: { text: "one" } }], [{ reply: { text: "two" } }]],
    },
  });
  const answers = [];
  for (let n = 0; n < 3; n++) answers.push(await say(endpoint.url, start("qa", "A")));
  assert.deepEqual(answers, ["loading model", "one", "two"]);
});

Deno.test("steps with `when` go first where they fit", async () => {
  await using endpoint = modelEndpoint({
    steps: [
      { reply: { text: "next" } },
      { when: { last: "error: (.*)" }, always: true, reply: { text: "sorry for {{error: (.*)}}" } },
      { when: { turn: 2 }, reply: { text: "third" } },
    ],
  });
  const task = start("qa", "A");
  assert.equal(await say(endpoint.url, task), "next");
  const failed: Turn = { role: "tool", content: "error: no file" };
  assert.equal(await say(endpoint.url, [...task, said("x"), failed]), "sorry for no file");
  assert.equal(
    await say(endpoint.url, [...task, said("x"), failed, said("y"), { ...failed, content: "" }]),
    "third",
  );
});

Deno.test("an unmet expectation is an error that the client sees", async () => {
  const expect = () => assert.fail("two messages wanted");
  await using endpoint = modelEndpoint({ steps: [{ expect, reply: { text: "x" } }] });
  assert.match(await say(endpoint.url, start("qa", "A")), /^not what the scenario expects: two/);
});

Deno.test("roleOf reads the heading first, then the earliest known name", () => {
  const request = (content: string) => ({
    model: "m",
    messages: [{ role: "system", content }] as const,
  });
  assert.equal(roleOf(request("# Role: qa\nthe engineer"), ["engineer", "qa"]), "qa");
  assert.equal(roleOf(request("You are the qa of an engineer"), ["engineer", "qa"]), "qa");
  assert.equal(roleOf(request("You are someone"), ["qa"]), "");
});

Deno.test("filled looks from the newest message to the oldest, in every text of a value", () => {
  const messages = [{ role: "user", content: "T-0001" }, {
    role: "tool",
    content: "T-0002",
  }] as const;
  const value = { id: "{{T-\\d+}}", list: ["{{none}}", 1] };
  assert.deepEqual(filled(value, { model: "m", messages }), {
    id: "T-0002",
    list: ["{{none}}", 1],
  });
});

Deno.test("the program prints its URL, serves, and writes what it was asked when stdin closes", async () => {
  await using folder = await tempFolder();
  await folder.write("scenario.json", JSON.stringify({ steps: [{ reply: { text: "hello" } }] }));
  const program = decodeURIComponent(
    new URL("../../../kit/model_endpoint_program.ts", import.meta.url).pathname,
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", program, `${folder.path}/scenario.json`, `${folder.path}/asked.jsonl`],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: line = "" } = await reader.read();
  assert.match(line, /^http:\/\/127\.0\.0\.1:\d+\/v1\n$/);
  assert.equal(await say(line.trim(), start("qa", "A")), "hello");
  await child.stdin.close();
  assert.equal((await child.status).code, 0);
  await reader.cancel();
  const asked = (await folder.read("asked.jsonl")).trimEnd().split("\n");
  assert.equal(JSON.parse(asked[0]!).messages[1].content, "A");
});
