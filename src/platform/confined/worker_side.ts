/** The message channel of a Worker to the thread that started it. */

interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as WorkerScope;

/** Reading `process` brings the half of Node with it (40 ms): this waits until a package does. */
function hideProcessEnvironment(): void {
  const { get } = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  Object.defineProperty(globalThis, "process", {
    configurable: true,
    get() {
      const value = get!.call(globalThis);
      Object.defineProperty(value, "env", { value: {}, configurable: true });
      Object.defineProperty(globalThis, "process", { value, configurable: true });
      return value;
    },
  });
}

/** Packages read settings there: without `--no-prompt` Deno would ask the person at the terminal. */
export function hideEnvironment(): void {
  const empty = { get: () => undefined, has: () => false, toObject: () => ({}) };
  for (const [name, value] of Object.entries(empty)) {
    Object.defineProperty(Deno.env, name, { value, configurable: true });
  }
  hideProcessEnvironment();
}

export function onWorkerMessage(handle: (event: MessageEvent) => void): void {
  scope.onmessage = handle;
}

export function postToMain(message: unknown): void {
  scope.postMessage(message);
}
