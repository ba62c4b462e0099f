import assert from "node:assert/strict";
import {
  bubblewrapArgs,
  limitScript,
  type LinePlan,
} from "svc/platform/sandbox/bubblewrap_line.ts";
import type { SandboxPlaces } from "svc/platform/sandbox/places.ts";

const MB = 1024 * 1024;
const LIMITS = { memory_mb: 512, processes: 100, file_mb: 3, temporary_mb: 64 };
const PLACES: SandboxPlaces = {
  home: "/home/ada",
  emptied: ["/home", "/home/ada/.svc", "/run", "/tmp", "/var", "/var/tmp"],
  keyFiles: [],
  shown: [],
  links: [],
  caches: [],
  resolver: undefined,
};
const PLAN: LinePlan = {
  contain: { step: "commands", tree: "/home/ada/w/tree", commonDir: "/home/ada/shop/.git" },
  network: "none",
  limits: LIMITS,
  cwd: "/home/ada/w/tree/src",
  masked: [],
};

function line(places: Partial<SandboxPlaces> = {}, plan: Partial<LinePlan> = {}): string {
  const args = bubblewrapArgs({ ...PLACES, ...places }, { ...PLAN, ...plan });
  for (const arg of args) assert.equal(typeof arg, "string");
  return ` ${args.join(" ")} `;
}

Deno.test("a job writes in its tree alone, and in no folder of git", () => {
  const [tree, git] = ["/home/ada/w/tree", "/home/ada/shop/.git"];
  // What comes later lies on top of what came before.
  const bound = ` --ro-bind ${git} ${git} --bind ${tree} ${tree} ` +
    `--ro-bind ${tree}/.git ${tree}/.git --chdir `;
  const cache = "/home/ada/.npm";
  assert.ok(line({ caches: [cache] }).includes(` --bind ${cache} ${cache}${bound}`));
  const none = line({}, { contain: { step: "commands" } });
  for (const told of [tree, git, "--bind ", "undefined"]) assert.ok(!none.includes(told), told);
});

Deno.test("sockets are found below /var/run exactly where /var is emptied", () => {
  assert.ok(line().includes(" --symlink /run /var/run "));
  assert.ok(!line({ emptied: ["/home", "/run", "/tmp"] }).includes("/var/run"));
});

Deno.test("no folder is bound that lies in the job's tree, or that the tree or git's folder lies in", () => {
  const around = [
    ...["/home/ada/w/tree", "/home/ada/w/tree/bin", "/home/ada/w", "/home/ada"],
    ...["/home/ada/shop", "/home/ada/shop/.git"],
  ];
  const apart = ["/home/ada/w/tree-tools", "/home/ada/shop/.github"];
  const bare = line();
  for (const path of around) {
    assert.equal(line({ shown: [path] }), bare, path);
    assert.equal(line({ caches: [path] }), bare, path);
  }
  for (const path of apart) {
    assert.ok(line({ shown: [path] }).includes(` --ro-bind ${path} ${path} `), path);
    assert.ok(line({ caches: [path] }).includes(` --bind ${path} ${path} `), path);
  }
});

Deno.test("a link of PATH is made where the job cannot have put another thing", () => {
  const to = "/usr/share";
  assert.ok(
    line({ links: [{ at: "/home/ada/bin", to }] }).includes(` --symlink ${to} /home/ada/bin `),
  );
  assert.equal(line({ links: [{ at: "/home/ada/w/tree/bin", to }] }), line());
});

Deno.test("names of servers can be asked for exactly where there is a network", () => {
  const resolver = "/run/resolve/stub.conf";
  assert.ok(!line({ resolver }).includes(resolver));
  assert.ok(line({ resolver }).includes(" --unshare-net "));
  const open = line({ resolver }, { network: "full" });
  assert.ok(open.includes(` --ro-bind ${resolver} ${resolver} `));
  assert.ok(!open.includes("--unshare-net"));
  assert.equal(line({}, { network: "full" }), line().replace(" --unshare-net ", " "));
});

Deno.test("temporary folders are for all and have room; what else is emptied has little", () => {
  const all = line();
  const room = (mb: number, folder: string, perms = "0755") =>
    assert.ok(all.includes(` --perms ${perms} --size ${mb * MB} --tmpfs ${folder} `), folder);
  for (const folder of ["/tmp", "/var/tmp"]) room(64, folder, "1777");
  room(64, "/home");
  for (const folder of ["/home/ada/.svc", "/run", "/var"]) room(4, folder);
});

Deno.test("a program starts in its tree, and in the empty home where it has none", () => {
  assert.ok(line().includes(" --chdir /home/ada/w/tree/src "));
  assert.ok(line({}, { cwd: "/home/ada/shop" }).includes(" --chdir /home/ada "));
  assert.ok(line({}, { contain: { step: "commands" } }).includes(" --chdir /home/ada "));
});

Deno.test("the limits hold for what the shell starts, whichever shell it is", async () => {
  const args = ["-c", limitScript(LIMITS), "name", "cat", "/proc/self/limits"];
  const { stdout, code } = await new Deno.Command("/bin/sh", { args }).output();
  assert.equal(code, 0);
  const soft = (limit: string) =>
    new RegExp(`^${limit} +(\\d+)`, "m").exec(new TextDecoder().decode(stdout))?.[1];
  assert.equal(soft("Max core file size"), "0");
  assert.equal(soft("Max file size"), String(3 * MB));
  assert.equal(soft("Max data size"), String(512 * MB));
  assert.equal(soft("Max processes"), "1600");
});
