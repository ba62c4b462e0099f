/** A program for tests to kill: listens, and prints its port once it does. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import { checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";
import { controlListener } from "svc/http/control.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openStore } from "svc/store/open.ts";
import { ports } from "tests/unit/store/temp_store.ts";

const [path, secret] = Deno.args as [string, string];
const store = await openStore(ports, path);
const listener = controlListener({
  addr: "127.0.0.1:0",
  db: store.db,
  clock: systemClock,
  log: { write() {} },
  opener: () => Promise.resolve(new RepoOpener(checkoutPorts())),
  own: { github: [], linear: [] },
  secrets: { github: secret },
  facts: () => Promise.reject(new Error("nobody asks")),
});
console.log(listener.address.port);
