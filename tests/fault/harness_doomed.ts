/**
 * A harness command that kills its own process, with SIGKILL, in the middle of its n-th change:
 * `harness_doomed.ts init|eject <repo> <home> <n> <turns>`. `turns` is how long the n-th change runs
 * on before. Ends with exit status 0 when it has fewer changes.
 */
import { eject, init, siteAt } from "tests/unit/features/harness/harness_site.ts";

const [verb, repo = "", home = "", nth = "0", turns = "0"] = Deno.args;
const CHANGES = new Set(["writeAtomic", "makeFolder", "rename", "remove", "write"]);
let left = Number(nth);

function mortal<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        const running = value.apply(target, args);
        if (!CHANGES.has(String(name)) || --left > 0) return await running;
        for (let turn = 0; turn < Number(turns); turn++) await Deno.stat("/");
        Deno.kill(Deno.pid, "SIGKILL");
      };
    },
  });
}

using site = await siteAt(repo, home, mortal);
await (verb === "init" ? init : eject)(site);
