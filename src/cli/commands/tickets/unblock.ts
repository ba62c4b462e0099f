import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text } from "svc/cli/flags.ts";
import {
  decidedResult,
  personDecides,
  PLACE_FLAGS,
  REASON_FLAG,
  showDecided,
} from "svc/cli/person_decides.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";

export default command({
  about: "Let a blocked ticket go on, since what it waited for has happened",
  details:
    "The ticket goes back to the backlog with new attempts; your reason is added to its history, " +
    "which the next role reads. It is stored as your decision, which `svc inbox undo` takes back " +
    "until the next job begins. It does not vouch for a ticket from outside: `svc tickets move` " +
    "does.",
  examples: [
    {
      line: 'svc tickets unblock T-0007 --reason "the key is renewed"',
      about: "with a word to its role",
    },
    { line: "svc tickets unblock 7 --role qa2", about: "and begins its next job with that role" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "roles wait for a person's word there", asks: true },
  modes: ["json", "plain", "yes"],
  flags: {
    ...PLACE_FLAGS,
    ...REASON_FLAG,
    role: text("role", "Who works on it from now on", { suggest: "roles" }),
    model: text("url#name", "The model of its next job: one that svc has asked before"),
  },
  args: { id: required(text("id", "The ticket", { suggest: "tickets" })) },
  result: (z) => decidedResult(z),

  run: (app: App, { id, reason, role, model, ...place }) =>
    personDecides(app, place, reason, (repo, note) => ({
      ...{ act: "unblock", repo, ticket: ticketId(id), note, role, model },
    })),

  show(decided, page, asked) {
    const shown = `svc tickets show ${asked.id}`;
    const then = `a running svc continues with it, otherwise svc start; to see it: ${shown}`;
    showDecided(decided, page, then, asked);
  },
});
