/** What of svc's own a sandbox hides, wherever links of its home lead to. */
import assert from "node:assert/strict";
import type { App } from "svc/app.ts";
import { chosenSandbox } from "svc/cli/chosen_sandbox.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { homeOf } from "svc/platform/home.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { sandboxPlaces, type SandboxUser } from "svc/platform/sandbox/places.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

Deno.test("folders of svc's home that are links are empty where they lead to", async () => {
  await using folder = await tempFolder();
  const HOME = folder.path;
  // Not below what is emptied anyway.
  const disk = await Deno.makeTempDir({ dir: "/dev/shm" });
  try {
    await Deno.mkdir(`${HOME}/.svc/db`, { recursive: true });
    await Deno.symlink(disk, `${HOME}/.svc/worktrees`);
    const users: SandboxUser[] = [];
    const app = {
      env: { get: (name: string) => ({ HOME, PATH: "/usr/bin" })[name] },
      home: homeOf({ get: (name) => name === "HOME" ? HOME : undefined }),
      settings: () => Promise.resolve(Config.parse({})),
      load: () =>
        Promise.resolve({
          openBubblewrap: (_: unknown, { user }: { readonly user: SandboxUser }) =>
            Promise.resolve(void users.push(user)),
        }),
    };
    await chosenSandbox(app as unknown as App, { typed: "bubblewrap" }, denoProcesses())();
    const rules = { caches: [], toolchains: [], hidden: [] };
    const { emptied } = await sandboxPlaces(rules, users[0]!);
    const own = emptied.filter((path) => path.startsWith(`${HOME}/`) || path === disk);
    assert.deepEqual(own, [disk, `${HOME}/.svc`]);
  } finally {
    await Deno.remove(disk);
  }
});
