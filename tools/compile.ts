/** Builds `dist/svc` with `deno compile`; without its runtime, prints why and the remedy. */
import { VERSION } from "svc/core/version.ts";
import { bundle, bundleFolder } from "./bundle.ts";
import { root } from "./modules.ts";

const WHY = 'deno compile needs the runtime "denort", which could not be downloaded';
const REMEDY =
  "set DENORT_BIN to a denort of the same version, connect to dl.deno.land, or: make portable";

/** @returns what `deno compile` printed when it failed; undefined when it built the program */
export async function buildCompiled(): Promise<string | undefined> {
  await bundle();
  const out = `${root}dist/svc`;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--quiet",
      "--allow-all",
      "--no-prompt",
      "--no-config",
      "--no-check",
      "--unstable-worker-options",
      // As in portable_stub.sh.
      "--v8-flags=--max-semi-space-size=1,--initial-heap-size=48",
      `--include=${bundleFolder}`,
      `--output=${out}.new`,
      `${bundleFolder}/main.js`,
    ],
    cwd: root,
    stderr: "piped",
  }).output();
  if (code !== 0) return new TextDecoder().decode(stderr).trim();
  await Deno.rename(`${out}.new`, out);
}

if (import.meta.main) {
  const trouble = await buildCompiled();
  if (trouble !== undefined) {
    console.error(`Cannot compile svc: ${WHY}\n${trouble}\ntry: ${REMEDY}`);
    Deno.exit(5);
  }
  console.log(`built ${root}dist/svc (compiled, svc ${VERSION})`);
  console.log(`next: ${root}dist/svc --help`);
}
