/** What the roles of a scripted team say; each run begins anew, so that a killed one can be run again. */
import type { ChatRequest } from "tests/kit/model_endpoint.ts";
import { call, said, turns } from "tests/kit/scripted_turns.ts";

export { call, turns };

export const finish = (disposition: string, more: Record<string, unknown> = {}) =>
  call("finish", { disposition, evidence: `it is ${disposition}`, ...more });

const lastText = ({ messages }: ChatRequest) => messages.at(-1)?.content ?? "";

/** Starts the first ticket of the backlog that its list names. */
export const ORCHESTRATOR = turns(
  call("ticket_list", { state: "backlog" }),
  (request) => {
    const ticket = /T-\d{4}/.exec(lastText(request))?.[0];
    return ticket === undefined ? finish("no_work") : finish("routed", { ticket });
  },
);

/** Writes one ticket where there is none. */
export const CEO = turns(
  call("ticket_list", {}),
  (request) =>
    /T-\d{4}/.test(lastText(request)) ? finish("planned") : call("ticket_create", {
      title: "Make the test pass",
      type: "bug",
      context: "The check fails.",
      acceptance: ["the check test passes"],
    }),
  finish("planned"),
);

export const ENGINEER = turns(
  call("file_write", { path: "fixed.txt", content: "fixed\n" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted"),
);

export const QA = turns(call("git_diff", { since: "main" }), finish("approved"));

export const TEAM = { roles: { ceo: CEO, orchestrator: ORCHESTRATOR, engineer: ENGINEER, qa: QA } };

/** The first attempt fails its check and says again that it is done, the second is sent back, the third is approved. */
export const SLOW_TEAM = {
  roles: {
    ...TEAM.roles,
    engineer: turns(
      (request) => {
        const text = said(request);
        const path = /^rework: 1$/m.test(text)
          ? "more.txt"
          : /^attempts: 1$/m.test(text)
          ? "fixed.txt"
          : "wrong.txt";
        return call("file_write", { path, content: "work\n" });
      },
      call("git_commit", { message: "fix: make the test pass" }),
      finish("submitted"),
      finish("submitted"),
    ),
    qa: turns(
      call("git_diff", { since: "main" }),
      (request) => finish(/more\.txt/.test(lastText(request)) ? "approved" : "changes_requested"),
    ),
  },
};
