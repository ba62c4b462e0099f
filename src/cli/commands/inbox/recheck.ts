import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { decidedResult, personDecides, PLACE_FLAGS, showDecided } from "svc/cli/person_decides.ts";

export default command({
  about: "Have svc look at once whether what merges and moves wait for has come",
  details:
    "Pull requests are asked about again now and not in a minute, and jobs that wait for more of a budget " +
    "are tried again. It stashes and commits nothing: what is in the way in your checkout is named, and yours.",
  examples: [{ line: "svc inbox recheck", about: "after you have committed or stashed" }],
  effect: "writes_home",
  givenBy: { who: "person", because: "it has the code host asked at once", asks: true },
  modes: ["json", "plain", "yes"],
  flags: PLACE_FLAGS,
  result: (z) => decidedResult(z),
  run: (app: App, place) =>
    personDecides(app, place, undefined, (repo) => ({ act: "recheck", repo })),
  show(decided, page, asked) {
    showDecided(decided, page, "a running svc goes on with what can go on; else: svc start", asked);
  },
});
