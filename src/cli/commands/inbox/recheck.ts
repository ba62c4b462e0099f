import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { decidedResult, personDecides, PLACE_FLAGS, showDecided } from "svc/cli/person_decides.ts";

export default command({
  about: "Have svc look at once whether what merges and moves wait for has come",
  details:
    "svc asks about pull requests at once instead of within a minute, and tries jobs again that " +
    "wait for a larger budget. It stashes and commits nothing: if changes in your checkout are in " +
    "the way, it names them, and you decide about them.",
  examples: [{ line: "svc inbox recheck", about: "after you have committed or stashed" }],
  effect: "writes_home",
  givenBy: { who: "person", because: "it has the code host asked at once", asks: true },
  modes: ["json", "plain", "yes"],
  flags: PLACE_FLAGS,
  result: (z) => decidedResult(z),
  run: (app: App, place) =>
    personDecides(app, place, undefined, (repo) => ({ act: "recheck", repo })),
  show(decided, page, asked) {
    showDecided(
      decided,
      page,
      "a running svc continues what can continue; otherwise: svc start",
      asked,
    );
  },
});
