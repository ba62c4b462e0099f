import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { text } from "svc/cli/flags.ts";
import { decidedResult, personDecides, PLACE_FLAGS, showDecided } from "svc/cli/person_decides.ts";
import { Failure } from "svc/core/failure.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { resumeClaims } from "svc/runtime/service/status_event.ts";
import { openStoredRepo, orElsewhere } from "svc/runtime/session/stored_repo.ts";

export default command({
  about: "Let jobs go on that are held back: of a role, of a model, or all of them after a pause",
  details:
    "svc holds back a role that failed three times within 15 minutes, and a model whose key or " +
    "quota is refused. After you have fixed the cause, this command lifts the hold, as `svc run " +
    "<role>` does too. Without a flag it ends the pause of all jobs, which applies to every " +
    "process on the database.",
  examples: [
    { line: "svc jobs resume --role engineer", about: "a role that failed three times" },
    { line: "svc jobs resume", about: "ends the pause" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "what is held back waits for a person", asks: true },
  modes: ["json", "plain", "yes"],
  flags: {
    ...PLACE_FLAGS,
    role: text("role", "Role of this repo that is held back", { suggest: "roles" }),
    model: text("lane", "Model that is held back, as svc inbox names it"),
  },
  result: (z) => decidedResult(z),

  async run(app: App, { role, model, repo = app.cwd(), db }) {
    if (role !== undefined && model !== undefined) {
      throw new Failure("usage", "Cannot resume a role and a model at once", {
        remedy: "Give one of --role and --model",
      });
    }
    if (role !== undefined) {
      return await personDecides(app, { repo, db }, undefined, (id) => ({
        ...{ act: "resume-role", repo: id, role },
      }));
    }
    if (model !== undefined) {
      return await personDecides(app, { repo, db }, undefined, (id) => ({
        ...{ act: "resume-model", repo: id, lane: model },
      }));
    }
    await using stored = await openStoredRepo(app, { repo, db });
    const { store, root } = stored;
    const paused = store !== undefined && (await claimState(store.db)).paused;
    if (paused) await resumeClaims(store.db, app.clock.now());
    const said = paused
      ? "jobs that are due start again"
      : await orElsewhere(app, "no pause holds jobs back here", { root, db });
    return { repo: root, decision: null, said, undo: null, redacted: false };
  },

  show(decided, page, asked) {
    showDecided(decided, page, "a running svc continues at once; otherwise: svc start", asked);
  },
});
