/** A program for tests to kill: listens, and prints its port once it does. */
import { controlListener } from "svc/http/control.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { RepoViews } from "svc/runtime/repo_view.ts";
import { openStore } from "svc/store/open.ts";
import { ports } from "tests/unit/store/temp_store.ts";

const [path, secret] = Deno.args as [string, string];
const store = await openStore(ports, path);
const listener = controlListener({
  addr: "127.0.0.1:0",
  db: store.db,
  clock: systemClock,
  log: { write() {} },
  views: () => Promise.resolve(new RepoViews({ folder: openFolder })),
  own: { github: [], linear: [] },
  secrets: { github: secret },
  facts: () => Promise.reject(new Error("nobody asks")),
});
console.log(listener.address.port);
