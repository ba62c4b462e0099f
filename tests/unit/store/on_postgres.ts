/** Runs the tests of stores a second time, on PostgreSQL: named "on PostgreSQL: …", skipped where it is absent. */
import { POSTGRES } from "tests/kit/postgres.ts";
import { useEngine } from "./temp_store.ts";

type Work = (context: Deno.TestContext) => void | Promise<void>;

/** Import the files of tests after it, with `await import`. @param leftOut what says nothing of an engine */
export function onPostgres(leftOut: RegExp = /^$/): void {
  useEngine("postgres");
  const plain = Deno.test.bind(Deno);
  const register = (first: string | Deno.TestDefinition, work?: Work) => {
    const asked = typeof first === "string" ? { name: first, fn: work! } : first;
    if (leftOut.test(asked.name)) return;
    plain({
      ...asked,
      name: `on PostgreSQL: ${asked.name}`,
      ignore: POSTGRES === undefined || asked.ignore === true,
      // The cluster, and idle connections to it, outlive a test.
      sanitizeOps: false,
      sanitizeResources: false,
    });
  };
  Object.assign(Deno, { test: Object.assign(register, plain) });
}
