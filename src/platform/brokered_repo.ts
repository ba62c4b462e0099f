/** What a confined Worker may ask of its repo, and the Worker's view of it as the usual ports. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { type Offer, only, reach } from "./broker.ts";
import type { Folder, OpenFolder } from "./folder.ts";
import type { Blob, Git, GitRepo } from "./git.ts";

const FOLDER_READS = ["read", "stat", "list"] as const;
const FOLDER_WRITES = ["write", "makeFolder", "remove", "rename"] as const;
const GIT_READS = [
  "trackedFiles",
  "listFiles",
  "stagedFiles",
  "indexEntries",
  "status",
  "diff",
  "log",
  "outgoing",
  "configGet",
  "changes",
  "lineTimes",
] as const;

/** Objects asked for at once: their content crosses the port in one message. */
const BLOBS_A_CALL = 32;

/** A repo without its verbs: data that can cross the port. */
type RepoFacts = Pick<GitRepo, "root" | "gitDir" | "commonDir" | "branch" | "operation">;

/** An observer is not offered what changes files. */
export function offerRepo(folder: Folder, git: Git, root: string, writable: boolean): Offer {
  let opened: Promise<GitRepo> | undefined;
  const repo = () => opened ??= git.open(root);
  const verbs = Object.fromEntries(
    GIT_READS.map((verb) => [
      verb,
      async (...args: readonly unknown[]) =>
        await ((await repo())[verb] as (...args: readonly unknown[]) => Promise<unknown>)(...args),
    ]),
  );
  const methods = only(folder, writable ? [...FOLDER_READS, ...FOLDER_WRITES] : FOLDER_READS);
  return {
    folder: {
      ...methods,
      // The Worker is not trusted with the memory of this thread either.
      read: (path, options) => {
        const { maxBytes } = options as { maxBytes: number };
        return folder.read(String(path), { maxBytes: Math.min(maxBytes, FILE_WRITE_BYTES) });
      },
    },
    git: {
      version: () => git.version(),
      userSetting: (key) => git.userSetting(String(key)),
      async open(): Promise<RepoFacts> {
        const { root, gitDir, commonDir, branch, operation } = await repo();
        return { root, gitDir, commonDir, branch, operation };
      },
      ...verbs,
      async blobs(oids, maxBytes) {
        const blobs: Blob[] = [];
        const visit = (blob: Blob) => void blobs.push(blob);
        await (await repo()).catFiles(oids as string[], visit, maxBytes as number | undefined);
        return blobs;
      },
    },
  };
}

interface BrokeredGit extends Omit<GitRepo, "catFiles"> {
  version(): Promise<string>;
  userSetting(key: string): Promise<string | undefined>;
  open(): Promise<RepoFacts>;
  blobs(oids: readonly string[], maxBytes?: number): Promise<Blob[]>;
}

/** @param root the only repo that the broker serves */
export function reachRepo(port: MessagePort, root: string) {
  const broker = reach(port);
  const remote = broker<BrokeredGit>("git");
  const refuseOther = (asked: string) => {
    if (asked === root || asked.startsWith(`${root}/`)) return;
    throw new Failure("refused", `Cannot open "${asked}": this run is confined to "${root}"`, {
      remedy: `Use a path inside "${root}"`,
    });
  };
  const git: Git = {
    version: () => remote.version(),
    userSetting: (key) => remote.userSetting(key),
    async open(path) {
      refuseOther(path);
      const verbs = Object.fromEntries(GIT_READS.map((verb) => [verb, remote[verb]]));
      return {
        ...await remote.open(),
        ...verbs as Pick<GitRepo, typeof GIT_READS[number]>,
        async catFiles(oids, visit, maxBytes) {
          for (let at = 0; at < oids.length; at += BLOBS_A_CALL) {
            const blobs = await remote.blobs(oids.slice(at, at + BLOBS_A_CALL), maxBytes);
            for (const blob of blobs) await visit(blob);
          }
        },
      };
    },
  };
  return {
    git,
    folder(asked: string): Promise<OpenFolder> {
      refuseOther(asked);
      const methods = [...FOLDER_READS, ...FOLDER_WRITES];
      const folder = broker<Folder>("folder");
      const calls = Object.fromEntries(methods.map((method) => [method, folder[method]]));
      // The main thread holds the descriptor; nothing is to be given back here.
      return Promise.resolve({ ...calls as unknown as Folder, root, [Symbol.dispose]() {} });
    },
  };
}
