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
    places: (path: string, named: Named = {}, HOME: string | undefined = home) =>
      sandboxPlaces({ caches: [], toolchains: [], hidden: [], ...named }, {
        env: { HOME, PATH: path },
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
  // Such as /run/systemd/resolve/stub-resolv.conf, without which no name of a server is found.
  const dns = await Deno.realPath("/etc/resolv.conf");
  assert.equal((await at.places("/bin", { hidden: [dns] })).resolver, dns);
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

Deno.test("a folder of PATH shows no more than its own tool, and never what is hidden", async () => {
  await using at = await house();
  const share = ".local/share";
  await at.make(`${share}/tool/bin`, `${share}/mise/bin`, ".cargo/bin", "relative/bin");
  await Deno.symlink(`${at.home}/.ssh`, `${at.home}/.rustup`);
  const below = (name: string) => `${at.home}/${name}`;
  const path = [
    ...[below(`${share}/tool/bin`), below(`${share}/mise/bin`)],
    // Its programs would need what stays hidden.
    below(".cargo/bin"),
    // Whole folders that are emptied, one of which no folder of svc lies in.
    ...["/run", "/tmp"],
    // Not an absolute path: it is another one wherever a program runs.
    Deno.cwd().replaceAll(/[^/]+/g, "..").slice(1) + below("relative/bin"),
  ];
  const { shown } = await at.places(path.join(":"));
  const hidden = ["/run", "/tmp", at.home];
  assert.deepEqual(
    shown.filter((one) => hidden.some((folder) => one === folder || one.startsWith(`${folder}/`))),
    [`${share}/mise`, `${share}/tool/bin`].map(below),
  );
});

Deno.test("a link in PATH is made anew exactly where it would be hidden", async () => {
  await using at = await house();
  await at.make("tool/bin");
  await Deno.symlink("/usr/share", `${at.home}/share`);
  // Not below what is emptied.
  const seen = await Deno.makeTempDir({ dir: "/dev/shm" });
  try {
    await Deno.symlink(`${at.home}/tool/bin`, `${seen}/bin`);
    const { shown, links } = await at.places(`${at.home}/share:${seen}/bin:${seen}`);
    assert.deepEqual(links, [{ at: `${at.home}/share`, to: "/usr/share" }]);
    const outside = (path: string) => path.startsWith(at.home) || path.startsWith(seen);
    assert.deepEqual(shown.filter(outside), [`${at.home}/tool/bin`]);
  } finally {
    await Deno.remove(seen, { recursive: true });
  }
});

Deno.test("a user of the system, whose home programs are in, has an empty home of its own", async () => {
  await using at = await house();
  await at.make("bin");
  for (const home of ["/usr/bin", "", "/absent"]) {
    const places = await at.places(`${at.home}/bin`, {}, home);
    assert.equal(places.home, "/tmp", home);
    assert.ok(!places.emptied.includes("/usr/bin"));
    assert.ok(places.shown.includes(`${at.home}/bin`));
  }
});

Deno.test("the config gives away neither the home, nor secrets, nor the system", async () => {
  await using at = await house();
  await Deno.symlink(`${at.home}/.ssh`, `${at.home}/keys`);
  await at.make(".ssh-tool", ".npm-tool");
  await Deno.writeTextFile(`${at.home}/file`, "");
  const never = [
    "",
    "/.ssh",
    "/.svc",
    "/.svc/db",
    "/.config",
    "/.config/gh",
    "/keys",
    "/file",
    "/absent",
  ]
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
  // A name that begins as another does is another.
  const apart = [".npm", ".npm-tool", ".ssh-tool"].map((name) => `${at.home}/${name}`);
  const { caches } = await at.places("/bin", { caches: apart });
  assert.deepEqual(caches, apart);
});
