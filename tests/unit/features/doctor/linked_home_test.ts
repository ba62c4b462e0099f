/** A home on another disk, and a config among dotfiles: both are links. */
import assert from "node:assert/strict";
import { examine } from "svc/features/doctor/examine.ts";
import { MACHINE_PROBES } from "svc/features/doctor/machine_probes.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

Deno.test("a home and a config that are links are as what they lead to", async () => {
  await using at = await tempFolder();
  const [real, root, dotfile] = ["real", "link", "dotfile"].map((name) => `${at.path}/${name}`);
  await Deno.mkdir(real!, { mode: 0o700 });
  await Deno.symlink(real!, root!);
  await Deno.writeTextFile(dotfile!, "codehost_token: abcdefg12345\n", { mode: 0o600 });
  await Deno.symlink(dotfile!, `${real}/config.yaml`);
  const probes = MACHINE_PROBES.filter(({ id }) => id === "home" || id === "config");
  const found = async () => {
    const { findings } = await examine(probes, {
      files: denoFiles(),
      home: () => ({ root, cache: `${root}/cache` }),
      configPath: () => `${root}/config.yaml`,
      diskFree: () => Promise.resolve(2 ** 40),
      named: {},
      reportingSaid: () => ({}),
    } as unknown as ProbeContext);
    return findings.filter(({ level }) => level !== "ok").map(({ text, fix }) => [text, fix]);
  };
  assert.deepEqual(await found(), []);
  await Deno.chmod(dotfile!, 0o644);
  await Deno.chmod(real!, 0o755);
  assert.deepEqual(await found(), [
    [`${root} is open to other users`, `chmod 700 ${root}`],
    [
      `${root}/config.yaml holds a credential and is open to other users`,
      `chmod 600 ${root}/config.yaml`,
    ],
  ]);
  await Deno.remove(real!, { recursive: true });
  assert.deepEqual(await found(), [
    [`${root} is a link to a folder that does not exist`, `ls -l ${root}`],
  ]);
});
