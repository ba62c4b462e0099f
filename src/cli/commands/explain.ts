import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { path, repo, required, text } from "svc/cli/flags.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { oneLine } from "svc/core/plain_text.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import { findDecisions } from "svc/features/routing/find_decision.ts";
import { openScoped } from "svc/store/placement.ts";

type Ports = Pick<App, "clock" | "cwd" | "files" | "git" | "home" | "signal">;

function explained(decision: Decision) {
  const { inputs, refused, applied, at, ...rest } = decision;
  return {
    ...rest,
    at: rfc3339(at),
    inputs: JSON.parse(inputs) as Record<string, unknown>,
    refused: JSON.parse(refused) as { rule: string; why: string }[],
    applied: applied === 1,
  };
}

/** What a model said is among it: as text that does nothing to the terminal. */
const shown = (value: unknown) =>
  oneLine(typeof value === "string" ? value : JSON.stringify(value));

export default command({
  about: "Explain what followed a job: the rule, its inputs, and what else could have followed",
  details:
    "Every end of a job is one decision: the rule of the manifest that matched, the facts that " +
    "svc itself saw (commits, checks), the rules that did not match and why. A decision made in " +
    "observer profile is a rehearsal: nothing of it was applied.",
  examples: [
    { line: "svc explain 0199c2f3a1b2", about: "the end of a job's or decision's id is enough" },
    { line: "svc explain 0199c2f3a1b2 --json | jq '.decisions[0].refused'", about: "for scripts" },
  ],
  effect: "reads",
  modes: ["json", "plain"],
  args: { id: required(text("job|decision", "Id of a job or a decision, or its end")) },
  flags: {
    repo,
    db: path("file", "Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      decisions: z.array(z.strictObject({
        id: z.string(),
        repo_id: z.string(),
        job_id: z.string(),
        at: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        disposition: z.enum(DISPOSITIONS),
        rule: z.string(),
        inputs: z.record(z.string(), z.unknown()),
        refused: z.array(z.strictObject({ rule: z.string(), why: z.string() })),
        move: z.string().nullable(),
        next_role: z.string().nullable(),
        next_job: z.string().nullable(),
        stop: z.string().nullable(),
        applied: z.boolean(),
      })),
    }),

  async run({ clock, cwd, files, git, home, signal }: Ports, asked) {
    const { root } = await git.open(asked.repo ?? cwd(), { signal });
    await using store = await openScoped({ files, clock, home }, { repo: root, db: asked.db });
    return { decisions: (await findDecisions(store.db, asked.id)).map(explained) };
  },

  show({ decisions }, page) {
    for (const decision of decisions) {
      const about = decision.ticket_id === null ? "" : ` for ${decision.ticket_id}`;
      page.heading(`${decision.role}${about}: ${decision.disposition}`);
      page.fields([
        ["decision", decision.id],
        ["job", decision.job_id],
        ["at", decision.at],
        ["rule", decision.rule],
        ["ticket", decision.move ?? "stays where it is"],
        ["next", decision.next_role ?? "nobody"],
        ...(decision.next_job === null ? [] : [["next job", decision.next_job] as const]),
        ...(decision.stop === null ? [] : [["stopped", shown(decision.stop)] as const]),
        ["applied", decision.applied ? "yes" : "no: a rehearsal in observer profile"],
      ]);
      page.line();
      page.line("looked at");
      page.fields(
        Object.entries(decision.inputs).map(([name, value]) =>
          [`  ${name}`, shown(value)] as const
        ),
      );
      if (decision.refused.length > 0) {
        page.line();
        page.table(
          ["did not match", "because"],
          decision.refused.map(({ rule, why }) => [rule, shown(why)]),
        );
      }
      page.line();
    }
  },
});
