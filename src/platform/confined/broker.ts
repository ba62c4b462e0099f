/** Calls across a MessagePort: the main thread offers objects, a confined Worker calls their methods. */
import { Failure, type FailureCode, type FailureDetail } from "svc/core/failure.ts";

/** The raw cause does not cross the port. */
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

interface BrokerCall {
  readonly id: number;
  readonly object: string;
  readonly method: string;
  readonly args: readonly unknown[];
}
type BrokerRequest =
  | BrokerCall
  | { readonly id: number } & ({ readonly cancel: true } | { readonly handled: true });
type BrokerReply =
  & { readonly id: number }
  & (
    | { readonly value: unknown }
    | { readonly failure: FailureData }
    | { readonly event: unknown }
  );

export interface BrokerCallContext {
  readonly signal: AbortSignal;
  /** Resolves when the caller has handled the event, or is gone; buffers in `transfer` are moved. */
  emit(event: unknown, transfer?: ArrayBuffer[]): Promise<void>;
}

/** Arguments come from a thread that is not trusted: each method checks its own. */
export type OfferedMethod = (
  args: readonly unknown[],
  incoming: BrokerCallContext,
) => Promise<unknown> | unknown;

/** What is not listed cannot be called. */
export type BrokerOffer = Readonly<Record<string, Readonly<Record<string, OfferedMethod>>>>;

export function only<T extends object, K extends keyof T & string>(
  object: T,
  methods: readonly K[],
): Readonly<Record<string, OfferedMethod>> {
  type Bound = (...args: readonly unknown[]) => unknown;
  return Object.fromEntries(
    methods.map((name) => [name, (args) => (object[name] as Bound).apply(object, [...args])]),
  );
}

interface RunningCall {
  readonly gone: AbortController;
  readonly unhandled: (() => void)[];
}

/** A failing call never ends the broker. Disposing it aborts running calls and waits for their end. */
export function offer(port: MessagePort, objects: BrokerOffer): AsyncDisposable {
  const running = new Map<number, RunningCall>();
  const ends = new Set<Promise<void>>();
  let open = true;
  const post = (reply: BrokerReply, transfer: ArrayBuffer[] = []) => {
    if (open) port.postMessage(reply, transfer);
  };

  async function run({ id, object, method, args }: BrokerCall): Promise<void> {
    const call: RunningCall = { gone: new AbortController(), unhandled: [] };
    running.set(id, call);
    const emit: BrokerCallContext["emit"] = (event, transfer) => {
      if (!open) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      call.unhandled.push(resolve);
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

  port.onmessage = ({ data }: MessageEvent<BrokerRequest>) => {
    if (typeof data !== "object" || data === null) return;
    const known = running.get(data.id);
    if ("object" in data) {
      if (known !== undefined) return;
      const end: Promise<void> = run(data).finally(() => ends.delete(end));
      ends.add(end);
    } else if ("cancel" in data) known?.gone.abort();
    else known?.unhandled.shift()?.();
  };
  return {
    async [Symbol.asyncDispose]() {
      open = false;
      port.close();
      for (const { gone, unhandled } of running.values()) {
        gone.abort();
        for (const handled of unhandled) handled();
      }
      await Promise.all(ends);
    },
  };
}

function answer(objects: BrokerOffer, object: string, method: string): OfferedMethod {
  const methods = Object.hasOwn(objects, object) ? objects[object]! : {};
  if (Object.hasOwn(methods, method)) return methods[method]!;
  throw new Failure("refused", `Cannot call "${object}.${method}": not offered to this Worker`, {
    remedy: "Run with a profile that allows it",
  });
}

interface CallOptions {
  /** Aborts the signal that the method sees; the method still decides the answer. */
  readonly signal?: AbortSignal | undefined;
  /** In order, one at a time. What it throws cancels the call, and is thrown. */
  readonly onEvent?: (event: unknown) => void | Promise<void>;
}

export type Reach = <T>(
  object: string,
  method: string,
  args: readonly unknown[],
  options?: CallOptions,
) => Promise<T>;

interface PendingCall {
  readonly answer: PromiseWithResolvers<unknown>;
  readonly options: CallOptions;
  handling: Promise<void>;
  broken?: { readonly thrown: unknown };
}

export function reach(port: MessagePort): Reach {
  const waiting = new Map<number, PendingCall>();
  let calls = 0;
  const post = (ask: BrokerRequest) => port.postMessage(ask);

  async function handle(id: number, call: PendingCall, event: unknown): Promise<void> {
    try {
      if (call.broken === undefined) await call.options.onEvent?.(event);
    } catch (thrown) {
      call.broken = { thrown };
      post({ id, cancel: true });
    }
    post({ id, handled: true });
  }

  async function settle(
    data: Exclude<BrokerReply, { event: unknown }>,
    call: PendingCall,
  ): Promise<void> {
    await call.handling;
    if (call.broken !== undefined) call.answer.reject(call.broken.thrown);
    else if ("failure" in data) call.answer.reject(failureOf(data.failure));
    else call.answer.resolve(data.value);
  }

  port.onmessage = ({ data }: MessageEvent<BrokerReply>) => {
    const call = waiting.get(data.id);
    if (call === undefined) return;
    if ("event" in data) {
      call.handling = call.handling.then(() => handle(data.id, call, data.event));
      return;
    }
    waiting.delete(data.id);
    settle(data, call);
  };

  return async <T>(object: string, method: string, args: readonly unknown[], options = {}) => {
    const { signal } = options as CallOptions;
    const id = ++calls;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, { answer, options, handling: Promise.resolve() });
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
