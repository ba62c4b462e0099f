/** What GitHub's refusals mean, beside what GitHub's own library makes of the same answers. */
import assert from "node:assert/strict";
import { Octokit } from "@octokit/core";
import { throttling } from "@octokit/plugin-throttling";
import { LimitReached, refusalOf } from "svc/features/access/code_host_refusal.ts";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";
import { verifies } from "tests/kit/verifies.ts";

const NOW = 1_780_000_000_000;

const FACTS = {
  ...{ doing: "read it", remote: "ada/shop", web: "https://github.com", now: NOW },
  ...{ tokenWay: "A_TOKEN", needs: "access" },
};

interface Answer {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Record<string, string>;
}

function refusal({ status, message = "Forbidden", headers = {} }: Answer, more = {}) {
  const text = JSON.stringify({ message, documentation_url: "https://docs.github.com" });
  return refusalOf({ status, headers: new Headers(headers), text }, { ...FACTS, ...more });
}

/** GitHub's wordings, as its users report them (hub4j/github-api 2009, octokit/plugin-throttling.js 437). */
const SECONDARY =
  "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
const ABUSE = "You have triggered an abuse detection mechanism. Please wait a few minutes.";
const USED_UP = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW / 1000 + 900) };

const ANSWERS: readonly (readonly [Answer, limit: string, untilSecs?: number])[] = [
  [{ status: 403, message: SECONDARY }, "secondary"],
  [{ status: 429, message: SECONDARY }, "secondary"],
  [{ status: 403, message: SECONDARY, headers: { "retry-after": "90" } }, "secondary", 90],
  [{ status: 403, message: SECONDARY, headers: USED_UP }, "secondary", 900],
  [{ status: 403, message: "API rate limit exceeded", headers: USED_UP }, "primary", 900],
  [{ status: 429, message: "API rate limit exceeded", headers: USED_UP }, "primary", 900],
  [{ status: 403 }, "none"],
  [{ status: 403, message: SECONDARY, headers: { "retry-after": "soon" } }, "secondary"],
  // The time of the window is beside each answer.
  [{ status: 403, headers: { ...USED_UP, "x-ratelimit-remaining": "4999" } }, "none"],
  [{ status: 500, message: SECONDARY, headers: { "retry-after": "90" } }, "none"],
  [{ status: 404, message: "Not Found" }, "none"],
];

/** Which of its handlers GitHub's own library calls, if any. */
async function octokitSays({ status, message = "Forbidden", headers = {} }: Answer) {
  let heard = "none";
  const Throttled = Octokit.plugin(throttling);
  const octokit = new Throttled({
    throttle: {
      onRateLimit: () => void (heard = "primary"),
      onSecondaryRateLimit: () => void (heard = "secondary"),
    },
    request: { fetch: () => Promise.resolve(Response.json({ message }, { status, headers })) },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await assert.rejects(octokit.request("GET /repos/{owner}/{repo}", { owner: "a", repo: "b" }));
  return heard;
}

verifies(
  "6:code-host:limits",
  "a rate limit, a secondary one and a plain refusal are told apart as GitHub's library does",
  async () => {
    for (const [answer, limit, untilSecs] of ANSWERS) {
      const failure = refusal(answer);
      const found = failure instanceof LimitReached ? failure : undefined;
      const what = JSON.stringify(answer);
      assert.deepEqual([found?.limit ?? "none", found?.untilSecs], [limit, untilSecs], what);
      assert.equal(await octokitSays(answer), limit, what);
    }
    // An older wording that the library has forgotten, and GitHub Enterprise Server has not.
    assert.ok(refusal({ status: 403, message: ABUSE }) instanceof LimitReached);
    assert.match(refusal({ status: 403, message: SECONDARY }).message, /secondary rate limit is/);
  },
);

const PAGE = "https://github.com/orgs/ada/sso?authorization_request=" +
  "AZSCKtL4U8yX1H3sCQIVnVgmjmon5fWxks5YrqhJgah0b2tlbl9pZM4EuMz4";
const sso = (header: string) => ({ status: 403, headers: { "x-github-sso": header } });

verifies(
  "6:code-host:single-sign-on",
  "single sign-on is named, with the page that authorises the token, of the code host alone",
  () => {
    const asked = refusal(sso(`required; url=${PAGE}`));
    assert.match(
      asked.message,
      /the organisation asks the token for single sign-on by SAML \(403\)$/,
    );
    assert.equal(asked.remedy, `Authorise the token within the hour: ${PAGE}`);
    // What removes secrets from texts leaves the address whole.
    assert.equal(redactSecrets(asked.remedy), asked.remedy);
    for (
      const url of [
        ...["https://github.com.evil.example/orgs/ada/sso", "http://github.com/orgs/ada/sso"],
        ...["javascript:alert(1)", "https://evil.example/#https://github.com/", ""],
        ...[`https://github.com/${"x".repeat(700)}`, "https://gitHub.com:8443/orgs/ada/sso"],
      ]
    ) {
      const { remedy } = refusal(sso(`required; url=${url}`));
      assert.match(remedy, / https:\/\/github\.com\/orgs\/ada\/sso$/, url);
    }
    const own = refusal(sso("required"), { web: "https://acme.ghe.com" });
    assert.match(own.remedy, / https:\/\/acme\.ghe\.com\/orgs\/ada\/sso$/);
    // Some organisations of several: the answer is another's, not a refusal to sign on.
    assert.match(refusal(sso("partial-results; organizations=1,2")).message, /does not open/);
  },
);

Deno.test("GitHub's reasons are told in each form that its API knows", () => {
  const invalid = { resource: "PullRequest", field: "base", code: "invalid" };
  for (
    const [body, said] of [
      [
        { message: "Validation Failed", errors: [invalid] },
        "Validation Failed; PullRequest base invalid",
      ],
      [{ message: "No", errors: ["one", { message: "two", code: "custom" }, 7] }, "No; one; two"],
      [{ message: "No", errors: null }, "No"],
      [{ message: "x".repeat(301) }, "x".repeat(300)],
      [
        { message: "No", errors: [{ resource: "Issue", field: null, code: "gone" }] },
        "No; Issue gone",
      ],
      [{ message: "No", errors: "a text" }, "No"],
      [{ message: null, errors: [{ ...invalid, message: null }] }, "PullRequest base invalid"],
    ] as const
  ) {
    const text = JSON.stringify(body);
    const { message } = refusalOf({ status: 422, headers: new Headers(), text }, FACTS);
    assert.equal(message, `Cannot read it: GitHub refuses it: ${said}`);
    const limit = JSON.stringify({ ...body, message: SECONDARY });
    const limited = refusalOf({ status: 403, headers: new Headers(), text: limit }, FACTS);
    assert.ok(limited instanceof LimitReached, limit);
  }
});

Deno.test("what no token mends is told with what does", () => {
  const archived = "Repository was archived so is read-only.";
  assert.match(refusal({ status: 403, message: archived }).remedy, /archive/i);
  const off = "Issues has been disabled in this repository.";
  assert.match(refusal({ status: 410, message: off }).remedy, /^Turn issues on /);
  assert.match(refusal({ status: 300 }).message, /redirects elsewhere \(300\)$/);
  assert.match(refusal({ status: 400 }).message, /GitHub answered 400: Forbidden$/);
});
