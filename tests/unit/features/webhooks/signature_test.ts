import assert from "node:assert/strict";
import { Webhooks } from "@octokit/webhooks";
import {
  freshByLinear,
  signedByGithub,
  signedByLinear,
  signingKey,
} from "svc/features/webhooks/signature.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** docs.github.com, "Validating webhook deliveries", "Testing the webhook payload validation". */
const SECRET = "It's a Secret to Everybody";
const HELLO = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

Deno.test("signedByGithub takes GitHub's own vector", async () => {
  const key = await signingKey(SECRET);
  assert.equal(await signedByGithub(key, `sha256=${HELLO}`, bytes("Hello, World!")), true);
});

Deno.test("signedByGithub takes no other form, body or secret", async () => {
  const key = await signingKey(SECRET);
  const body = bytes("Hello, World!");
  const forms = [
    null,
    "",
    HELLO,
    "sha256=",
    `sha256=${HELLO.slice(2)}`,
    `sha256=${HELLO.slice(1)}`,
    `sha256=${HELLO}00`,
    `sha256=${HELLO.toUpperCase()}`,
    `SHA256=${HELLO}`,
    `sha1=${HELLO.slice(0, 40)}`,
    `sha256=${HELLO}, sha256=${HELLO}`,
    `sha256= ${HELLO}`,
    `sha256=${HELLO}\n`,
    `sha256=${HELLO.slice(0, -1)}g`,
    `sha256=${"0".repeat(64)}`,
  ];
  for (const form of forms) assert.equal(await signedByGithub(key, form, body), false, `${form}`);
  assert.equal(await signedByGithub(key, `sha256=${HELLO}`, bytes("Hello, World?")), false);
  const other = await signingKey("another secret");
  assert.equal(await signedByGithub(other, `sha256=${HELLO}`, body), false);
});

Deno.test("signedByGithub agrees with GitHub's own library, and sees one flipped bit", async () => {
  const key = await signingKey(SECRET);
  const webhooks = new Webhooks({ secret: SECRET });
  for (let round = 0; round < 200; round++) {
    const text = `${round} ü ${"x".repeat(round * 7)}`;
    const signature = await webhooks.sign(text);
    const body = bytes(text);
    assert.equal(await signedByGithub(key, signature, body), true);
    const at = Math.floor(Math.random() * body.length);
    body[at]! ^= 1 << Math.floor(Math.random() * 8);
    assert.equal(await signedByGithub(key, signature, body), false, text);
  }
});

Deno.test("signedByLinear takes bare hex of the raw body", async () => {
  const key = await signingKey("lin_wh_test_secret");
  const body = bytes('{"action":"create","type":"Issue","webhookTimestamp":1735689600000}');
  const good = "1cbf5296605d0330da2bea7fd8f529d86cfec1fc1951bd14805d12ddfbc1cff7";
  assert.equal(await signedByLinear(key, good, body), true);
  for (const form of [null, "", `sha256=${good}`, good.toUpperCase(), good.slice(1), `${good} `]) {
    assert.equal(await signedByLinear(key, form, body), false, `${form}`);
  }
});

Deno.test("freshByLinear believes whole milliseconds of the last and the next minute", () => {
  const now = 1_735_689_600_000;
  for (const age of [0, 59_900, -59_900, 60_000]) assert.equal(freshByLinear(now - age, now), true);
  for (
    const bad of [
      ...[undefined, null, 0, "", String(now), now / 1000, now + 0.5, NaN, [now], { now }, true],
      ...[now - 60_100, now + 60_100],
    ]
  ) assert.equal(freshByLinear(bad, now), false, String(bad));
});
