/** What keys do to a service, and how the screen follows it, on a terminal that keeps what is drawn. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import type { Terminal, TerminalSize } from "svc/platform/terminal.ts";
import { runTerminal, type TerminalPorts } from "svc/terminal/live.ts";
import { FakeService } from "tests/kit/fake_service.ts";
import { busy, repoStatus } from "tests/kit/service_statuses.ts";
import { verifies } from "tests/kit/verifies.ts";

/** Only a failing test waits this long. */
const DEADLINE_MS = 10_000;

class FakeTerminal implements Terminal {
  readonly calls: string[] = [];
  shown: TerminalSize = { columns: 200, rows: 30 };
  frame = "";
  press: (typed: string) => void = () => {};
  #drawn = Promise.withResolvers<void>();

  // deno-lint-ignore require-await -- as the port has it
  async take() {
    this.calls.push("take");
  }

  // deno-lint-ignore require-await -- as the port has it
  async takeKeys() {
    this.calls.push("take keys");
  }

  // deno-lint-ignore require-await -- as the port has it
  async giveBack() {
    this.calls.push("give back");
  }

  size(): TerminalSize {
    return this.shown;
  }

  // deno-lint-ignore require-await -- as the port has it
  async draw(text: string) {
    this.frame = text;
    this.#drawn.resolve();
    this.#drawn = Promise.withResolvers();
  }

  listen(heard: (typed: string) => void): Promise<void> {
    this.press = heard;
    return new Promise(() => {});
  }

  /** Waits for a frame that has it. */
  async sees(pattern: RegExp): Promise<void> {
    const late = AbortSignal.timeout(DEADLINE_MS);
    while (!pattern.test(this.frame)) {
      const given = Promise.withResolvers<never>();
      const giveUp = () => given.reject(new Error(`Cannot find ${pattern} in ${this.frame}`));
      late.addEventListener("abort", giveUp);
      await Promise.race([this.#drawn.promise, given.promise]);
      late.removeEventListener("abort", giveUp);
    }
  }
}

function start(service: FakeService) {
  const terminal = new FakeTerminal();
  const ports: TerminalPorts = {
    ...{ clock: systemClock, terminal, redact: (text: string) => text },
    log: { write() {} },
  };
  const urls = { dashboard: "http://127.0.0.1:9091" };
  return {
    terminal,
    running: runTerminal(ports, { service, urls, database: undefined, styled: false }),
  };
}

verifies("4.4:keys:pause-or-resume", "key p pauses, and resumes when paused", async () => {
  const service = new FakeService();
  const { terminal, running } = start(service);
  await terminal.sees(/p pause/);
  terminal.press("p");
  await terminal.sees(/Paused: no new job starts; p resumes/);
  await terminal.sees(/p resume/);
  terminal.press("p");
  await terminal.sees(/Resumed: jobs start again/);
  assert.deepEqual(service.asked, [
    "pause: p was pressed in the terminal of svc start",
    "resume",
  ]);
  await service.stop();
  await running;
});

verifies("4.4:keys:warm-restart", "key r asks for a warm restart, once at a time", async () => {
  const service = new FakeService();
  const restarted = Promise.withResolvers<void>();
  service.restart = () => {
    service.asked.push("restart");
    return restarted.promise;
  };
  const { terminal, running } = start(service);
  await terminal.sees(/r restart/);
  terminal.press("r");
  await terminal.sees(/Restarting: jobs are stopped gracefully …/);
  terminal.press("r");
  await terminal.sees(/Wait for this to end: Restarting/);
  restarted.resolve();
  await terminal.sees(/Restarted: manifests and triggers were read again/);
  assert.deepEqual(service.asked, ["restart"]);
  await service.stop();
  await running;
});

verifies("4.4:keys:scan", "key s scans every repo, past one that cannot be", async () => {
  const repos = [repoStatus("shop"), repoStatus("gone"), repoStatus("blog")];
  const service = new FakeService(busy({ shape: "serve", repos }));
  const { terminal, running } = start(service);
  await terminal.sees(/s scan/);
  terminal.press("s");
  await terminal.sees(
    /Scanned 2 repos: 6 findings, 2 tickets written, 4 known already; gone: Cannot scan: .*; try: svc register/,
  );
  assert.deepEqual(service.asked, ["scan id-of-shop", "scan id-of-gone", "scan id-of-blog"]);
  await service.stop();
  await running;
});

verifies(
  "4.4:keys:graceful-stop",
  "key q stops gracefully, and at once when asked again",
  async () => {
    const service = new FakeService(busy(), true);
    const { terminal, running } = start(service);
    await terminal.sees(/q stop/);
    terminal.press("q");
    await terminal.sees(/stopping: waits for engineer on SHOP-9.*Ctrl-C again to stop at once/);
    terminal.press("p");
    await terminal.sees(/Cannot pause: svc start is stopping; try: svc start, once it has stopped/);
    terminal.press("q");
    await running;
    assert.deepEqual(service.asked, ["stop", "stop"]);
    assert.deepEqual(terminal.calls, ["take", "give back"]);
    assert.equal(service.listeners, 0);
  },
);

verifies("4.4:keys:help", "key h prints the key help, and takes it away", async () => {
  const service = new FakeService();
  const { terminal, running } = start(service);
  await terminal.sees(/h help/);
  terminal.press("h");
  await terminal.sees(/warm restart: jobs stop gracefully/);
  terminal.press("?");
  await terminal.sees(/decided/);
  await service.stop();
  await running;
});

Deno.test("runTerminal draws anew when the window has another size", async () => {
  const service = new FakeService();
  const { terminal, running } = start(service);
  await terminal.sees(/dashboard/);
  terminal.shown = { columns: 30, rows: 6 };
  await terminal.sees(/too small: 30×6/);
  await service.stop();
  await running;
});

Deno.test("runTerminal gives the terminal back when it cannot go on", async () => {
  const service = new FakeService();
  const { terminal, running } = start(service);
  await terminal.sees(/dashboard/);
  service.status = () => Promise.reject(new Error("no status"));
  service.happen();
  await assert.rejects(running, /no status/);
  assert.deepEqual(terminal.calls, ["take", "give back"]);
  assert.equal(service.listeners, 0);
  await service.stop();
});

Deno.test("runTerminal ends with a service that could not begin", async () => {
  const service = new FakeService();
  const failed = Promise.reject(new Error("it could not begin"));
  Object.defineProperty(service, "done", { value: failed });
  const { terminal, running } = start(service);
  await running;
  assert.deepEqual(terminal.calls, ["take", "give back"]);
});
