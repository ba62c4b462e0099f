/**
 * How long it takes to list 10,000 tickets (the bound is 1 s), and to search 5,000 (200 ms) beside `git grep`
 * and a reading of the files in the same run: `make bench-tickets`.
 */
import { searchTickets } from "svc/features/tickets/search_tickets.ts";
import { TextRoom, TicketHold } from "svc/features/tickets/ticket_hold.ts";
import { listTickets, readAll, type TicketFileRead } from "svc/features/tickets/ticket_list.ts";
import { newFields, newTicketText } from "svc/features/tickets/ticket_draft.ts";
import { ticketPath } from "svc/features/tickets/ticket_places.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";

const COUNT = 10_000;
const SEARCHED = 5_000;
const STATES = ["backlog", "in-progress", "review", "done", "blocked"] as const;
const AT = "2026-11-21T10:00:00Z";

async function fill(root: string, only?: typeof STATES[number], count = COUNT): Promise<void> {
  for (const state of STATES) {
    await Deno.mkdir(`${root}/docs/tickets/${state}`, { recursive: true });
  }
  for (let number = 1; number <= count; number++) {
    const state = only ?? STATES[number % STATES.length]!;
    const draft = {
      title: `Ticket ${number}: what is to be done`,
      type: "debt",
      priority: "p2",
      role: "engineer",
      source: "scan:long-file",
      fingerprint: number.toString(16).padStart(32, "0"),
      depends_on: number > 1 ? [`T-${String(number - 1).padStart(4, "0")}`] : [],
      acceptance: ["The file has fewer than 400 lines", 'Its tests are "green": all'],
      context: "It grew. ".repeat(150),
    } as const;
    const id = `T-${String(number).padStart(4, "0")}`;
    const fields = {
      ...newFields(id, draft, AT),
      ...(state === "blocked" && { unblock: { owner: "ada", action: "look: at it" } }),
    };
    const evidence = { at: AT, actor: "svc", what: "created", commit: "0123456789ab" };
    await Deno.writeTextFile(
      `${root}/${ticketPath(state, id, "what-is-to-be-done")}`,
      newTicketText(fields, draft, evidence),
    );
  }
}

for (const only of [undefined, "done"] as const) {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-bench-" }));
  try {
    await new Deno.Command("git", { args: ["init", "--quiet", root] }).output();
    await fill(root, only);
    const git = await gitOver(denoProcesses(), Deno.env.toObject()).open(root);
    using folder = await openFolder(root);
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      const { tickets, broken } = await listTickets({
        root,
        git,
        folder,
        readTree,
        signal: new AbortController().signal,
      });
      const ms = Math.round(performance.now() - start);
      console.log(
        `${only ?? "all states"}: ${tickets.length} tickets, ${broken.length} broken, ${ms} ms`,
      );
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function timed(rounds: number, work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return median(times);
}

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-bench-" }));
try {
  const git = (...args: string[]) =>
    new Deno.Command("git", { args: ["-C", root, ...args] }).output();
  await git("init", "--quiet");
  await fill(root, undefined, SEARCHED);
  await git("add", ".");
  const checkout = {
    root,
    git: await gitOver(denoProcesses(), Deno.env.toObject()).open(root),
    folder: await openFolder(root),
    readTree,
    signal: new AbortController().signal,
  };
  // A younger stamp does not count: files may still be written.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const hold = new TicketHold<TicketFileRead>({
    room: new TextRoom(Infinity),
    shown: (one) => one,
  });
  const look = () => readAll(checkout, hold);
  const first = await timed(1, look);
  const again = await timed(9, look);
  const { list: { tickets } } = await look();
  const repos = [{ id: "r", name: "shop", tickets, text: (path: string) => hold.text(path)! }];
  const search = await timed(9, () => searchTickets(repos, { search: "grew ticket" }, "best"));
  const rare = await timed(9, () => searchTickets(repos, { search: "number 4711" }, "best"));
  const grep = await timed(9, () => git("grep", "-il", "grew", "--", "docs/tickets"));
  const plain = await timed(9, () => listTickets(checkout));
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(`search of ${SEARCHED}: all match ${ms(search)}, none ${ms(rare)}`);
  console.log(`look for changed files before it: first ${ms(first)}, then ${ms(again)}`);
  console.log(`git grep ${ms(grep)}, all files read ${ms(plain)}`);
  console.log(
    `search with its look: ${((search + again) / grep).toFixed(2)} of git grep, ` +
      `${((search + again) / plain).toFixed(2)} of a reading of all files`,
  );
  checkout.folder[Symbol.dispose]();
} finally {
  await Deno.remove(root, { recursive: true });
}
