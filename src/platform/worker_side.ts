/** The message channel of a Worker to the thread that started it. */

interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as WorkerScope;

export function onWorkerMessage(handle: (event: MessageEvent) => void): void {
  scope.onmessage = handle;
}

export function postToMain(message: unknown): void {
  scope.postMessage(message);
}
