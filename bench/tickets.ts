/** How long it takes to list 10,000 tickets: `deno run -A bench/tickets.ts`. The bound is 1 s. */
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { newFields, newTicketText } from "svc/features/tickets/ticket_draft.ts";
import { ticketPath } from "svc/features/tickets/ticket_places.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";

const COUNT = 10_000;
const STATES = ["backlog", "in-progress", "review", "done", "blocked"] as const;
const AT = "2026-11-21T10:00:00Z";

async function fill(root: string, only?: typeof STATES[number]): Promise<void> {
  for (const state of STATES) {
    await Deno.mkdir(`${root}/docs/tickets/${state}`, { recursive: true });
  }
  for (let number = 1; number <= COUNT; number++) {
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
