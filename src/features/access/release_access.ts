/** Whether release metadata can be read: one anonymous request, and at most one more with a credential (spec section 4.5, rule 2). */
import { CA_WAY, unreached } from "svc/core/connection_faults.ts";
import { boundedText } from "svc/core/bounded_text.ts";
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { ReleaseCredential } from "./release_place.ts";

const RELEASE_REQUEST_MS = 10_000;

/** Notes of a release and its list of assets come along. */
const RELEASE_BYTES = 4 * 1024 * 1024;

/** Characters in the name of a tag. */
const TAG_LENGTH = 200;

/** A private fork, or a used-up rate limit; with any other status a credential would not help. */
const ASKS_FOR_CREDENTIAL = [401, 403, 404];

export interface ReleaseAccess {
  readonly access: "anonymous" | "authenticated" | "unavailable";
  readonly endpoint: string;
  readonly requests: number;
  /** HTTP status of the last answer; null where none came. */
  readonly status: number | null;
  /** Where the credential that was used was found. */
  readonly credential: string | null;
  /** Tag of the newest release. */
  readonly latest: string | null;
  /** Why it is unavailable. */
  readonly reason: string | null;
}

export interface ReleasePorts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly status: number | null;
  readonly latest: string | null;
  readonly reason: string | null;
}

function tagIn(text: string | undefined): string | null {
  try {
    const tag: unknown = JSON.parse(text ?? "")?.tag_name;
    return typeof tag === "string" && tag !== "" && tag.length <= TAG_LENGTH ? tag : null;
  } catch {
    return null; // a page of a proxy, or of a captive portal
  }
}

async function readAnswer(
  response: Response,
  host: string,
  signal: AbortSignal,
): Promise<Answer> {
  const { status } = response;
  if (status === 200) {
    const latest = tagIn(await boundedText(response, RELEASE_BYTES, signal));
    const strange = `${host} answers with something else than a release`;
    return { status, latest, reason: latest === null ? strange : null };
  }
  await response.body?.cancel();
  const isRedirect = status >= 300 && status < 400;
  const why = isRedirect ? "redirects elsewhere, which is not followed" : "answers";
  return { status, latest: null, reason: `${host} ${why} (${status})` };
}

/** Follows no redirect; the token goes in one header. @throws Failure `interrupted` */
async function ask(
  { fetch, clock, signal }: ReleasePorts,
  endpoint: URL,
  token?: string,
): Promise<Answer> {
  const over = new AbortController();
  const late = new AbortController();
  clock.sleep(RELEASE_REQUEST_MS, over.signal).then(() => late.abort());
  const either = AbortSignal.any([signal, late.signal]);
  try {
    const response = await fetch(endpoint, {
      headers: {
        accept: "application/vnd.github+json",
        "user-agent": "svc",
        "x-github-api-version": "2022-11-28",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      redirect: "manual",
      credentials: "omit",
      signal: either,
    });
    return await readAnswer(response, endpoint.host, either);
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown;
    if (signal.aborted) throw new Failure("interrupted", "Cannot ask for releases: interrupted");
    const reason = late.signal.aborted
      ? `${endpoint.host} did not answer within ${RELEASE_REQUEST_MS / 1000} s`
      : unreached(endpoint.host, thrown);
    return { status: null, latest: null, reason };
  } finally {
    over.abort();
  }
}

/** A header cannot hold another character, and an error about it would show the token. */
const isSendable = (token: string) => /^[\x21-\x7e]+$/.test(token);

/** @param resolve called after a 401, 403 or 404 alone */
export async function releaseAccess(
  ports: ReleasePorts,
  endpoint: string,
  resolve: () => Promise<ReleaseCredential | undefined>,
): Promise<ReleaseAccess> {
  const url = new URL(endpoint);
  const first = await ask(ports, url);
  const asked = { endpoint, requests: 1, credential: null };
  if (first.reason === null) return { access: "anonymous", ...asked, ...first };
  const unavailable = { access: "unavailable", ...asked, ...first } as const;
  if (!ASKS_FOR_CREDENTIAL.includes(first.status ?? 0)) return unavailable;
  const credential = await resolve();
  if (credential === undefined) return unavailable;
  const { from, token } = credential;
  if (!isSendable(token)) {
    return { ...unavailable, reason: `${first.reason}, and ${from} holds no token` };
  }
  const second = await ask(ports, url, token);
  const tried = { endpoint, requests: 2, credential: from };
  if (second.reason === null) return { access: "authenticated", ...tried, ...second };
  const reason = `${first.reason}; with ${from} ${second.reason}`;
  return { access: "unavailable", ...tried, ...second, reason };
}

/** How a person gets access, for the line after what was found. */
export function accessRemedy({ status, credential, reason }: ReleaseAccess): string {
  if (status === null && reason?.includes("certificate")) {
    return `For a CA of your own ${CA_WAY}`;
  }
  if (status === null) return "Check the network, or its proxy: HTTPS_PROXY";
  if (credential !== null) return "svc auth github setup, with a token that may read the releases";
  return ASKS_FOR_CREDENTIAL.includes(status)
    ? "svc auth github setup, where the releases are private; or name your own: release_url in ~/.svc/config.yaml"
    : "Try again later, or name where releases are: release_url in ~/.svc/config.yaml";
}
