import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { ageText } from "svc/cli/jobs/job_text.ts";
import { TEAM_DB, teamAddress } from "svc/cli/nodes.ts";
import type { Tone } from "svc/cli/page/page.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import type { NodeCondition } from "svc/features/nodes/node_condition.ts";
import { rfc3339 } from "svc/core/time.ts";
import { nodeShape, nodesNow } from "svc/runtime/views/node_item.ts";
import { openToRead } from "svc/store/open.ts";

const TONES: Readonly<Partial<Record<NodeCondition, Tone>>> = {
  working: "good",
  gone: "bad",
  ended: "dim",
};

export default command({
  about: "List the machines that work on a database of a server, and what each is at",
  details:
    "A node is one svc home that runs svc serve (or start) with --db postgres://…. It reports " +
    "every five seconds, and counts as gone after a minute of silence. The list shows its " +
    "version, its jobs, the models that they use, and, if it claims no jobs, why. Nothing is " +
    "changed, and no schema is migrated.",
  examples: [
    { line: "svc nodes --db postgres://team@db.example.org/svc", about: "all of a team" },
    {
      line: "svc nodes --db postgres://db/svc --json | jq -r '.nodes[].name'",
      about: "for scripts",
    },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads what is stored" },
  modes: ["json", "plain"],
  aliases: ["nodes list"],
  flags: TEAM_DB,
  result: (z) =>
    z.strictObject({ database: z.string(), as_of: z.string(), nodes: z.array(nodeShape(z)) }),

  async run(app: App, asked) {
    const address = await teamAddress(asked.db, "list nodes");
    await using store = await openToRead(app, address, { older: true });
    return {
      database: store?.path ?? address,
      as_of: rfc3339(app.clock.now()),
      nodes: store === undefined ? [] : await nodesNow({ db: store.db, clock: app.clock }),
    };
  },

  show({ nodes }, page, asked) {
    if (nodes.length === 0) {
      page.line("No node has worked on this database yet");
      return page.next(`svc serve${samePlace(asked)}`);
    }
    page.table(
      ["node", "condition", "jobs", "version", "heard", "machine", "models"],
      nodes.map(({ name, condition, running, concurrency, version, beat_age_secs, ...rest }) => [
        name,
        page.tone(TONES[condition] ?? "warn", condition),
        `${running} of ${concurrency}`,
        version,
        `${ageText(beat_age_secs * 1000)} ago`,
        rest.machine ?? "-",
        rest.models.join(", ") || "-",
      ]),
    );
    for (const { name, condition, why } of nodes) {
      if (why === null) continue;
      page.line(`${page.tone("strong", name)} ${condition === "waiting" ? "waits: " : ""}${why}`);
    }
    page.next(`svc jobs list --all${samePlace(asked)}`);
  },
});
