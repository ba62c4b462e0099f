/** Deliveries as a form, which is what GitHub sends unless its hook says otherwise; signed by GitHub's own library. */
import assert from "node:assert/strict";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { Webhooks } from "@octokit/webhooks";
import { verifies } from "tests/kit/verifies.ts";
import { type ControlPlace, controlPlace, GITHUB_SECRET, REMOTE, send } from "./control_place.ts";

const FORM = "application/x-www-form-urlencoded";
const signer = new Webhooks({ secret: GITHUB_SECRET });

type Payload = Record<string, unknown>;

const all = examples as unknown as readonly { name: string; examples: readonly Payload[] }[];

async function posted(
  { url }: Pick<ControlPlace, "url">,
  body: string,
  { event = "issues", type = FORM, signed = body, path = "github" } = {},
) {
  const sent = await send(`${url}/webhooks/${path}`, {
    "content-type": type,
    "x-github-event": event,
    "x-github-delivery": crypto.randomUUID(),
    "x-hub-signature-256": await signer.sign(signed),
  }, new TextEncoder().encode(body));
  return sent;
}

const asForm = (payload: unknown) =>
  new URLSearchParams({ payload: JSON.stringify(payload) }).toString();

const TITLE = "Mend ü + 100 % & = it";

const example = all.find(({ name }) => name === "issues")!.examples
  .find(({ action }) => action === "labeled")!;
const LABELED = {
  ...example,
  label: { name: "svc" },
  issue: { ...example.issue as Payload, title: TITLE },
};

verifies(
  "6:ingress:form-encoded",
  "a delivery as a form causes what the same one as JSON causes",
  async () => {
    await using place = await controlPlace();
    assert.equal((await posted(place, asForm(LABELED))).status, 202);
    const [wish] = await place.store.db.selectFrom("wishes").selectAll().execute();
    assert.deepEqual([wish!.kind, wish!.repo_id], ["ticket", place.repoId]);
    assert.equal(JSON.parse(wish!.items)[0].title, TITLE);
    const twin = await place.github("issues", LABELED);
    assert.deepEqual([twin.status, twin.body.duplicate], [200, true]);
    const charset = await posted(place, asForm(LABELED), { type: `${FORM}; charset=UTF-8` });
    assert.equal(charset.body.duplicate, true);
  },
);

Deno.test("each event of GitHub's examples is understood as a form", async () => {
  await using place = await controlPlace();
  for (const { name, examples: payloads } of all) {
    const here = { ...payloads[0], repository: { full_name: REMOTE } };
    const [form, json] = [
      await posted(place, asForm(here), { event: name }),
      await place.github(name, here),
    ];
    assert.ok(form.status === 200 || form.status === 202, `${name}: ${form.status}`);
    if (form.status === 200) assert.deepEqual(form.body, json.body, name);
  }
  assert.deepEqual(place.logged, []);
});

Deno.test("the signature of a form is that of its bytes as they were sent", async () => {
  await using place = await controlPlace();
  const body = asForm(LABELED);
  const json = JSON.stringify(LABELED);
  assert.equal((await posted(place, body, { signed: json })).status, 401);
  assert.equal((await posted(place, body, { signed: decodeURIComponent(body) })).status, 401);
  assert.deepEqual(await place.store.db.selectFrom("deliveries").selectAll().execute(), []);
});

Deno.test("a signed form that is no form, or holds no JSON object, is refused", async () => {
  await using place = await controlPlace();
  for (
    const body of [
      ...["payload=", "payload", "other=%7B%7D", JSON.stringify(LABELED)],
      ...["payload=%7B%7D&payload=%7B%7D", "payload=%FF", "payload=%7", "payload=%5B%5D"],
    ]
  ) assert.equal((await posted(place, body)).status, 400, body);
  assert.equal((await posted(place, "payload=%7B%7D")).status, 200);
});

Deno.test("Linear sends no forms, and nobody else's kinds of content are taken", async () => {
  await using place = await controlPlace();
  assert.equal((await posted(place, asForm(LABELED), { path: "linear" })).status, 415);
  for (const type of ["text/plain", "multipart/form-data; boundary=x", `${FORM}; charset=latin1`]) {
    assert.equal((await posted(place, asForm(LABELED), { type })).status, 415, type);
  }
});
