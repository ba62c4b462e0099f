import assert from "node:assert/strict";
import { chosenSandbox } from "svc/cli/chosen_sandbox.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { cannotContain, rulesWith } from "tests/kit/sandboxes.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

Deno.test({
  name: "a sandbox shows no files of other repos where the home leads to them by a link",
  ignore: await cannotContain(),
  async fn() {
    await using folder = await tempFolder();
    const base = await Deno.realPath(folder.path);
    await Deno.mkdir(`${base}/.svc`);
    for (const name of ["worktrees", "repos"]) {
      await Deno.mkdir(`${base}/disk/${name}`, { recursive: true });
      await Deno.symlink(`${base}/disk/${name}`, `${base}/.svc/${name}`);
    }
    const known: Record<string, string> = { HOME: base, PATH: "/usr/bin:/bin" };
    const env = { get: (name: string) => known[name] };
    const app = {
      ...{ env, files: denoFiles(), home: homeOf(env) },
      load: (path: string) => import(`../../../${path}.ts`),
      settings: () => Promise.resolve({ execution: rulesWith() }),
    } as unknown as Parameters<typeof chosenSandbox>[0];
    const sandbox = await chosenSandbox(app, { typed: "bubblewrap" }, denoProcesses())();
    const { args } = sandbox!.line({
      ...{ program: "true", args: [], env: {}, cwd: "/", contain: { step: "checks" } },
    }, "/bin/true");
    const emptied = args.filter((_, at) => args[at - 1] === "--tmpfs");
    for (const name of ["worktrees", "repos"]) {
      assert.ok(emptied.includes(`${base}/disk/${name}`), `${emptied}`);
    }
  },
});
