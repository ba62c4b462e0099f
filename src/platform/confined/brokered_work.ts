/** What the broker does piece by piece: runs programs and reads trees, handing over as it goes. */
import { BROKER_BATCH_BYTES, SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Admitted } from "./admitted_repos.ts";
import type { Offer } from "./broker.ts";
import type { Processes, Run } from "svc/platform/process/process.ts";
import type { ReadTree, Unread } from "svc/platform/files/tree_reader.ts";

/** Files that the broker reads before it hands them over, and how many go into one message. */
const BROKER_BATCH_FILES = 32;

/** A run as it crosses the port. */
export interface PlainRun extends Omit<Run, "signal" | "onOutput"> {
  /** It was given up before it began. */
  readonly cancelled: boolean;
  /** Its output is wanted as it comes. */
  readonly streamed: boolean;
}

export interface OutputEvent {
  readonly chunk: Uint8Array;
  readonly stream: "stdout" | "stderr";
}

export function offerProcesses(processes: Processes): Offer[string] {
  return {
    async run([asked], { signal, emit }) {
      const { cancelled, streamed, ...run } = asked as PlainRun;
      return await processes.run({
        ...run,
        signal: cancelled ? AbortSignal.abort() : signal,
        ...(streamed && {
          onOutput(chunk, stream) {
            const copy = chunk.slice();
            return emit({ chunk: copy, stream } satisfies OutputEvent, [copy.buffer]);
          },
        }),
      });
    },
    sweep: ([tag]) => processes.sweep(String(tag)),
  };
}

/** Some files of a tree, in order. */
export type TreeEvent = readonly (readonly [path: string, content: Uint8Array | Unread])[];

/** A listing of git has none of these; a Worker may make one up. */
const leaves = (path: string) =>
  path.split("/").some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()));

export function offerTree(readTree: ReadTree, admitted: Admitted): Offer[string] {
  return {
    async read([root, asked, most], { signal, emit }) {
      const repo = await admitted.repo(root);
      const paths = (asked as readonly unknown[]).map(String);
      const maxBytes = Math.min(most as number, SECRET_FILE_BYTES);
      if (paths.some(leaves)) {
        throw new Failure("refused", "Cannot read a tree: a path leaves it", {
          remedy: "Name files below the root",
        });
      }
      for (let at = 0; at < paths.length; at += BROKER_BATCH_FILES) {
        if (signal.aborted) throw new Failure("interrupted", "Cannot read a tree: given up");
        const plan = { root: repo.root, paths: paths.slice(at, at + BROKER_BATCH_FILES), maxBytes };
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

/** In batches of `BROKER_BATCH_BYTES`: the reader itself cannot be made to wait. */
async function read(readTree: ReadTree, plan: Parameters<ReadTree>[0]): Promise<TreeEvent[]> {
  const batches: [string, Uint8Array | Unread][][] = [[]];
  let bytes = 0;
  await readTree(plan, (path, content) => {
    const isText = content instanceof Uint8Array;
    if (isText && bytes > 0 && bytes + content.length > BROKER_BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    bytes += isText ? content.length : 0;
    batches.at(-1)!.push([path, isText ? content.slice() : content]);
  });
  return batches;
}
