/** Rules on tickets: stale, blocked without a way out, or numbered twice. */
import { nameOf } from "svc/core/path_parts.ts";
import type { Gap } from "svc/features/scanner/facts.ts";
import { DAY_MS, type RepoRule, type ScannedRepo } from "svc/features/scanner/rule.ts";

const HOUR_MS = 3_600_000;
const BLOCKED_DAYS = 30;
const STALE_HOURS = 24;

interface ScannedTicket {
  readonly path: string;
  readonly state: string;
  readonly id: string;
  readonly text: string;
  /** Epoch ms; undefined when the front matter has no valid time. */
  readonly touched: number | undefined;
}

function field(text: string, name: string): string | undefined {
  const head = /^---\r?\n([^]*?)\n---/.exec(text)?.[1] ?? "";
  const line = head.split("\n").find((one) => one.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim().replace(/^["']|["']$/g, "");
}

function tickets(repo: ScannedRepo): ScannedTicket[] {
  const found: ScannedTicket[] = [];
  for (const [path, { text }] of repo.files) {
    const state = /^docs\/tickets\/([^/]+)\/T-\d+[^/]*\.md$/.exec(path)?.[1];
    if (state === undefined || text === undefined) continue;
    const touched = Date.parse(field(text, "updated") ?? field(text, "created") ?? "");
    found.push({
      path,
      state,
      text,
      id: field(text, "id") ?? /T-\d+/.exec(nameOf(path))![0],
      touched: Number.isNaN(touched) ? undefined : touched,
    });
  }
  return found;
}

const OLD = "---\nid: T-0001\nupdated: 2020-01-01T00:00:00Z\n---\n";
const NEW = "---\nid: T-0001\nupdated: 2100-01-01T00:00:00Z\n---\n";

const UNBLOCKED = NEW.replace("id:", "unblock: {owner: ada, action: merge}\nid:");

export const ticketStale: RepoRule = {
  id: "ticket-stale",
  severity: "medium",
  type: "hygiene",
  about: "Tickets that stand still",
  why: "Work that everybody believes is under way is not; whoever waits for it waits for nothing.",
  fix: "Give it back to backlog, or say in its evidence what it waits for",
  scope: "repo",
  examples: {
    bad: [
      { files: { "docs/tickets/in-progress/T-0001-a.md": OLD } },
      { files: { "docs/tickets/blocked/T-0001-a.md": OLD } },
      { files: { "docs/tickets/review/T-0001-a.md": OLD.replaceAll("\n", "\r\n") } },
    ],
    good: [
      { files: { "docs/tickets/in-progress/T-0001-a.md": NEW } },
      { files: { "docs/tickets/backlog/T-0001-a.md": OLD, "docs/tickets/done/T-0002-b.md": OLD } },
    ],
  },
  *check(repo): Generator<Gap> {
    const { manifest } = repo;
    const hours = manifest !== undefined && "says" in manifest
      ? manifest.says.dispatch.stale_ticket_hours
      : STALE_HOURS;
    for (const { path, state, touched } of tickets(repo)) {
      const patience = state === "blocked" ? BLOCKED_DAYS * DAY_MS : hours * HOUR_MS;
      const counts = state === "in-progress" || state === "review" || state === "blocked";
      if (!counts || touched === undefined || repo.now - touched <= patience) continue;
      const day = new Date(touched).toISOString().slice(0, 10);
      yield { path, title: `In ${state} without a change since ${day}`, key: path };
    }
  },
};

export const ticketBlockedSilently: RepoRule = {
  id: "ticket-blocked-silently",
  severity: "medium",
  type: "hygiene",
  about: "Blocked tickets that do not say who unblocks them",
  why: "Nobody is asked, so nobody acts.",
  fix: "Name unblock.owner and unblock.action in its front matter",
  scope: "repo",
  examples: {
    bad: [{ files: { "docs/tickets/blocked/T-0001-a.md": NEW } }],
    good: [
      { files: { "docs/tickets/blocked/T-0001-a.md": UNBLOCKED } },
      { files: { "docs/tickets/blocked/T-0001-a.md": UNBLOCKED.replaceAll("\n", "\r\n") } },
    ],
  },
  *check(repo) {
    for (const { path, state, text } of tickets(repo)) {
      if (state !== "blocked" || field(text, "unblock") !== undefined) continue;
      yield { path, title: "It does not say what unblocks it", key: path };
    }
  },
};

export const ticketTwice: RepoRule = {
  id: "ticket-twice",
  severity: "high",
  type: "bug",
  about: "Two ticket files have one id",
  why: "The folder is a ticket's state, so this ticket is in two states at once.",
  fix: "Keep the one whose evidence is newer, and delete the other",
  scope: "repo",
  examples: {
    bad: [{
      files: { "docs/tickets/backlog/T-0001-a.md": NEW, "docs/tickets/done/T-0001-a.md": NEW },
    }],
    good: [{ files: { "docs/tickets/backlog/T-0001-a.md": NEW } }],
  },
  *check(repo) {
    const seen = new Map<string, string>();
    for (const { path, id } of tickets(repo)) {
      const other = seen.get(id);
      if (other === undefined) seen.set(id, path);
      else yield { path, title: `"${id}" is also "${other}"`, key: id };
    }
  },
};
