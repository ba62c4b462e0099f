/** A branch's pull requests: GitHub's REST API 2022-11-28 (docs.github.com/rest/pulls/pulls). */
import { Failure } from "svc/core/failure.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import { type Redact, redactor } from "svc/core/redact.ts";
import { z } from "svc/core/zod.ts";
import type { Clock } from "svc/platform/clock.ts";

const CODEHOST_REQUEST_MS = 20_000;

/** Thirty pull requests of some 20 KiB each. */
export const CODEHOST_RESPONSE_BYTES = 4 * 1024 * 1024;

/** GitHub's own windows are an hour. */
const CODEHOST_BACKOFF_SECS = 3_600;

interface CodeHostPlan {
  readonly remote: string;
  readonly token: string;
  readonly api: string;
  /** How a person gives another token. */
  readonly tokenWay: string;
}

export interface CodeHostPorts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

export interface PullRequest {
  readonly number: number;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  readonly commit: string;
}

interface DraftPlan {
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
}

interface CodeHost {
  /** Newest first, including merged and closed ones; at most 30. @throws Failure */
  pullRequests(branch: string, into: string): Promise<PullRequest[]>;
  /** @throws Failure `conflict` when GitHub refuses it, such as where one is open already */
  openDraft(plan: DraftPlan): Promise<PullRequest>;
}

const Pull = z.object({
  number: z.int().positive(),
  state: z.enum(["open", "closed"]),
  merged_at: z.string().nullish(),
  head: z.object({ sha: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/) }),
});
const ErrorBody = z.object({
  message: z.string().default(""),
  errors: z.array(z.object({ message: z.string().optional() })).default([]),
});

function pullRequest({ number, state, merged_at, head }: z.infer<typeof Pull>): PullRequest {
  return { number, state, merged: typeof merged_at === "string", commit: head.sha };
}

/** @throws Failure `refused` for an address to which a token would go unencrypted */
function checkedApi(api: string): URL {
  const url = new URL(api);
  const sound = url.protocol === "https:" ||
    (url.protocol === "http:" && isLoopbackHost(url.hostname));
  if (sound && url.username === "" && url.password === "") return url;
  throw new Failure("refused", `Cannot ask the code host at "${url.origin}": only https is used`);
}

/** Undefined when the answer is no rate limit. */
function backoff({ status, headers }: Response, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = headers.get("retry-after");
  if (after !== null && /^\d+$/.test(after)) return bounded(Number(after));
  const reset = headers.get("x-ratelimit-reset");
  if (headers.get("x-ratelimit-remaining") === "0" && reset !== null && /^\d+$/.test(reset)) {
    return bounded(Number(reset) - Math.floor(now / 1000));
  }
  return status === 429 || after !== null ? bounded(60) : undefined;
}

const bounded = (seconds: number) => Math.min(Math.max(seconds, 1), CODEHOST_BACKOFF_SECS);

function said(text: string): string {
  const parsed = ErrorBody.safeParse(parsedJson(text));
  if (!parsed.success) return "";
  const { message, errors } = parsed.data;
  const all = [message, ...errors.map((error) => error.message ?? "")].filter((one) => one !== "");
  return all.join("; ").replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, 300);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // its shape is checked next
  }
}

/** @throws Failure `environment` when it is longer than `CODEHOST_RESPONSE_BYTES` */
async function boundedText(
  { body }: Pick<Response, "body">,
  doing: string,
): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  // Leaving the loop cancels the stream, and with it the connection.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > CODEHOST_RESPONSE_BYTES) {
      const why = `the answer is longer than ${CODEHOST_RESPONSE_BYTES} bytes`;
      throw new Failure("environment", `Cannot ${doing}: ${why}`);
    }
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

interface ApiRequest<T> {
  readonly doing: string;
  readonly path: string;
  readonly body?: unknown;
  readonly shape: z.ZodType<T>;
}

/** Follows no redirect; the token goes to the one origin, in a header. */
export function codeHost(
  ports: CodeHostPorts,
  { remote, token, api, tokenWay }: CodeHostPlan,
): CodeHost {
  const base = checkedApi(api);
  const redact = redactor([token], ports.redact);

  function refusal({ doing }: ApiRequest<unknown>, response: Response, text: string): Failure {
    const { status } = response;
    const seconds = backoff(response, ports.clock.now());
    const what = said(text);
    const fail = (code: "conflict" | "environment" | "too_busy", why: string, remedy: string) =>
      new Failure(code, redact(`Cannot ${doing}: ${why}`), {
        remedy,
        ...(seconds !== undefined && { retryAfterSecs: seconds }),
      });
    const because = what === "" ? "" : `: ${what}`;
    if (seconds !== undefined) {
      return fail("too_busy", "GitHub's rate limit is used up", `Wait ${seconds} s`);
    }
    if (status >= 300 && status < 400) {
      const remedy =
        "Register the repo by the name that it has now: svc register --remote owner/repo";
      return fail("environment", `GitHub redirects elsewhere (${status})`, remedy);
    }
    if (status === 401) {
      const remedy = `Set ${tokenWay} to a valid token`;
      return fail("environment", "GitHub refuses the token (401)", remedy);
    }
    if (status === 403 || status === 404) {
      const why = `the token does not open "${remote}" (${status})${because}`;
      const remedy = `Give it read and write access to contents and pull requests of ${remote}`;
      return fail("environment", why, remedy);
    }
    if (status === 422) {
      return fail("conflict", `GitHub refuses it${because}`, "Open the pull request yourself");
    }
    return fail("environment", `GitHub answered ${status}${because}`, "Try again later");
  }

  async function ask<T>(request: ApiRequest<T>): Promise<T> {
    const { doing, path, body, shape } = request;
    const url = new URL(`${base.href.replace(/\/$/, "")}/repos/${remote}/${path}`);
    // The last check before the wire, whatever built the URL.
    if (url.origin !== base.origin) throw new Failure("refused", `Cannot ${doing}: another origin`);
    const over = new AbortController();
    const late = new AbortController();
    ports.clock.sleep(CODEHOST_REQUEST_MS, over.signal).then(() => late.abort());
    try {
      const response = await ports.fetch(url, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${token}`,
          "user-agent": "svc",
          "x-github-api-version": "2022-11-28",
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        redirect: "manual",
        credentials: "omit",
        signal: AbortSignal.any([ports.signal, late.signal]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await boundedText(response, doing);
      if (!response.ok) throw refusal(request, response, text);
      const parsed = shape.safeParse(parsedJson(text));
      if (parsed.success) return parsed.data;
      throw new Failure(
        "environment",
        `Cannot ${doing}: GitHub's answer is not as its API promises`,
      );
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      if (ports.signal.aborted) throw new Failure("interrupted", `Cannot ${doing}: interrupted`);
      const why = late.signal.aborted
        ? `${base.host} did not answer within ${CODEHOST_REQUEST_MS / 1000} s`
        : `${base.host} cannot be reached`;
      throw new Failure("environment", `Cannot ${doing}: ${why}`, { cause: thrown });
    } finally {
      over.abort();
    }
  }

  return {
    async pullRequests(branch, into) {
      const head = `${remote.split("/")[0]}:${branch}`;
      const query = new URLSearchParams({
        state: "all",
        head,
        base: into,
        sort: "created",
        direction: "desc",
        per_page: "30",
      });
      const doing = `read the pull requests of "${branch}"`;
      return (await ask({ doing, path: `pulls?${query}`, shape: z.array(Pull) })).map(pullRequest);
    },
    async openDraft({ branch, into, title, body }) {
      const draft = { title, body, head: branch, base: into, draft: true };
      const doing = `open a pull request for "${branch}"`;
      return pullRequest(await ask({ doing, path: "pulls", body: draft, shape: Pull }));
    },
  };
}
