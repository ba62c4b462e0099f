/** How svc starts itself again: with the runtime and the files with which it was started. */
import type { Entrance } from "svc/platform/entrance.ts";

interface OwnProgram {
  readonly program: string;
  readonly args: readonly string[];
}

/** As in `tools/portable_stub.sh`. */
const PORTABLE = [
  ...["run", "-A", "-q", "--no-config", "--no-lock", "--cached-only"],
  "--unstable-worker-options",
];

export function ownProgram({ runtime, url }: Pick<Entrance, "runtime" | "url">): OwnProgram {
  const program = Deno.execPath();
  if (runtime.build === "compiled") return { program, args: [] };
  const main = url("main");
  const how = runtime.build === "portable" ? PORTABLE : ["run", "-A", "--quiet"];
  return { program, args: [...how, main] };
}
