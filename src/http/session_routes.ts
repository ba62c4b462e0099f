/** Login, session, logout, and the status, a part of which everybody may see. */
import { rfc3339 } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Service, StatusGlance } from "svc/runtime/service/plan.ts";
import { minimalStatus, statusAnswer } from "svc/runtime/views/status_view.ts";
import { answer, type HttpAnswer, RawContent, refusal } from "./answer.ts";
import type { People } from "./people.ts";
import type { RouteHandler } from "./route.ts";
import { setCookie } from "./session_cookie.ts";
import type { LoginSession } from "./sessions.ts";

interface SessionRoutePorts {
  readonly people: People;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Log, "write">;
  readonly service: Pick<Service, "glance" | "status">;
}

const WRONG = refusal(401, "wrong secret");

function opened({ sessions }: People, session: LoginSession): HttpAnswer {
  const expires_at = rfc3339(sessions.expiresAt(session));
  return answer(200, { ok: true, csrf_token: session.csrf, expires_at });
}

function login({ people, log }: SessionRoutePorts): RouteHandler {
  return {
    needs: () => people.locked(),
    handle(call) {
      if (!people.knows(call.fields.secret!)) {
        log.write("warn", "a login to the dashboard was refused");
        return Promise.resolve(WRONG);
      }
      const before = people.caller(call);
      if (before !== undefined) people.sessions.end(before.key);
      const { id, session } = people.sessions.open();
      const headers = { "set-cookie": setCookie(people.cookie(call.host), id) };
      return Promise.resolve({ ...opened(people, session), headers });
    },
  };
}

function status({ people, clock, service }: SessionRoutePorts): RouteHandler {
  let last: { readonly text: string; readonly answer: HttpAnswer } | undefined;
  /** Rendered when something in it has changed, each second at the least. */
  const shown = (seen: StatusGlance): HttpAnswer => {
    const text = `${JSON.stringify(minimalStatus(seen, clock.now()))}\n`;
    if (last?.text !== text) {
      const body = new RawContent("application/json", text);
      last = { text, answer: { status: 200, body, repeated: true } };
    }
    return last.answer;
  };
  return {
    known(call) {
      if (people.caller(call) !== undefined) return undefined;
      const seen = service.glance();
      return seen instanceof Promise ? undefined : shown(seen);
    },
    async handle(call) {
      if (people.caller(call) === undefined) return shown(await service.glance());
      return answer(200, statusAnswer(await service.status(), clock.now()));
    },
  };
}

export function sessionRoutes(ports: SessionRoutePorts) {
  const { people } = ports;
  return {
    "POST /api/login": login(ports),
    "GET /api/session": {
      handle: (call) => Promise.resolve(opened(people, people.caller(call)!)),
    },
    "POST /api/logout": {
      handle(call) {
        people.sessions.end(people.caller(call)!.key);
        const headers = { "set-cookie": setCookie(people.cookie(call.host), undefined) };
        return Promise.resolve({ ...answer(200, { ok: true }), headers });
      },
    },
    "GET /api/status": status(ports),
  } as const satisfies Record<string, RouteHandler>;
}
