/**
 * Fetches what a build needs: the packages of the product, or all of them where those of the tests are there
 * already. Deno is packed meanwhile. It imports no package itself.
 */
import { root } from "./modules.ts";
import { packedDeno } from "./packed_deno.ts";

/** A package of tests alone. */
const OF_TESTS = `${root}node_modules/fast-check`;

async function fetchPackages(): Promise<void> {
  const all = await Deno.lstat(OF_TESTS).then(() => true, () => false);
  const lock = `${root}dist/production.lock`;
  if (!all) {
    await Deno.mkdir(`${root}dist`, { recursive: true });
    // Deno takes from it what `production.json` does not name.
    await Deno.copyFile(`${root}deno.lock`, lock);
  }
  const which = all ? ["--frozen"] : ["--config=production.json", `--lock=${lock}`];
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", ...which],
    cwd: root,
  }).spawn().status;
  if (code !== 0) Deno.exit(code);
}

await Promise.all([fetchPackages(), packedDeno(Deno.execPath())]);
