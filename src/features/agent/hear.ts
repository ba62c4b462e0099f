/** Passes notes of a person to the role of a running job, before its next turn. */
import { fenced } from "svc/core/data_block.ts";
import { type RunState, say } from "./run_state.ts";
import { PERSON_SAYS } from "./says.ts";

/** Behind the newest message, as svc's own notes are: templates refuse a message of its own there. */
export async function hearPerson(run: RunState): Promise<void> {
  const waiting = (await run.plan.notes?.waiting() ?? []).filter(({ id }) => !run.heard.has(id));
  if (waiting.length === 0) return;
  for (const { id } of waiting) run.heard.set(id, false);
  const text = `${PERSON_SAYS}\n${fenced(waiting.map((note) => note.text).join("\n\n"))}`;
  run.told.push(text);
  const append = [{ role: "user", text }] as const;
  say(run, append);
  await run.plan.trace.write("note", { append, person: waiting.map(({ id }) => id) });
}

/** Call it once a reply has come: only then has the model read them. */
export async function notesRead(run: RunState): Promise<void> {
  const ids = [...run.heard].filter(([, read]) => !read).map(([id]) => id);
  for (const id of ids) run.heard.set(id, true);
  if (ids.length > 0 || run.tally.turns === 1) await run.plan.notes?.read(ids);
}
