/** Calls across a MessagePort: the main thread offers objects, a confined Worker reaches them. */
import { Failure, type FailureCode, type FailureDetail } from "svc/core/failure.ts";

/** A failure as plain data; a raw cause stays on its own side. */
export interface FailureData {
  readonly code: FailureCode;
  readonly message: string;
  readonly remedy?: string;
  readonly waits?: boolean;
}

export function failureData(thrown: unknown): FailureData {
  const { code, message, detail: { remedy, waits } } = Failure.from(thrown);
  return { code, message, ...(remedy !== undefined && { remedy }), ...(waits && { waits }) };
}

export function failureOf({ code, message, remedy, waits }: FailureData): Failure {
  const detail: FailureDetail = {
    ...(remedy !== undefined && { remedy }),
    ...(waits && { waits }),
  };
  return new Failure(code, message, detail);
}

interface Call {
  readonly id: number;
  readonly object: string;
  readonly method: string;
  readonly args: readonly unknown[];
}
/** What the Worker sends: a call, then as it runs that it is given up, or that an event is dealt with. */
type Ask = Call | { readonly id: number } & ({ readonly cancel: true } | { readonly dealt: true });
type Reply =
  & { readonly id: number }
  & (
    | { readonly value: unknown }
    | { readonly failure: FailureData }
    | { readonly event: unknown }
  );

/** What an offered method may use besides its arguments. */
export interface Incoming {
  /** Aborted when the caller gives the call up, and when the caller is gone. */
  readonly signal: AbortSignal;
  /**
   * Hands the caller one event, a copy; resolves when the caller has dealt with it, or is gone.
   * @param transfer buffers of the event that are given away instead of copied
   */
  emit(event: unknown, transfer?: ArrayBuffer[]): Promise<void>;
}

/** Arguments come from a thread that is not trusted: each method checks its own. */
export type Method = (args: readonly unknown[], incoming: Incoming) => Promise<unknown> | unknown;

/** Method names by object: what is not listed cannot be called. */
export type Offer = Readonly<Record<string, Readonly<Record<string, Method>>>>;

/** The named methods of an object, bound; the rest of it stays out of reach. */
export function only<T extends object, K extends keyof T & string>(
  object: T,
  methods: readonly K[],
): Readonly<Record<string, Method>> {
  type Bound = (...args: readonly unknown[]) => unknown;
  return Object.fromEntries(
    methods.map((name) => [name, (args) => (object[name] as Bound).apply(object, [...args])]),
  );
}

interface Running {
  readonly gone: AbortController;
  /** First in, first out: the Worker deals with events in their order. */
  readonly undealt: (() => void)[];
}

/**
 * Answers calls until it is disposed; a failing call never ends the broker. Disposing it aborts the
 * calls that still run and waits until they have ended.
 */
export function offer(port: MessagePort, objects: Offer): AsyncDisposable {
  const running = new Map<number, Running>();
  const ends = new Set<Promise<void>>();
  let open = true;
  const post = (reply: Reply, transfer: ArrayBuffer[] = []) => {
    if (open) port.postMessage(reply, transfer);
  };

  async function run({ id, object, method, args }: Call): Promise<void> {
    const call: Running = { gone: new AbortController(), undealt: [] };
    running.set(id, call);
    const emit: Incoming["emit"] = (event, transfer) => {
      if (!open) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      call.undealt.push(resolve);
      post({ id, event }, transfer);
      return promise;
    };
    try {
      const incoming = { signal: call.gone.signal, emit };
      const value = await answer(objects, object, method)(args, incoming);
      post({ id, value });
    } catch (thrown) {
      post({ id, failure: failureData(thrown) });
    } finally {
      running.delete(id);
    }
  }

  port.onmessage = ({ data }: MessageEvent<Ask>) => {
    if (typeof data !== "object" || data === null) return;
    const known = running.get(data.id);
    if ("object" in data) {
      if (known !== undefined) return;
      const end: Promise<void> = run(data).finally(() => ends.delete(end));
      ends.add(end);
    } else if ("cancel" in data) known?.gone.abort();
    else known?.undealt.shift()?.();
  };
  return {
    async [Symbol.asyncDispose]() {
      open = false;
      port.close();
      for (const { gone, undealt } of running.values()) {
        gone.abort();
        for (const dealt of undealt) dealt();
      }
      await Promise.all(ends);
    },
  };
}

function answer(objects: Offer, object: string, method: string): Method {
  const methods = Object.hasOwn(objects, object) ? objects[object]! : {};
  if (Object.hasOwn(methods, method)) return methods[method]!;
  throw new Failure("refused", `Cannot call "${object}.${method}": not offered to this Worker`, {
    remedy: "Run with a profile that allows it",
  });
}

export interface CallOptions {
  /** Its abort reaches the method; the answer is then whatever the method makes of it. */
  readonly signal?: AbortSignal | undefined;
  /** Sees the events in their order, one at a time. What it throws gives the call up, and is thrown. */
  readonly onEvent?: (event: unknown) => void | Promise<void>;
}

/** Calls a method of an object that the broker offers. */
export type Reach = <T>(
  object: string,
  method: string,
  args: readonly unknown[],
  options?: CallOptions,
) => Promise<T>;

interface Waiting {
  readonly answer: PromiseWithResolvers<unknown>;
  readonly options: CallOptions;
  /** Ends when the last event is dealt with. */
  dealing: Promise<void>;
  broken?: { readonly thrown: unknown };
}

/** The Worker's side of `offer`. */
export function reach(port: MessagePort): Reach {
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  const post = (ask: Ask) => port.postMessage(ask);

  async function deal(id: number, call: Waiting, event: unknown): Promise<void> {
    try {
      if (call.broken === undefined) await call.options.onEvent?.(event);
    } catch (thrown) {
      call.broken = { thrown };
      post({ id, cancel: true });
    }
    post({ id, dealt: true });
  }

  async function settle(data: Exclude<Reply, { event: unknown }>, call: Waiting): Promise<void> {
    await call.dealing;
    if (call.broken !== undefined) call.answer.reject(call.broken.thrown);
    else if ("failure" in data) call.answer.reject(failureOf(data.failure));
    else call.answer.resolve(data.value);
  }

  port.onmessage = ({ data }: MessageEvent<Reply>) => {
    const call = waiting.get(data.id);
    if (call === undefined) return;
    if ("event" in data) {
      call.dealing = call.dealing.then(() => deal(data.id, call, data.event));
      return;
    }
    waiting.delete(data.id);
    settle(data, call);
  };

  return async <T>(object: string, method: string, args: readonly unknown[], options = {}) => {
    const { signal } = options as CallOptions;
    const id = ++calls;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, { answer, options, dealing: Promise.resolve() });
    const cancel = () => post({ id, cancel: true });
    try {
      post({ id, object, method, args });
      if (signal?.aborted) cancel();
      signal?.addEventListener("abort", cancel);
      return await answer.promise as T;
    } finally {
      waiting.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  };
}
