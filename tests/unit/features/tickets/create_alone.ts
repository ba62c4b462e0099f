/** A program for races: creates tickets, some of which another process creates as well. */
import { createTickets } from "svc/features/tickets/tickets.ts";
import { checkoutAt, draft } from "./ticket_checkout.ts";

const [path, name, rounds] = Deno.args as [string, string, string];
using checkout = await checkoutAt(path);
let created = 0;
let deduplicated = 0;
for (let round = 0; round < Number(rounds); round++) {
  const drafts = [
    draft(`${name} ${round}`),
    draft("shared", { fingerprint: `shared-${round}`, source: "scan:shared" }),
  ];
  const did = await createTickets(checkout, drafts, { actor: name });
  created += did.created.length;
  deduplicated += did.deduplicated.length;
}
console.log(JSON.stringify({ created, deduplicated }));
