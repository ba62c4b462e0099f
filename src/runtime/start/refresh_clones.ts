/** Updates a node's clones from their remotes when it starts: several at a time, independently of each other. */
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { type OpenerPorts, RepoOpener } from "svc/features/repos/repo.ts";

/** More would only share the same bandwidth, and code hosts limit the connections of one user. */
const AT_ONCE = 4;

type RefreshPorts = OpenerPorts & { readonly signal: AbortSignal };

/** @returns why it cannot be used now; it is tried again later */
async function faultOf(
  opener: RepoOpener,
  row: RegisteredRepo,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    using repo = await opener.open(row, { signal });
    await repo.shared?.refresh();
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = Failure.from(thrown);
    if (code === "internal") throw thrown;
    return message;
  }
}

/** Their manifests tell which hosts are needed. @param said gets how far it is. @returns faults, by path */
export async function refreshClones(
  ports: RefreshPorts,
  rows: readonly RegisteredRepo[],
  said: (text: string) => void,
): Promise<ReadonlyMap<string, string>> {
  const opener = new RepoOpener(ports);
  const faults = new Map<string, string>();
  const waiting = rows.values();
  let done = 0;
  const tell = () => said(`clones and fetches: ${done} of ${counted(rows.length, "repo")}`);
  const some = async () => {
    // All of them share the iterator, and each takes the next repo from it.
    for (const row of waiting) {
      const fault = await faultOf(opener, row, ports.signal);
      if (fault !== undefined) faults.set(row.path, fault);
      done++;
      tell();
    }
  };
  if (rows.length > 0) tell();
  await Promise.all(Array.from({ length: AT_ONCE }, some));
  return faults;
}
