/** What a thread and its Workers say to each other: files in pieces of shared bytes, and an answer for each file. */
import { hideEnvironment, onWorkerMessage, postToMain } from "./worker_side.ts";

/** The first message. */
export interface FileTask<Settings> {
  readonly settings: Settings;
  /** One number: how many pieces the Worker has done, which the other thread reads without waiting for messages. */
  readonly done: SharedArrayBuffer;
}

export interface FilePiece {
  readonly shared: SharedArrayBuffer;
  readonly files: readonly (readonly [path: string, end: number])[];
}

/** Answers as JSON: a list with one item for each file, null for a file that the other thread must look at itself. */
export type LookAtFile = (path: string, bytes: Uint8Array) => unknown;

/** The Worker's side. @param begin gets the settings of the task */
export function answerPieces<Settings>(begin: (settings: Settings) => LookAtFile): void {
  hideEnvironment();
  let task: { readonly done: Int32Array; readonly look: LookAtFile } | undefined;
  let own = new Uint8Array(0);
  onWorkerMessage(({ data }: MessageEvent<FileTask<Settings> | FilePiece>) => {
    if ("settings" in data) {
      task = { done: new Int32Array(data.done), look: begin(data.settings) };
      return;
    }
    const { done, look } = task!;
    // Decoders and digests take no shared bytes.
    const { byteLength } = data.shared;
    if (own.length < byteLength) own = new Uint8Array(byteLength);
    own.set(new Uint8Array(data.shared));
    let start = 0;
    const answers = data.files.map(([path, end]) => {
      const bytes = own.subarray(start, end);
      start = end;
      return answerOr(look, path, bytes);
    });
    postToMain(JSON.stringify(answers));
    Atomics.add(done, 0, 1);
  });
}

/** A failure here happens again in the other thread, which reports it. */
function answerOr(look: LookAtFile, path: string, bytes: Uint8Array): unknown {
  try {
    return look(path, bytes) ?? null;
  } catch {
    return null;
  }
}
