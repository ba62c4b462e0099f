import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text } from "svc/cli/flags.ts";
import { TEAM_DB, teamAddress } from "svc/cli/nodes.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { forget } from "svc/runtime/service/node_asks.ts";
import { openShared } from "svc/store/placement.ts";

export default command({
  about: "Take a node off the list that has ended, or is gone for good",
  details:
    "Refused while the node is alive, while jobs run on it, and while a repo is registered that " +
    "only it works on. Jobs that it ran stay, without its name. If the machine comes back, it is " +
    "a node again.",
  examples: [{
    line: "svc nodes forget north --db postgres://team@db.example.org/svc",
    about: "a machine that was given away",
  }],
  effect: "writes_home",
  givenBy: {
    who: "person",
    because: "nobody else knows that a machine is gone for good",
    asks: true,
  },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: TEAM_DB,
  args: { node: required(text("node", "Its name", { suggest: "nodes" })) },
  result: (z) => z.strictObject({ node: z.string(), condition: z.string(), dry_run: z.boolean() }),

  async run(app: App, { node, db, dryRun }) {
    const address = await teamAddress(db, "forget a node");
    await using store = await openShared(app, { db: address });
    const ports = { db: store.db, clock: app.clock };
    const { name, condition } = await forget(ports, node, { dryRun });
    return { node: name, condition, dry_run: dryRun };
  },

  show({ node, condition, dry_run }, page, asked) {
    const what = `node ${page.tone("strong", node)}, which ${
      condition === "gone" ? "is gone" : "has ended"
    }`;
    page.line(dry_run ? `Would forget ${what}` : `Forgot ${what}`);
    page.next(`svc nodes${samePlace(asked)}`);
  },
});
