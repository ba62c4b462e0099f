/** A ticket of one line through every role of the scaffold, by `svc start`: turns and tokens of each. */
import { DatabaseSync } from "node:sqlite";
import { FIX, HOST, type RunSite, runSite } from "./run_site.ts";
import { call, turns } from "./scripted_turns.ts";
import { serving } from "./service_site.ts";

export interface RoleCost {
  readonly role: string;
  /** Id of its first job. */
  readonly first?: string;
  readonly turns: number;
  /** In and out, as the scripted server counts them: four characters a token. */
  readonly tokens: number;
}

const end = (disposition: string, evidence: string) => call("finish", { disposition, evidence });

/** The ticket is there already: ceo only begins the lifecycle, and no step is for the orchestrator. */
export const TRIVIAL = {
  roles: {
    ceo: turns(end("planned", "T-0001 is next")),
    engineer: FIX,
    qa: turns(
      call("check_run", { name: "test" }),
      end("approved", "make test passes, and fails without the change"),
    ),
  },
};

export async function trivialSite(): Promise<RunSite> {
  const site = await runSite({ scenario: TRIVIAL });
  const words = ["--title", "Mend add", "--acceptance", "make test passes"];
  const { code, stderr } = await site.svc("tickets", "new", ...words);
  if (code !== 0) throw new Error(stderr);
  return site;
}

/** From the start of the service until the ticket is merged. */
export async function throughAllRoles(site: RunSite): Promise<readonly RoleCost[]> {
  await using svc = serving({
    cwd: site.repo.path,
    env: site.env,
    args: [
      ...["start", "--json", "--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
      ...["--model-endpoint", site.model.url, ...HOST],
    ],
  });
  const { database } = await svc.first;
  await svc.said(/T-0001 moved: review → done/);
  svc.signal("SIGTERM");
  const { code, stderr } = await svc.ended;
  if (code !== 0) throw new Error(stderr);
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return db.prepare(
      `SELECT role, min(id) AS first, sum(turns) AS turns, sum(tokens_in + tokens_out) AS tokens
       FROM jobs WHERE role <> 'ceo' GROUP BY role ORDER BY min(created_at)`,
    ).all() as unknown as RoleCost[];
  } finally {
    db.close();
  }
}

/** The same work as a task for one role, with nobody who judges it. */
export async function bySingleAgent(): Promise<RoleCost> {
  await using site = await runSite({ scenario: TRIVIAL });
  const task = "add.sh subtracts: mend it, so that make test passes";
  const ran = await site.run("engineer", "--task", task, ...HOST, "--json");
  if (ran.code !== 0) throw new Error(ran.stderr);
  const { turns, tokens_in, tokens_out } = ran.json();
  return { role: "engineer", turns, tokens: tokens_in + tokens_out };
}
