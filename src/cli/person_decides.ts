/** Carries out, on the command line, what a person decides about what needs them: the acts of the page. */
import type { App } from "svc/app.ts";
import { database, repo, text } from "svc/cli/flags.ts";
import type { Page } from "svc/cli/page/page.ts";
import { userName } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { repoWithId } from "svc/features/repos/repo_store.ts";
import { carryOutAct } from "svc/runtime/inbox/decide.ts";
import type { PersonAct } from "svc/runtime/inbox/person_act.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";
import type { z } from "zod";
import { personText } from "./person_text.ts";

/** Flags of every command that decides something. */
export const PLACE_FLAGS = {
  repo,
  db: database("Database of the runtime (default: the repo's own)"),
} as const;

export const REASON_FLAG = {
  reason: text("text", "Why, for the ticket's history; - reads it from standard input"),
} as const;

export const decidedResult = (zod: typeof z) =>
  zod.strictObject({
    repo: zod.string(),
    /** Null for a look, which decides nothing. */
    decision: zod.string().nullable(),
    said: zod.string(),
    /** How long it can be taken back; null where it cannot. */
    undo: zod.string().nullable(),
    /** Something that looked like a secret was left out of the text. */
    redacted: zod.boolean(),
  });
export type DecidedResult = z.infer<ReturnType<typeof decidedResult>>;

interface DecidingPlace {
  readonly repo?: string | undefined;
  readonly db?: string | undefined;
}

/** The repo with its database, which is made where there is none, and who decides. */
export async function decidingPlace(app: App, { repo = app.cwd(), db }: DecidingPlace) {
  await using parts = new AsyncDisposableStack();
  const stored = parts.use(await openStoredRepo(app, { repo, db, make: true }));
  const ports = { ...app, db: stored.store!.db, profile: "host" } as const;
  const opener = new RepoOpener(ports);
  const row = await repoWithId(ports.db, stored.id);
  const { signal } = app;
  const opened = parts.use(
    await (row === undefined
      ? opener.openAt(stored.root, { signal })
      : opener.open(row, { signal })),
  );
  const by = await userName(app, opened.git);
  const held = parts.move();
  return {
    ...{ ports, repo: opened, root: stored.root, by },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** @param said what the person types, or `-` @throws Failure as `carryOutAct` */
export async function personDecides(
  app: App,
  place: DecidingPlace,
  said: string | undefined,
  act: (repoId: string, text: string | undefined) => PersonAct,
): Promise<DecidedResult> {
  await using at = await decidingPlace(app, place);
  const { ports, repo, root, by } = at;
  const { text, redacted } = await personText(app, said);
  const acted = await carryOutAct({ ports, repo, by }, act(repo.id, text));
  const { decision = null, undo = null } = acted;
  return { repo: root, decision, said: acted.said, undo, redacted };
}

/** @param next what goes on with it where no service runs */
export function showDecided(
  { said, undo, decision, redacted }: DecidedResult,
  page: Page,
  next: string,
  asked: DecidingPlace,
): void {
  page.line(said[0]!.toUpperCase() + said.slice(1));
  if (redacted) page.line(page.tone("warn", "what looks like a secret was left out"));
  if (undo !== null && decision !== null) {
    page.line(`Can be taken back ${undo}: svc inbox undo ${decision}${samePlace(asked)}`);
  }
  page.next(next);
}
