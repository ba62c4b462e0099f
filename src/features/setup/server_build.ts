/** The build of llama.cpp's server that svc fetches by itself on some systems, and where it is then. */
import { Failure } from "svc/core/failure.ts";
import type { Registry, Server } from "svc/features/models/choose/registry.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import { howItEnded, type Processes } from "svc/platform/process/process.ts";
import { childEnv, reposOn } from "svc/platform/process/program.ts";
import type { System } from "./server_programs.ts";

/** Folders within an archive that lead to the program. */
const DEPTH = 3;

/** None on Linux: what serves models there is the user's choice (spec section 4.5, behaviour rule 1). */
export function buildFor({ os, arch }: System, { servers }: Pick<Registry, "servers">) {
  return os === "linux" ? undefined : servers.find(({ system }) => system === `${os}-${arch}`);
}

const programName = ({ os }: System) => os === "windows" ? "llama-server.exe" : "llama-server";

async function programIn(
  files: Pick<Files, "list" | "stat">,
  folder: string,
  name: string,
  depth = DEPTH,
): Promise<string | undefined> {
  const own = `${folder}/${name}`;
  if ((await files.stat(own))?.kind === "file") return own;
  if (depth === 0 || await files.stat(folder) === undefined) return undefined;
  for (const entry of (await files.list(folder)).entries) {
    if (entry.kind !== "folder") continue;
    const found = await programIn(files, `${folder}/${entry.name}`, name, depth - 1);
    if (found !== undefined) return found;
  }
}

const folderOf = (bin: string, { artifact }: Server) => `${bin}/llama.cpp-${artifact.revision}`;

/** Where an earlier setup has put the program. */
export function installedServer(
  files: Pick<Files, "list" | "stat">,
  bin: string,
  build: Server,
  system: System,
): Promise<string | undefined> {
  return programIn(files, folderOf(bin, build), programName(system));
}

/**
 * Unpacks a downloaded build, whose digest was right, with the system's tar, which reads zip as well outside Linux.
 * @throws Failure `environment` where it cannot be unpacked, or holds no server
 */
export async function installServer(
  ports: {
    readonly files: Pick<Files, "list" | "makeFolder" | "stat">;
    readonly processes: Pick<Processes, "run">;
    readonly env: Pick<Env, "all">;
    readonly signal: AbortSignal;
  },
  { archive, bin, build, system }: {
    readonly archive: string;
    readonly bin: string;
    readonly build: Server;
    readonly system: System;
  },
): Promise<string> {
  const folder = folderOf(bin, build);
  const cannot = (why: string) =>
    new Failure("environment", `Cannot unpack "${archive}": ${why}`, {
      remedy: "Check that tar is there and the disk has room, then run svc setup again",
    });
  await ports.files.makeFolder(folder);
  const env = childEnv(ports.env.all());
  const ended = await ports.processes.run({
    program: "tar",
    args: ["-xf", archive, "-C", folder],
    cwd: folder,
    env,
    refuseUnder: [folder, ...reposOn(env["PATH"] ?? "")],
    signal: ports.signal,
  });
  if (ended.code !== 0) throw cannot(`tar ${howItEnded(ended)}`);
  const program = await installedServer(ports.files, bin, build, system);
  if (program === undefined) throw cannot(`it holds no ${programName(system)}`);
  return program;
}
