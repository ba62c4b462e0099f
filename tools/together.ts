/**
 * Runs the test files that it is given in one module graph: what they share is loaded once, which is half of
 * what short tests cost. `deno test -A --no-check tools/together.ts -- tests/a_test.ts tests/b_test.ts`.
 */
import { root } from "./modules.ts";

for (const file of Deno.args) await import(`file://${root}${file}`);
