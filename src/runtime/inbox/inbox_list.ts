/** Lists what needs a person, from the database and the files of repos, so it works without a running service. */
import { counted } from "svc/core/counted.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { isAbandoned } from "svc/features/jobs/owner.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { ProgressPort } from "svc/runtime/ports.ts";
import { repoFacts } from "svc/runtime/views/board_facts.ts";
import type { Card } from "svc/runtime/views/card.ts";
import { type FactPorts, factsNow, NO_SERVICE } from "svc/runtime/views/facts_now.ts";
import { cardsOf } from "svc/runtime/views/pipeline_view.ts";
import { RepoFilesCache } from "svc/runtime/views/repo_files.ts";
import type { ViewPorts } from "svc/runtime/views/view_ports.ts";
import { undoable } from "./undoable.ts";

interface Inbox {
  /** Those that need a person first, then what is broken. */
  readonly cards: readonly Card[];
  readonly undoable: readonly {
    readonly decision: string;
    readonly at: string;
    readonly ticket: string | null;
    readonly said: string;
    readonly command: string;
  }[];
}

interface CardWish {
  /** Commands name the repo by its path: they are typed elsewhere. */
  readonly named: boolean;
}

const flagOf = ({ path }: RegisteredRepo, { named }: CardWish) =>
  named ? ` --repo ${shellWord(path)}` : "";

type InboxPorts = ViewPorts & FactPorts & ProgressPort;

/** The lease of a dead process no longer means anything. */
async function withoutLease(job: Job, { identities }: InboxPorts): Promise<Job> {
  return await isAbandoned(job, identities) ? { ...job, lease_until: null } : job;
}

/** All cards of all zones: callers count them or look for one ticket, and have no totals from elsewhere. */
export async function cardsNow(
  ports: InboxPorts,
  repos: readonly RegisteredRepo[],
  wish: CardWish,
) {
  const now = ports.clock.now();
  const { db } = ports;
  const service = await factsNow(ports);
  const cache = new RepoFilesCache(ports, new RepoOpener(ports));
  const reading = { status: NO_SERVICE, service, flags: {}, now };
  let read = 0;
  const facts = await Promise.all(repos.map(async (repo) => {
    const repoFlag = flagOf(repo, wish);
    const files = await cache.of(repo);
    ports.progress?.update(`reading ${++read} of ${counted(repos.length, "repo")}`);
    const seen = await repoFacts(db, repo, { ...reading, repoFlag, files });
    return { ...seen, live: await Promise.all(seen.live.map((job) => withoutLease(job, ports))) };
  }));
  return { cards: cardsOf(service, facts, Infinity).cards, dbFlag: service.dbFlag };
}

export async function inboxOf(
  ports: InboxPorts,
  repos: readonly RegisteredRepo[],
  wish: CardWish,
): Promise<Inbox> {
  const { db, clock } = ports;
  const now = clock.now();
  const { cards, dbFlag } = await cardsNow(ports, repos, wish);
  const recent = await Promise.all(repos.map(async (repo) => {
    const flags = `${flagOf(repo, wish)}${dbFlag}`;
    return (await undoable(db, repo.id, now)).map((one) => ({ ...one, flags }));
  }));
  return {
    cards: cards.filter(({ zone }) => zone === "needs_you" || zone === "failing"),
    undoable: recent.flat().map(({ decision, said, flags }) => ({
      ...{ decision: decision.id, at: rfc3339(decision.at), ticket: decision.ticket_id, said },
      command: `svc inbox undo ${decision.id}${flags}`,
    })),
  };
}
