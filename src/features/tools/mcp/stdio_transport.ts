/** The SDK's transport to a program that svc starts and ends as it does other children ("stdio", modelcontextprotocol.io). */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJSONRPCRequest, parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { Failure } from "svc/core/failure.ts";
import { linesOf } from "svc/core/line_reader.ts";
import type { Clock } from "svc/platform/clock.ts";
import { within } from "svc/platform/clock.ts";
import {
  type ChildInput,
  type Ended,
  howItEnded,
  type Processes,
  type Run,
} from "svc/platform/process/process.ts";
import { MCP_ANSWER_BYTES } from "./http_fetch.ts";

/** Ms for a program to end once its input has; then TERM, and KILL. */
const LEAVE_MS = 500;

/** Lines that are no message, to one request; many servers print a greeting, and some log to their output. */
const STRANGE_LINES = 100;

/** Messages to one request of svc's; each costs time to read. */
const MESSAGES = 5_000;

/** Characters of standard error that the message about its end holds. */
const TOLD_BYTES = 2_000;

/** Messages that wait for the program to read them. */
function outgoing(): ChildInput & { push(text: string): void; end(): void } {
  const waiting: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let ended = false;
  let more = Promise.withResolvers<void>();
  return {
    push(text) {
      waiting.push(encoder.encode(text));
      more.resolve();
    },
    end() {
      ended = true;
      more.resolve();
    },
    async read() {
      while (waiting.length === 0 && !ended) await more.promise;
      more = Promise.withResolvers<void>();
      return waiting.shift();
    },
  };
}

const FLOODS = "it sent more than it was asked for";

function lastWords({ stderr }: Ended): string {
  const text = new TextDecoder().decode(stderr.truncated ? stderr.tail : stderr.head);
  const told = text.slice(-TOLD_BYTES).trim();
  return told === "" ? "" : `; it said last: ${told}`;
}

/**
 * The count starts again with each request to the server, so the limit applies to one answer, also where svc answers
 * requests of the server meanwhile.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #stop = new AbortController();
  readonly #input = outgoing();
  readonly #lines = new TransformStream<Uint8Array, Uint8Array>();
  #run: Promise<void> = Promise.resolve();
  #bytes = 0;
  #messages = 0;
  #strange = 0;
  #closed = false;
  #fault: string | undefined;
  #said = "";

  constructor(
    private readonly ports: {
      readonly processes: Pick<Processes, "run">;
      readonly clock: Pick<Clock, "sleep">;
    },
    private readonly command: Run,
  ) {}

  /** Why it ended; undefined while it lives. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** The end of its standard error, as the rest of a sentence; empty while it lives. */
  get said(): string {
    return this.#said;
  }

  start(): Promise<void> {
    this.#run = this.#live();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#fault !== undefined) throw new Error(this.#fault ?? "it was ended");
    if (isJSONRPCRequest(message)) [this.#bytes, this.#messages, this.#strange] = [0, 0, 0];
    this.#input.push(`${JSON.stringify(message)}\n`);
    await Promise.resolve();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#input.end();
    const { clock } = this.ports;
    if (!await within(clock, LEAVE_MS, this.#run)) this.#stop.abort();
    await this.#run;
  }

  /** Never throws. */
  async #live(): Promise<void> {
    const writer = this.#lines.writable.getWriter();
    const read = this.#read();
    try {
      const ended = await this.ports.processes.run({
        ...this.command,
        input: this.#input,
        signal: this.#stop.signal,
        onOutput: async (chunk, stream) => {
          if (stream !== "stdout" || this.#fault !== undefined) return;
          this.#bytes += chunk.length;
          if (this.#bytes > MCP_ANSWER_BYTES) this.#end(FLOODS);
          else await writer.write(chunk.slice());
        },
      });
      this.#said = lastWords(ended);
      this.#end(`it ${howItEnded(ended)}${this.#said}`);
    } catch (thrown) {
      const { message, remedy } = Failure.from(thrown);
      this.#end(`${message}. ${remedy}`);
    } finally {
      await writer.close().catch(() => {}); // its reader has ended too
      await read;
      this.onclose?.();
    }
  }

  #end(why: string): void {
    if (!this.#closed) this.#fault ??= why;
    this.#stop.abort();
    this.#input.end();
  }

  async #read(): Promise<void> {
    for await (const line of linesOf(this.#lines.readable, MCP_ANSWER_BYTES)) {
      if (this.#fault !== undefined) continue;
      if (!("text" in line)) this.#end("it sent a line that is not UTF-8");
      else if (line.text.trim() !== "") this.#take(line.text);
    }
  }

  #take(text: string): void {
    if (++this.#messages > MESSAGES) return this.#end(FLOODS);
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(text));
    } catch {
      // A greeting, or garbage.
      if (++this.#strange > STRANGE_LINES) this.#end("it writes what is no message");
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(thrown as Error);
    }
  }
}
