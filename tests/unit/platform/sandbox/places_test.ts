import assert from "node:assert/strict";
import type { ExecutionRules } from "svc/core/execution.ts";
import { sandboxPlaces } from "svc/platform/sandbox/places.ts";
import { refusal } from "tests/kit/refusal.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

type Named = Partial<Pick<ExecutionRules, "caches" | "hidden" | "toolchains">>;

async function house() {
  const folder = await tempFolder();
  const home = folder.path;
  const make = async (...names: readonly string[]) => {
    for (const name of names) await Deno.mkdir(`${home}/${name}`, { recursive: true });
  };
  await make(".svc/db", ".ssh", ".config/gh", ".npm/a", "work/app");
  return {
    home,
    make,
    places: (path: string, named: Named = {}) =>
      sandboxPlaces({ caches: [], toolchains: [], hidden: [], ...named }, {
        env: { HOME: home, PATH: path },
        own: [`${home}/.svc`],
        databases: [],
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("homes, sockets and temporary files are empty, and so is the svc home wherever it lies", async () => {
  await using at = await house();
  const { emptied, home } = await at.places("/usr/bin:/bin", { hidden: ["/srv"] });
  for (
    const folder of ["/home", "/root", "/run", "/tmp", "/var", at.home, `${at.home}/.svc`, "/srv"]
  ) {
    assert.ok(emptied.includes(folder), folder);
  }
  assert.equal(home, at.home);
  assert.deepEqual(emptied, emptied.toSorted(), "parents come first");
});

Deno.test("a folder of PATH in the home is shown with what its programs need, and nothing beside it", async () => {
  await using at = await house();
  const node = ".nvm/versions/node/v22.1.0";
  await at.make(
    `${node}/bin`,
    ".cargo/bin",
    ".rustup",
    "bin",
    "work/app/bin",
    ".ssh/bin",
    ".svc/bin",
  );
  await Deno.symlink(`${at.home}/${node}`, `${at.home}/current`);
  const path = [
    `${node}/bin`,
    ".cargo/bin",
    "bin",
    "work/app/bin",
    ".ssh/bin",
    ".svc/bin",
    "current/bin",
    "none",
  ]
    .map((name) => `${at.home}/${name}`);
  const { shown, links } = await at.places([...path, at.home, "/usr/bin", "bin"].join(":"));
  assert.deepEqual(
    shown.filter((one) => one.startsWith(at.home)).map((one) => one.slice(at.home.length + 1)),
    [".cargo/bin", node, ".rustup", "bin", "work/app/bin"].sort(),
  );
  assert.deepEqual(links, [{ at: `${at.home}/current/bin`, to: `${at.home}/${node}/bin` }]);
});

Deno.test("the config gives away neither the home, nor secrets, nor the system", async () => {
  await using at = await house();
  await Deno.symlink(`${at.home}/.ssh`, `${at.home}/keys`);
  const never = ["", "/.ssh", "/.svc", "/.svc/db", "/.config", "/.config/gh", "/keys", "/absent"]
    .map((name) => at.home + name);
  for (const path of [...never, "/", "/usr", "/etc", "/tmp"]) {
    for (const key of ["caches", "toolchains"]) {
      await assert.rejects(
        at.places("/bin", { [key]: [path] }),
        refusal("environment", new RegExp(`^Cannot use .* of execution\\.${key}: `)),
        `${key} ${path}`,
      );
    }
  }
  await assert.rejects(
    at.places("/bin", { caches: [`${at.home}/.npm`, `${at.home}/.npm/a`] }),
    refusal("environment", /lies in the cache/),
  );
  await assert.rejects(at.places("/bin", { hidden: ["/usr"] }), refusal("environment", /hidden/));
  const { caches } = await at.places("/bin", { caches: [`${at.home}/.npm`] });
  assert.deepEqual(caches, [`${at.home}/.npm`]);
});
