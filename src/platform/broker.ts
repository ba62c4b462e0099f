/** Calls across a MessagePort: the main thread offers objects, a confined Worker reaches them. */
import { Failure, type FailureCode, type FailureDetail } from "svc/core/failure.ts";

/** A failure as plain data; a raw cause stays on its own side. */
export interface FailureData {
  readonly code: FailureCode;
  readonly message: string;
  readonly remedy?: string;
}

export function failureData(thrown: unknown): FailureData {
  const { code, message, detail } = Failure.from(thrown);
  return { code, message, ...(detail.remedy !== undefined && { remedy: detail.remedy }) };
}

export function failureOf({ code, message, remedy }: FailureData): Failure {
  const detail: FailureDetail = remedy === undefined ? {} : { remedy };
  return new Failure(code, message, detail);
}

interface Call {
  readonly id: number;
  readonly object: string;
  readonly method: string;
  readonly args: readonly unknown[];
}
type Reply =
  & { readonly id: number }
  & ({ readonly value: unknown } | { readonly failure: FailureData });

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Method names by object: what is not listed cannot be called. */
export type Offer = Readonly<Record<string, Readonly<Record<string, Method>>>>;

/** The named methods of an object, bound; the rest of it stays out of reach. */
export function only<T extends object, K extends keyof T & string>(
  object: T,
  methods: readonly K[],
): Readonly<Record<string, Method>> {
  return Object.fromEntries(
    methods.map((name) => [name, (...args) => (object[name] as Method).apply(object, [...args])]),
  );
}

/** Answers calls until the port closes; a failing call never ends the broker. */
export function offer(port: MessagePort, objects: Offer): void {
  port.onmessage = async ({ data }: MessageEvent<Call>) => {
    const { id, object, method, args } = data;
    const reply = await answer(objects, object, method, args)
      .then((value): Reply => ({ id, value }), (thrown): Reply => ({
        id,
        failure: failureData(thrown),
      }));
    port.postMessage(reply);
  };
}

async function answer(
  objects: Offer,
  object: string,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const methods = Object.hasOwn(objects, object) ? objects[object]! : {};
  if (!Object.hasOwn(methods, method)) {
    throw new Failure("refused", `Cannot call "${object}.${method}": not offered to this Worker`, {
      remedy: "Run with a profile that allows it",
    });
  }
  return await methods[method]!(...args);
}

/** The Worker's side: an object of the given name whose methods are calls to the broker. */
export function reach(port: MessagePort): <T extends object>(object: string) => T {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  port.onmessage = ({ data }: MessageEvent<Reply>) => {
    const answer = waiting.get(data.id);
    waiting.delete(data.id);
    if ("failure" in data) answer?.reject(failureOf(data.failure));
    else answer?.resolve(data.value);
  };
  const call = (object: string, method: string, args: readonly unknown[]) => {
    const answer = Promise.withResolvers<unknown>();
    waiting.set(++calls, answer);
    port.postMessage({ id: calls, object, method, args });
    return answer.promise;
  };
  return <T extends object>(object: string) =>
    new Proxy({} as T, {
      // An awaited object is asked for `then`: it must not look like a promise.
      get: (_, method) =>
        typeof method === "symbol" || method === "then"
          ? undefined
          : (...args: readonly unknown[]) => call(object, method, args),
    });
}
