/** The log of a model server: its lines as they come, bounded and redacted, and the last of them for errors. */
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import { fileStamp } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";

const LOG_BYTES = 32 * 1024 * 1024;
const LINE_CHARS = 2_000;
const LAST_LINES = 5;

export interface ServerLog extends Disposable {
  readonly path: string;
  /** What a program wrote; lines may come in parts. */
  take(chunk: Uint8Array): Promise<void>;
  /** The last lines, oldest first. */
  last(): readonly string[];
}

export async function serverLog(
  { files, clock, redact, note }: {
    readonly files: Pick<Files, "makeFolder" | "openAppend">;
    readonly clock: Pick<Clock, "now">;
    readonly redact: Redact;
    readonly note: (text: string) => void;
  },
  folder: string,
): Promise<ServerLog> {
  await files.makeFolder(folder);
  const path = `${folder}/${fileStamp(clock.now())}-llama-server.log`;
  const file = await files.openAppend(path);
  const decoder = new TextDecoder();
  const last: string[] = [];
  let [rest, written] = ["", 0];
  /** A server that loaded for minutes must not end because a disk is full. */
  const write = async (text: string) => {
    try {
      await file.write(text);
    } catch (thrown) {
      written = Infinity;
      note(`its log cannot be written: ${Failure.from(thrown).message}; it goes on without`);
    }
  };
  return {
    path,
    last: () => last,
    async take(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!.slice(-LINE_CHARS);
      if (lines.length === 0) return;
      const shown = lines.map((line) => redact(line.slice(0, LINE_CHARS)));
      last.push(...shown.filter((line) => line.trim() !== ""));
      last.splice(0, last.length - LAST_LINES);
      if (written > LOG_BYTES) return;
      const text = `${shown.join("\n")}\n`;
      written += text.length;
      await write(written > LOG_BYTES ? `${text}The log ends here: it is full.\n` : text);
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}
