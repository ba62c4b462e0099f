/** The message channel of a Worker to the thread that started it. */

interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as WorkerScope;

/** Packages read settings there: without `--no-prompt` Deno would ask the person at the terminal. */
export function hideEnvironment(): void {
  const empty = { get: () => undefined, has: () => false, toObject: () => ({}) };
  for (const [name, value] of Object.entries(empty)) {
    Object.defineProperty(Deno.env, name, { value, configurable: true });
  }
}

export function onWorkerMessage(handle: (event: MessageEvent) => void): void {
  scope.onmessage = handle;
}

export function postToMain(message: unknown): void {
  scope.postMessage(message);
}
