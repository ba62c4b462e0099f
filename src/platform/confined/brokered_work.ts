/** What the broker streams to a confined Worker: objects of git, output of programs, files of a tree. */
import { BROKER_BATCH_BYTES, SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { AdmittedRepos } from "./admitted_repos.ts";
import type { BrokerOffer, OfferedMethod } from "./broker.ts";
import { GIT_READS, USER_SETTINGS } from "./brokered_verbs.ts";
import type { Blob, Git, GitRepo } from "svc/platform/git/git.ts";
import type { ChildInput, Processes, Run } from "svc/platform/process/process.ts";
import type { ReadTree, Unread } from "svc/platform/files/tree_reader.ts";

const BROKER_BATCH_FILES = 32;

/** An open repo without its verbs: data that can cross the port. */
export type BrokeredRepo = Pick<GitRepo, "root" | "gitDir" | "commonDir" | "branch" | "operation">;

export function offerGit(git: Git, admitted: AdmittedRepos): BrokerOffer[string] {
  type Verb = (...args: readonly unknown[]) => Promise<unknown>;
  const verbs = GIT_READS.map((verb): [string, OfferedMethod] => [
    verb,
    async ([root, interruptible, ...args]) =>
      await ((await admitted.repo(root, interruptible === true))[verb] as Verb)(...args),
  ]);
  return {
    version: () => git.version(),
    userSetting([key]) {
      if (USER_SETTINGS.includes(String(key))) return git.userSetting(String(key));
      throw new Failure("refused", `Cannot read your git setting ${quoted(String(key))}`);
    },
    async open([path, interruptible]): Promise<BrokeredRepo> {
      const repo = await admitted.open(path, interruptible === true);
      const { root, gitDir, commonDir, branch, operation } = repo;
      return { root, gitDir, commonDir, branch, operation };
    },
    ...Object.fromEntries(verbs),
    async catFiles([root, interruptible, oids, maxBytes], { emit, signal }) {
      const repo = await admitted.repo(root, interruptible === true);
      let [blobs, bytes]: [Blob[], number] = [[], 0];
      const flush = async () => {
        if (blobs.length > 0) await emit(blobs);
        [blobs, bytes] = [[], 0];
      };
      await repo.catFiles(oids as readonly string[], async (blob) => {
        if (signal.aborted) throw new Failure("interrupted", "Cannot read objects: given up");
        // A view of a larger buffer would cross the port with all of it.
        blobs.push(blob.state === "read" ? { ...blob, bytes: blob.bytes.slice() } : blob);
        bytes += blob.state === "read" ? blob.bytes.length : 0;
        if (bytes >= BROKER_BATCH_BYTES) await flush();
      }, maxBytes as number | undefined);
      await flush();
    },
  };
}

export interface PlainRun extends Omit<Run, "input" | "onOutput" | "signal"> {
  readonly cancelled: boolean;
  readonly streamed: boolean;
  /** Key of what `feed` brings; the Worker chose it. */
  readonly fed?: string;
}

interface FedInput extends ChildInput {
  /** Resolves when the child has taken the bytes, or will never. */
  push(bytes: Uint8Array | undefined): Promise<void>;
  end(): void;
}

/** One part waits at a time: `push` waits for the child. */
function fedInput(): FedInput {
  type Part = { readonly bytes: Uint8Array | undefined; taken(): void };
  const waiting: Part[] = [];
  let ended = false;
  let [asked, taken] = [Promise.withResolvers<void>(), () => {}];
  return {
    async read() {
      taken();
      while (waiting.length === 0 && !ended) await asked.promise;
      const part = waiting.shift();
      asked = Promise.withResolvers<void>();
      taken = part?.taken ?? (() => {});
      return part?.bytes;
    },
    async push(bytes) {
      if (ended) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ bytes, taken: resolve });
      asked.resolve();
      await promise;
    },
    end() {
      ended = true;
      taken();
      for (const part of waiting.splice(0)) part.taken();
      asked.resolve();
    },
  };
}

export interface OutputEvent {
  readonly chunk: Uint8Array;
  readonly stream: "stdout" | "stderr";
}

/** Programs of jobs run in a sandbox. */
export interface SandboxedJobs {
  readonly repo: AdmittedRepos["repo"];
  /** Command lines of the servers that the user's config lets run outside; `{tree}` is the work tree. */
  readonly outside: readonly (readonly string[])[];
}

/** A Worker only names the tree: the main thread knows the rest. @throws Failure `refused` */
async function containedIn(
  { program, args, contain }: Pick<Run, "args" | "contain" | "program">,
  { repo, outside }: SandboxedJobs,
): Promise<Pick<Run, "contain">> {
  // It pushes.
  if (contain === undefined && program === "git") return {};
  if (contain === undefined) {
    throw new Failure("refused", `Cannot run ${quoted(program)} outside the sandbox`);
  }
  const { step, tree } = contain;
  const isOutside = (words: readonly string[]) =>
    JSON.stringify(
      words.map((word, at) => at === 0 ? word : word.replaceAll("{tree}", tree ?? "")),
    ) ===
      JSON.stringify([program, ...args]);
  if (contain.outside) {
    if (outside.some(isOutside)) return {};
    throw new Failure("refused", `Cannot run ${quoted(program)} outside the sandbox`);
  }
  if (tree === undefined) return { contain: { step } };
  const { root, commonDir } = await repo(tree);
  return { contain: { step, tree: root, commonDir } };
}

export function offerProcesses(
  processes: Processes,
  sandboxed?: SandboxedJobs,
): BrokerOffer[string] {
  const inputs = new Map<string, FedInput>();
  return {
    async run([asked], { signal, emit }) {
      const { cancelled, streamed, fed, ...run } = asked as PlainRun;
      const input = fed === undefined ? undefined : fedInput();
      if (input !== undefined) inputs.set(fed!, input);
      try {
        return await processes.run({
          ...run,
          ...(sandboxed && await containedIn(run, sandboxed)),
          signal: cancelled ? AbortSignal.abort() : signal,
          ...(input && { input }),
          ...(streamed && {
            onOutput(chunk, stream) {
              const copy = chunk.slice();
              return emit({ chunk: copy, stream } satisfies OutputEvent, [copy.buffer]);
            },
          }),
        });
      } finally {
        input?.end();
        if (fed !== undefined) inputs.delete(fed);
      }
    },
    feed: ([key, bytes]) => inputs.get(String(key))?.push(bytes as Uint8Array | undefined),
    sweep: ([tag]) => processes.sweep(String(tag)),
  };
}

export type TreeEvent = readonly (readonly [
  path: string,
  content: Uint8Array | Unread,
  stamp: string,
])[];

/** No listing of git has such a path, but a Worker may make one up. */
const leaves = (path: string) =>
  path.split("/").some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()));

export function offerTree(readTree: ReadTree, admitted: AdmittedRepos): BrokerOffer[string] {
  return {
    async read([root, asked, most, known], { signal, emit }) {
      const repo = await admitted.repo(root);
      const paths = (asked as readonly unknown[]).map(String);
      const maxBytes = Math.min(most as number, SECRET_FILE_BYTES);
      const stamps = known instanceof Map ? known as ReadonlyMap<string, string> : undefined;
      if (paths.some(leaves)) {
        throw new Failure("refused", "Cannot read a tree: a path leaves it", {
          remedy: "Name files below the root",
        });
      }
      for (let at = 0; at < paths.length; at += BROKER_BATCH_FILES) {
        if (signal.aborted) throw new Failure("interrupted", "Cannot read a tree: given up");
        const some = paths.slice(at, at + BROKER_BATCH_FILES);
        const plan = { root: repo.root, paths: some, maxBytes, ...(stamps && { stamps }) };
        for (const batch of await read(readTree, { ...plan, signal })) {
          const buffers = batch.map(([, content]) =>
            content instanceof Uint8Array ? content.buffer as ArrayBuffer : undefined
          );
          await emit(batch, buffers.filter((buffer) => buffer !== undefined));
        }
      }
    },
  };
}

/** Reads in batches of `BROKER_BATCH_BYTES`, since the reader itself cannot wait. */
async function read(readTree: ReadTree, plan: Parameters<ReadTree>[0]): Promise<TreeEvent[]> {
  const batches: [string, Uint8Array | Unread, string][][] = [[]];
  let bytes = 0;
  await readTree(plan, (path, content, stamp) => {
    const isText = content instanceof Uint8Array;
    if (isText && bytes > 0 && bytes + content.length > BROKER_BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    bytes += isText ? content.length : 0;
    batches.at(-1)!.push([path, isText ? content.slice() : content, stamp]);
  });
  return batches;
}
