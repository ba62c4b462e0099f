/** A sample of `fleet/all.ts`: nodes of a team, and connections of their server (Debian's 15), that are killed. */
import { POSTGRES } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { havoc } from "./fleet/havoc.ts";

const SEED = Number(Deno.env.get("CHAOS_SEED") ?? 1);

verifies(
  ["2.1:shared-database:holds-serve-state", "3.2:startup:resumes-active-jobs"],
  `a team whose nodes and connections are killed does each ticket once, by one merge (seed ${SEED})`,
  { ignore: POSTGRES === undefined },
  async () => {
    await havoc({ kills: 4, seed: SEED, nodes: 2, repos: 1, tickets: 1 });
  },
);
