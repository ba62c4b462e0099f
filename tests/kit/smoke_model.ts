/** A scripted model that does the tasks of `svc validation agent-smoke` rightly, and ways of doing them wrong. */
import type { Conversation, Scenario } from "./model_scenario.ts";
import { call, said, turns } from "./scripted_turns.ts";

const finish = (disposition: string, evidence: string, more = {}) =>
  call("finish", { disposition, evidence, ...more });

const edit = (path: string, old: string, fresh: string) =>
  call("file_edit", { path, old, new: fresh });

const commit = (message: string) => call("git_commit", { message });

const judged = (request: Parameters<typeof said>[0]) =>
  /^\+.*= -1/m.test(said(request))
    ? finish("changes_requested", "test.sh:1 expects -1; the ticket says 3")
    : finish("approved", "sh test.sh passes and expects 3");

const tickets = (title: string) =>
  call("ticket_create", {
    ...{ title, type: "feature", context: "README.md promises it" },
    acceptance: ["`sh multiply.sh 2 3` prints 6"],
  });

/** What each role of svc's own harness does in host profile. */
const RIGHT: Readonly<Record<string, Conversation>> = {
  ceo: turns(
    call("file_read", { path: "README.md" }),
    tickets("Write multiply.sh"),
    finish("planned", "T-0001: multiply.sh"),
  ),
  orchestrator: turns(
    call("ticket_list", {}),
    finish("routed", "T-0002: T-0001 waits for it", { ticket: "T-0002" }),
  ),
  engineer: turns(
    call("file_read", { path: "add.sh" }),
    edit("add.sh", "$1 - $2", "$1 + $2"),
    commit("fix(sum): add, do not subtract"),
    finish("submitted", "sh test.sh passes"),
  ),
  qa: turns(judged),
  gardener: turns(
    call("file_read", { path: "README.md" }),
    edit("README.md", "check.sh", "test.sh"),
    commit("docs: name the test"),
    finish("submitted", "README: check.sh → test.sh"),
  ),
};

/** @param wrong other conversations of single roles */
export const smokeModel = (wrong: Readonly<Record<string, Conversation>> = {}): Scenario => ({
  roles: { ...RIGHT, ...wrong },
});

export { commit, edit, finish };
