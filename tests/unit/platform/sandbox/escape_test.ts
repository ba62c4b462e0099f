import assert from "node:assert/strict";
import { denoProcesses } from "svc/platform/process/process.ts";
import { escapeAttempts, EXCESSES, TRIED_LIMITS } from "svc/platform/sandbox/escape_attempts.ts";
import { tryEscape } from "svc/platform/sandbox/try_escape.ts";
import { cannotContain, openSandbox, rulesWith, sandboxedProcesses } from "tests/kit/sandboxes.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const ignore = await cannotContain();

const placeIn = (home: string) => ({
  folder: `${home}/.svc/cache/escape`,
  userHome: home,
  agent: "",
  env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: home },
});

Deno.test({
  name: "nothing of fifty and more attempts leaves Debian's bubblewrap as svc runs it",
  ignore,
  async fn() {
    await using home = await tempFolder();
    await home.write(".ssh/id_ed25519", "a key\n");
    await Deno.mkdir(`${home.path}/.svc`);
    const own = [`${home.path}/.svc`];
    const env = { HOME: home.path, PATH: "/usr/bin:/bin" };
    const sandbox = await openSandbox(home.path, rulesWith(), { own, env });
    const attempts = escapeAttempts();
    const made = await tryEscape(sandboxedProcesses(sandbox), placeIn(home.path), attempts);
    assert.ok(made.length >= 50, String(made.length));
    assert.deepEqual(made.filter(({ held }) => !held), []);
  },
});

Deno.test({
  name: "no program in the sandbox has more memory, processes or bytes of a file than it may",
  ignore,
  async fn() {
    await using home = await tempFolder();
    const sandbox = await openSandbox(home.path, rulesWith({ limits: TRIED_LIMITS }));
    const made = await tryEscape(sandboxedProcesses(sandbox), placeIn(home.path), EXCESSES);
    assert.deepEqual(made.filter(({ held }) => !held), []);
  },
});

Deno.test("without a sandbox most attempts succeed, so that they can fail", async () => {
  await using home = await tempFolder();
  await home.write(".ssh/id_ed25519", "a key\n");
  const harmless = escapeAttempts().filter(({ script }) =>
    /"\$(?:OWN|OTHER|TEMPORARY|PORT|VICTIM|USER_HOME)|SOCKET|\.git|-left/.test(script) &&
    !/umount|mount|kill -9 -1/.test(script)
  );
  const made = await tryEscape(denoProcesses(), placeIn(home.path), harmless);
  const got = made.filter(({ held }) => !held).length;
  assert.ok(got >= 15, `${got} of ${harmless.length}`);
});
