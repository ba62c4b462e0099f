/** Runs the confinement probe in whatever Worker loads it, to show that the attempts are real. */
import { probeConfinement } from "svc/platform/confined/confinement_probe.ts";

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent) => void;
  postMessage(message: unknown): void;
};
scope.onmessage = async ({ data }) => scope.postMessage(await probeConfinement(data));
