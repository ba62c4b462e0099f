/** Interprets GitHub's failure answers: limits, single sign-on, tokens, conflicts. Pure. */
import { Failure } from "svc/core/failure.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import { ARCHIVED_REMEDY } from "svc/platform/git/push.ts";
import { z } from "svc/core/zod.ts";

/** GitHub's own windows are an hour. */
export const LIMIT_MAX_SECS = 3_600;

/** The least wait that GitHub asks for where it names none (docs.github.com, "Rate limits for the REST API"). */
export const LIMIT_SECS = 60;

/** Thrown while GitHub wants no further requests. */
export class LimitReached extends Failure {
  constructor(
    message: string,
    /** `secondary`: too much at once, told by words alone (hub4j/github-api issue 2009). */
    readonly limit: "primary" | "secondary",
    /** Undefined where GitHub tells no time: each refusal in a row then doubles the wait. */
    readonly untilSecs: number | undefined,
  ) {
    const retryAfterSecs = untilSecs ?? LIMIT_SECS;
    super("too_busy", message, { remedy: `Wait ${retryAfterSecs} s`, retryAfterSecs });
  }
}

export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  readonly text: string;
}

export interface RefusalFacts {
  readonly doing: string;
  /** `owner/repo`. */
  readonly remote: string;
  /** Origin of the code host's pages, such as `https://github.com`. */
  readonly web: string;
  /** How a person gives another token. */
  readonly tokenWay: string;
  /** What the token needs for it. */
  readonly needs: string;
  /** Epoch ms. */
  readonly now: number;
}

/** `validation-error` and `validation-error-simple` of the published API: any part may be missing or null. */
const Words = z.string().nullish().catch(undefined);
const Fault = z.object({ message: Words, resource: Words, field: Words, code: Words });
const ErrorBody = z.object({
  message: Words,
  errors: z.array(z.union([z.string(), Fault]).catch("")).catch([]),
});

/** Without words of its own, such as "PullRequest base invalid". */
function faultSaid(fault: string | z.infer<typeof Fault>): string {
  if (typeof fault === "string") return fault;
  const { message, resource, field, code } = fault;
  return message || [resource, field, code].filter(Boolean).join(" ");
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // its shape is checked next
  }
}

/** GitHub's own words, on one line. */
function said(text: string): string {
  const parsed = ErrorBody.safeParse(parsedJson(text));
  if (!parsed.success) return "";
  const { message, errors } = parsed.data;
  const all = [message ?? "", ...errors.map(faultSaid)].filter((one) => one !== "");
  return all.join("; ").replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, 300);
}

const bounded = (seconds: number) => Math.min(Math.max(seconds, 1), LIMIT_MAX_SECS);

const whole = (text: string | null) =>
  text !== null && /^\d+$/.test(text) ? Number(text) : undefined;

/** The headers go before the words, as GitHub documents it; undefined when the answer is no limit. */
function limitOf(
  { status, headers, text }: RefusedAnswer,
  { doing, now }: RefusalFacts,
): LimitReached | undefined {
  if (status !== 403 && status !== 429) return undefined;
  // Called abuse detection until 2021; GitHub Enterprise Server still says so.
  const secondary = /\bsecondary rate\b|\babuse\b/i.test(said(text));
  const after = whole(headers.get("retry-after"));
  const reset = whole(headers.get("x-ratelimit-reset"));
  const left = headers.get("x-ratelimit-remaining");
  const told = after ??
    (left === "0" && reset !== undefined ? reset - Math.floor(now / 1000) : undefined);
  if (told === undefined && status !== 429 && !secondary) return undefined;
  const until = told === undefined ? undefined : bounded(told);
  return secondary
    ? new LimitReached(
      `Cannot ${doing}: GitHub's secondary rate limit is reached`,
      "secondary",
      until,
    )
    : new LimitReached(`Cannot ${doing}: GitHub's rate limit is used up`, "primary", until);
}

const SIGN_ON = "the organisation asks the token for single sign-on by SAML (403)";

export const isSignOn = ({ message }: Failure) => message.endsWith(SIGN_ON);

/**
 * `required; url=https://…` (docs.github.com, "Authenticating to the REST API"); it lasts an hour.
 * Only a page of the code host itself is shown to a person; another gives the organisation's own.
 */
function signOnPage(header: string, { web, remote }: RefusalFacts): string {
  const named = /(?:^|;)\s*url=([\x21-\x7e]{1,600})\s*$/.exec(header)?.[1];
  const url = named === undefined ? null : URL.parse(named);
  const safe = url?.protocol === "https:" ||
    (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  return safe && url?.origin === web ? url.href : `${web}/orgs/${remote.split("/")[0]}/sso`;
}

function signOn(
  { status, headers }: RefusedAnswer,
  facts: RefusalFacts,
): Failure | undefined {
  const header = headers.get("x-github-sso") ?? "";
  if (status !== 403 || !/^\s*required\b/i.test(header)) return undefined;
  return new Failure("environment", `Cannot ${facts.doing}: ${SIGN_ON}`, {
    remedy: `Authorise the token within the hour: ${signOnPage(header, facts)}`,
  });
}

/** GitHub's words for each issue while issues are switched off, with 410; "are" is older (ossf/allstar#64). None is deleted. */
export const saysIssuesAreOff = (text: string) =>
  /\bissues (?:has been|have been|are|is) disabled\b/i.test(text);

/** What helps if the repo's settings at the host are the reason; another token would not. */
function stateOfRepo(what: string): string | undefined {
  if (/\barchived so\b/i.test(what)) return ARCHIVED_REMEDY;
  return saysIssuesAreOff(what) ? "Turn issues on in the settings of the repo there" : undefined;
}

/** @param answer of any status that is no success */
export function refusalOf(answer: RefusedAnswer, facts: RefusalFacts): Failure {
  const { status, text } = answer;
  const { doing, remote, tokenWay, needs } = facts;
  const special = signOn(answer, facts) ?? limitOf(answer, facts);
  if (special !== undefined) return special;
  const what = said(text);
  const because = what === "" ? "" : `: ${what}`;
  const fail = (code: "conflict" | "environment", why: string, remedy: string) =>
    new Failure(code, `Cannot ${doing}: ${why}`, { remedy });
  if (status >= 300 && status < 400) {
    const remedy =
      "Register the repo by the name that it has now: svc register --remote owner/repo";
    return fail("environment", `GitHub redirects elsewhere (${status})`, remedy);
  }
  if (status === 401) {
    return fail(
      "environment",
      "GitHub refuses the token (401)",
      `Set ${tokenWay} to a valid token`,
    );
  }
  const setting = stateOfRepo(what);
  if (setting !== undefined) {
    return fail("environment", `GitHub refuses it (${status})${because}`, setting);
  }
  if (status === 403 || status === 404) {
    const why = `the token does not open "${remote}" (${status})${because}`;
    // Without single sign-on GitHub may answer 404 as well, and then without the page's address.
    return fail("environment", why, `Give it ${needs} of ${remote}`);
  }
  if (status === 422) {
    return fail("conflict", `GitHub refuses it${because}`, "Open the pull request yourself");
  }
  return fail("environment", `GitHub answered ${status}${because}`, "Try again later");
}

/** GitHub refuses a second pull request from one branch into another with these words, and no code of their own. */
export const saysItExists = ({ code, message }: Failure) =>
  code === "conflict" && /\bpull request already exists\b/i.test(message);
