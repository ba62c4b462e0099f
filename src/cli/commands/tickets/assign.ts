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
  about: "Begin the next job of a ticket, with another role or another model",
  details:
    "Unblocks the ticket if it is blocked, and cancels a waiting job of it. The role stays with " +
    "the ticket; the model applies only to this one job. You can choose among models that svc has " +
    "asked before, as `svc inbox --json` lists them: your config says where a repo's code may go.",
  examples: [
    {
      line: "svc tickets assign T-0007 --model http://127.0.0.1:11434/v1#qwen3-coder:30b",
      about: "one job with a stronger model",
    },
    { line: "svc tickets assign 7 --role frontend", about: "another role from now on" },
  ],
  effect: "writes_target",
  givenBy: {
    who: "person",
    because: "it says who works on what, and with which model",
    asks: true,
  },
  modes: ["json", "plain", "yes"],
  flags: {
    ...PLACE_FLAGS,
    ...REASON_FLAG,
    role: text("role", "A role of the manifest", { suggest: "roles" }),
    model: text("url#name", "A model that svc has asked before"),
  },
  args: { id: required(text("id", "The ticket", { suggest: "tickets" })) },
  result: (z) => decidedResult(z),

  run: (app: App, { id, reason, role, model, ...place }) =>
    personDecides(app, place, reason, (repo, note) => ({
      ...{ act: "assign", repo, ticket: ticketId(id), note, role, model },
    })),

  show(decided, page, asked) {
    showDecided(decided, page, "a running svc begins the job at once; else: svc start", asked);
  },
});
