import assert from "node:assert/strict";
import { cannotContain } from "tests/kit/sandboxes.ts";
import type { Recorded } from "tests/kit/model_endpoint.ts";
import { BUGGY, HOST, runSite } from "tests/kit/run_site.ts";
import { call, turns } from "tests/kit/scripted_turns.ts";

const ignore = await cannotContain();

const BOXED = ["--sandbox", "bubblewrap"];

/** The text that the model was told last, after the calls. */
const answers = (requests: readonly Recorded[]) =>
  requests.map(({ request }) => request.messages.at(-1)!.content).join("\n");

Deno.test({
  name:
    "a job's commands reach neither svc nor the home nor git's folder, and its fix is committed",
  ignore,
  async fn() {
    const look = (line: string) => call("command_run", { argv: ["sh", "-c", line] });
    await using site = await runSite({
      scenario: {
        roles: {
          engineer: turns(
            look('ls -A "$HOME" "$HOME/.svc"; cat "$HOME/.svc/config.yaml"; echo told $?'),
            look(
              "echo true > .git/hooks/pre-commit; git config a.b c; git status --short; echo told $?",
            ),
            look("svc tickets list; svc trust set engineer contributor; echo told $?"),
            call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" }),
            call("check_run", { name: "test" }),
            call("git_commit", { message: "fix(add): add, not subtract" }),
            call("finish", { disposition: "submitted", evidence: "make test passes" }),
          ),
        },
      },
      files: BUGGY,
    });
    await Deno.writeTextFile(`${site.home}/config.yaml`, "codehost_token: not-for-jobs\n");
    const ran = await site.run("engineer", "--task", "Mend add.sh", ...HOST, ...BOXED, "--json");
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const told = answers(site.model.requests);
    assert.doesNotMatch(told, /not-for-jobs/);
    assert.match(told, /config\.yaml: No such file/);
    assert.match(told, /hooks\/pre-commit: (?:Read-only|Directory nonexistent)/);
    assert.equal(ran.json().disposition, "submitted");
  },
});
