/** Who stands behind an issue: whoever may write to the repo, as the code host says. */
import assert from "node:assert/strict";
import type { Asker, OutsideIssue } from "svc/features/webhooks/request.ts";
import { startable } from "svc/features/routing/choose.ts";
import { issue, type RequestPlace, requestPlace } from "./request_place.ts";

const ADA: Asker = { login: "ada" };
const MALLORY: Asker = { login: "mallory" };
const OWNER: Asker = { login: "codertocat", owner: true };

const mayVouch = (login: string) => Promise.resolve(login === "ada");

let asked = 0;

/** As often as the test asks for it, each as an event of its own. */
async function told(
  place: RequestPlace,
  item: OutsideIssue,
  { by, ports = {} }: { by?: string; ports?: Parameters<RequestPlace["settle"]>[0] } = {},
): Promise<string> {
  const key = `k${asked++}`;
  const run = { by: by ?? "", text: "@svc go", url: "", about: { issue: item } };
  await place.request(
    by === undefined ? { kind: "ticket", item, key } : { kind: "run", item: run, key },
  );
  await place.settle(ports);
  return (await place.outcomes()).at(-1)!;
}

async function vouchers(place: RequestPlace) {
  const tickets = await place.tickets();
  const open = startable(tickets).map(({ id }) => id);
  return tickets.map(({ id, vouched }) => [id, vouched, open.includes(id)]);
}

Deno.test("an issue that the repo's owner wrote is worked on, without asking the host", async () => {
  await using place = await requestPlace();
  const never = () => assert.fail("asked");
  await told(place, issue({ askers: [OWNER] }), { ports: { mayVouch: never } });
  assert.deepEqual(await vouchers(place), [["T-0001", "codertocat at GitHub", true]]);
});

Deno.test("of others, those whom the host lets write stand behind an issue", async () => {
  await using place = await requestPlace();
  await told(place, issue({ askers: [ADA, MALLORY] }), { ports: { mayVouch } });
  const [first, second] = [8, 9].map((n) => ({
    fingerprint: `github:codertocat/hello-world#${n}`,
    title: `The door ${n} creaks`,
  }));
  await told(place, issue({ ...first, askers: [MALLORY] }), { ports: { mayVouch } });
  assert.equal(
    await told(place, issue({ ...second, askers: [ADA] })),
    "created T-0003; it waits until somebody vouches for it: svc could not ask the code host about ada at GitHub",
  );
  assert.deepEqual(await vouchers(place), [
    ["T-0001", "ada at GitHub", true],
    ["T-0002", undefined, false],
    ["T-0003", undefined, false],
  ]);
});

Deno.test("whoever labels a stranger's issue, or mentions svc there, vouches for the text that is there", async () => {
  for (const by of [undefined, "ada"]) {
    await using place = await requestPlace();
    await told(place, issue({ askers: [MALLORY] }), { ports: { mayVouch } });
    assert.deepEqual(await vouchers(place), [["T-0001", undefined, false]]);
    const asking = by === undefined ? {} : { by };
    // The stranger has made another text of it: the ticket has the old one.
    const edited = issue({ body: "Quite harmless", askers: [ADA, MALLORY] });
    const other = await told(place, edited, { ...asking, ports: { mayVouch } });
    if (by === undefined) assert.equal(other, "T-0001 is there already, and has another text");
    assert.deepEqual(await vouchers(place), [["T-0001", undefined, false]]);
    const same = issue({ askers: [ADA, MALLORY] });
    const outcome = await told(place, same, { ...asking, ports: { mayVouch } });
    assert.equal(
      outcome,
      by === undefined
        ? "T-0001 is there already; ada at GitHub vouches for it"
        : "engineer works on T-0001",
    );
    assert.deepEqual(await vouchers(place), [["T-0001", "ada at GitHub", true]]);
    const text = await Deno.readTextFile(`${place.repo.path}/${(await place.tickets())[0]!.path}`);
    assert.match(text, / · webhook:github · ada at GitHub vouches for it · /);
    assert.equal(await place.repo.git("log", "-1", "--format=%s"), `${expected(by)}\n`);
  }
});

const expected = (by: string | undefined) =>
  by === undefined ? "chore(tickets): vouch for T-0001" : "chore(tickets): add evidence to T-0001";

Deno.test("a mention in an issue that is done makes no second ticket", async () => {
  await using place = await requestPlace();
  const { fingerprint } = issue();
  const id = await place.ticket("done", { source: "webhook:github", fingerprint });
  const outcome = await told(place, issue({ askers: [ADA] }), { by: "ada", ports: { mayVouch } });
  assert.equal(outcome, `${id} is done`);
  assert.equal((await place.tickets()).length, 1);
});

Deno.test("people of Linear are asked for as such", async () => {
  await using place = await requestPlace();
  const item = issue({ fingerprint: "linear:a1", askers: [{ login: "ada@example.org" }] });
  await place.request({ kind: "ticket", item, key: "l1" }, "linear.Issue.create", "linear");
  const mayVouch = (login: string, source: string) =>
    Promise.resolve(login === "ada@example.org" && source === "linear");
  await place.settle({ mayVouch });
  assert.deepEqual(await vouchers(place), [["T-0001", "ada@example.org at Linear", true]]);
});
