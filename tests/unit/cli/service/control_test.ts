import assert from "node:assert/strict";
import { openControl, type ServiceRun } from "svc/cli/service/control.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { systemClock } from "svc/platform/clock.ts";
import { homeOf } from "svc/platform/home.ts";
import { openStore } from "svc/store/open.ts";
import { FakeService } from "tests/kit/fake_service.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const { load } = denoEntrance(new URL("../../../../main.ts", import.meta.url).href);

/** A service of whose repos one does not answer. */
class StuckService extends FakeService {
  override status(): ReturnType<FakeService["status"]> {
    return new Promise(() => {});
  }
}

verifies(
  ["4.3:healthz:orchestrator-health"],
  "health is told of the engine and the database; no repo is waited for",
  async () => {
    await using folder = await tempFolder();
    const env = {
      get: (name: string) => name === "HOME" ? folder.path : undefined,
      all: () => ({}),
    };
    const files = denoFiles();
    const log = { write() {} };
    const ports = { files, clock: systemClock, log };
    await using store = await openStore(ports, `${folder.path}/svc.db`);
    const service = new StuckService();
    const app = {
      ...{ ...ports, load, env: { ...env, forget() {} }, home: homeOf(env) },
      settings: () => Promise.reject(new Error("nobody asks")),
    };
    const run = {
      ...{
        app,
        shape: "serve",
        ports: { ...ports, db: store.db },
        startedAt: systemClock.monotonic(),
      },
      options: { addr: "127.0.0.1:0", concurrency: 3 },
      secrets: {},
      living: { service },
    } as unknown as ServiceRun;
    const listener = await openControl(run);
    try {
      const response = await fetch(`http://127.0.0.1:${listener.address.port}/healthz`);
      const { ok, workers, running, paused } = await response.json();
      const { length } = service.shown.running;
      assert.deepEqual({ ok, workers, running, paused }, {
        ...{ ok: true, workers: 3, running: length, paused: false },
      });
    } finally {
      await listener.stop(0);
    }
  },
);
