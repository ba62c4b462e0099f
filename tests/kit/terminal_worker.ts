/** The Worker of terminal_program.ts. */
import { failureData, reach } from "svc/platform/confined/broker.ts";
import { systemClock } from "svc/platform/clock.ts";
import { terminalOver } from "svc/platform/terminal.ts";
import { onWorkerMessage, postToMain } from "svc/platform/confined/worker_side.ts";
import { runTerminal } from "svc/terminal/live.ts";
import { FakeService } from "tests/kit/fake_service.ts";
import { busy } from "tests/kit/service_statuses.ts";

let service: FakeService | undefined;

/** What a word of the command line lets happen when `s` is pressed. */
const MISHAPS: Readonly<Record<string, (service: FakeService) => void>> = {
  well: () => {},
  lingers: () => {},
  stuck: (service) => {
    const stop = service.stop.bind(service);
    service.stop = () => {
      if (!service.asked.includes("stop")) void stop();
      return new Promise(() => {});
    };
  },
  dies: (service) => {
    service.scan = () => {
      setTimeout(() => {
        throw new Error("the Worker dies of this");
      });
      return new Promise(() => {});
    };
  },
  throws: (service) => {
    service.scan = () => {
      service.status = () => Promise.reject(new Error("no status"));
      return new Promise(() => {});
    };
  },
};

async function show(how: string, port: MessagePort) {
  const call = reach(port);
  const owner = {
    take: () => call<void>("terminal", "take", []),
    takeKeys: () => call<void>("terminal", "takeKeys", []),
    giveBack: () => call<void>("terminal", "giveBack", []),
  };
  service = new FakeService(busy(), how !== "well");
  MISHAPS[how]!(service);
  const log = { write() {} };
  const ports = {
    clock: systemClock,
    log,
    redact: (text: string) => text,
    terminal: terminalOver(owner),
  };
  const urls = { dashboard: "http://127.0.0.1:9091" };
  try {
    await runTerminal(ports, { service, urls, database: undefined, styled: true });
    return { exit: 0 };
  } catch (thrown) {
    return { failure: failureData(thrown) };
  }
}

onWorkerMessage(async ({ data, ports }) => {
  if ("stop" in data || "hurry" in data) void service?.stop();
  else postToMain(await show(data.how, ports[0]!));
});
