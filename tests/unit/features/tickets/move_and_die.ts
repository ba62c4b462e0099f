/** A program that moves a ticket and kills itself right before its nth change to anything. */
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { checkoutAt } from "./ticket_checkout.ts";

const [path, nth] = Deno.args as [string, string];
const CHANGES = /^(?:unpack-objects|update-index|update-ref)$/;
let left = Number(nth);

function step(): void {
  if (--left === 0) Deno.kill(Deno.pid, "SIGKILL");
}

/** Every call of these methods is a change. */
function counted<T extends object>(real: T, methods: readonly (keyof T)[]): T {
  return new Proxy(real, {
    get(target, key) {
      const value = target[key as keyof T];
      if (!methods.includes(key as keyof T)) {
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (...args: unknown[]) => {
        step();
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

using checkout = await checkoutAt(path, {
  processes: (real) => ({
    ...real,
    run(command) {
      if (command.args.some((arg) => CHANGES.test(arg))) step();
      return real.run(command);
    },
  }),
  files: (real) => counted(real, ["writeAtomic", "remove"]),
  folder: (real) => counted(real, ["write", "remove", "rename", "makeFolder"]),
});
await moveTicket(checkout, "T-0001", { to: "in-progress", actor: "test" });
