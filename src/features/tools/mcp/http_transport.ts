/** The SDK's transport over streamable HTTP: takes an answer up again where its stream closes, and leaves no session behind. */
import {
  type FetchLike,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { type Clock, within } from "svc/platform/clock.ts";

/** Ms for the server to end its session. */
const LEAVE_MS = 1_000;

/** Ms before a closed stream is asked for again, whatever shorter time the server says. */
const RESUME_MS = 250;

/** Ms that a server may say; a call never lasts longer. */
const LONGEST_WAIT_MS = 600_000;

/** Times in a row that a stream cannot be had again. */
const RESUMES = 3;

/** What a request fails with whose answer broke off; the code is one that JSON-RPC leaves free (jsonrpc.org, "Error object"). */
const BROKE_OFF = { code: -32_000, message: "its answer broke off", data: Symbol("broke off") };

export const brokeOff = (thrown: unknown): boolean =>
  thrown instanceof ProtocolError && thrown.data === BROKE_OFF.data;

interface HttpTransportPlan {
  readonly clock: Pick<Clock, "sleep">;
  readonly url: string;
  readonly fetch: FetchLike;
}

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #clock: HttpTransportPlan["clock"];

  constructor({ clock, url, fetch }: HttpTransportPlan) {
    super(new URL(url), {
      fetch,
      reconnectionOptions: {
        initialReconnectionDelay: RESUME_MS,
        maxReconnectionDelay: 4 * RESUME_MS,
        reconnectionDelayGrowFactor: 2,
        maxRetries: RESUMES,
      },
      reconnectionScheduler(resume, delayMs) {
        const given = new AbortController();
        const wait = Math.min(Math.max(delayMs, RESUME_MS), LONGEST_WAIT_MS);
        void clock.sleep(wait, given.signal).then(() => {
          if (!given.signal.aborted) resume();
        });
        return () => given.abort();
      },
    });
    this.#clock = clock;
  }

  /** A request whose stream ends without its answer fails then; the SDK would wait until the call's time is over. */
  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const onRequestStreamEnd = () => {
      // The SDK passes over it for a request that was answered.
      this.onmessage?.({ jsonrpc: "2.0", id: message.id, error: BROKE_OFF });
    };
    return super.send(message, { ...options, onRequestStreamEnd });
  }

  /** The server may hold much for a session, such as a browser ("Session Management", modelcontextprotocol.io). */
  async leave(): Promise<void> {
    const left = this.terminateSession().catch(() => {}); // it may be gone, or keep its sessions
    await within(this.#clock, LEAVE_MS, left);
    await this.close();
  }
}
