/** The dashboard's checks of who calls: rates, sessions and CSRF tokens. */
import { HTTP_TARGET_CHARS } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { sameDigest, secretDigest } from "svc/platform/net/secret_digest.ts";
import { answer, type HttpAnswer, refusal, tooMany } from "./answer.ts";
import { Bucket } from "./bucket.ts";
import { controlSecret, secretCheck } from "./control_secret.ts";
import type { GateCheck } from "./gate.ts";
import { authorityOf } from "./own_hosts.ts";
import type { Head } from "./request_head.ts";
import type { RouteCall } from "./route.ts";
import {
  loopbackCookie,
  type SessionCookie,
  sessionIds,
  TRUSTED_COOKIE,
} from "./session_cookie.ts";
import { type LoginSession, Sessions } from "./sessions.ts";

/** Login attempts of all people together, since all come from this machine. */
const LOGINS_PER_MINUTE = 10;
export const LOGINS_AT_ONCE = 5;

interface PeoplePlan {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly secret?: string | undefined;
  readonly trustedOrigin?: string | undefined;
  /** That was run, such as `svc start`. */
  readonly command?: string | undefined;
  port(): number;
}

/** The login page reads the command from it. */
const locked = (command: string | undefined) =>
  refusal(
    503,
    `no control secret is configured${
      command === undefined ? "" : `: ${command} was run without one`
    }`,
  );
const LOGIN = refusal(401, "log in first");
const NO_TOKEN = refusal(403, "forbidden");

/** With the page that was asked for, where the login page goes then; a very long address is left out. */
function toLogin({ path, query }: Head): HttpAnswer {
  const next = encodeURIComponent(query === "" ? path : `${path}?${query}`);
  const whole = path !== "/" && next.length <= HTTP_TARGET_CHARS / 2;
  return { ...answer(302, {}), headers: { location: whole ? `/login?next=${next}` : "/login" } };
}

export class People {
  readonly sessions: Sessions;
  readonly #plan: PeoplePlan;
  readonly #logins: Bucket;
  readonly #checked: ((given: string) => boolean) | undefined;
  readonly #remoteHost: string | undefined;
  readonly #locked: HttpAnswer;

  constructor(plan: PeoplePlan) {
    this.#plan = plan;
    this.sessions = new Sessions(plan.clock);
    this.#logins = new Bucket(plan.clock, LOGINS_PER_MINUTE, LOGINS_AT_ONCE);
    const secret = controlSecret(plan.secret);
    this.#checked = secret === undefined ? undefined : secretCheck(secret);
    this.#locked = locked(plan.command);
    this.#remoteHost = plan.trustedOrigin && authorityOf(plan.trustedOrigin);
  }

  locked(): HttpAnswer | undefined {
    return this.#checked === undefined ? this.#locked : undefined;
  }

  knows(secret: string): boolean {
    return this.#checked?.(secret) ?? false;
  }

  cookie(host: string): SessionCookie {
    return host === this.#remoteHost ? TRUSTED_COOKIE : loopbackCookie(this.#plan.port());
  }

  session({ host, cookie }: { host: string; cookie: string | null }): LoginSession | undefined {
    return this.sessions.use(sessionIds(this.cookie(host), cookie));
  }

  caller(call: Pick<RouteCall, "host" | "header">): LoginSession | undefined {
    return this.session({ host: call.host, cookie: call.header("cookie") });
  }

  readonly rate: GateCheck = (head, { path, access }) => {
    if (path === "/api/login") return limited("logins", this.#logins);
    if (access !== "mutation") return undefined;
    const session = this.#asking(head);
    return session && limited("controls", session.mutations);
  };

  readonly person: GateCheck = (head, { path, access }) => {
    const remote = head.host === this.#remoteHost;
    if (access === "open" || access === "local" && !remote) return undefined;
    if (this.#checked === undefined) return this.#locked;
    if (this.#asking(head) !== undefined) return undefined;
    const isPage = !path.startsWith("/api/") && !path.startsWith("/assets/");
    return access === "local" && isPage ? toLogin(head) : LOGIN;
  };

  readonly csrf: GateCheck = (head) => {
    const given = head.headers.get("x-svc-csrf-token") ?? "";
    const wanted = this.#asking(head)?.csrf;
    const same = wanted !== undefined && sameDigest(secretDigest(given), secretDigest(wanted));
    return same ? undefined : NO_TOKEN;
  };

  #asking({ host, headers }: Head): LoginSession | undefined {
    return this.session({ host, cookie: headers.get("cookie") });
  }
}

function limited(what: string, bucket: Bucket): HttpAnswer | undefined {
  const retrySecs = bucket.take();
  return retrySecs === undefined ? undefined : tooMany(what, retrySecs);
}
