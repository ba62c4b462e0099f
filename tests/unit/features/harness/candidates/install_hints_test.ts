import assert from "node:assert/strict";
import { installHint, OF_DEBIAN } from "svc/features/harness/candidates/install_hints.ts";

const only = (...names: string[]) => ({ has: (name: string) => names.includes(name) });

const ROWS: readonly (readonly [program: string, here: string[], hint: string])[] = [
  ["ruff", ["apt-get", "pipx"], "pipx install ruff"],
  ["ruff", ["apt-get"], "sudo apt-get install pipx && pipx install ruff"],
  ["ruff", [], "pip install --user ruff"],
  ["mvn", ["apt-get"], "sudo apt-get install maven"],
  ["make", ["pacman"], "sudo pacman -S make"],
  ["mvn", ["pacman"], "Install mvn"],
  ["mvn", ["dnf"], "sudo dnf install /usr/bin/mvn"],
  ["mvn", ["apk"], "sudo apk add cmd:mvn"],
  ["deno", ["apt-get", "corepack"], "npm install --global deno"],
  ["just", ["apt-get"], "Install just"],
  ["constructor", ["apt-get"], "Install constructor"],
  ["make", [], "Install make"],
  ["swift", ["apt-get"], "Install swift"],
  ["pnpm", ["corepack"], "corepack enable pnpm"],
];

for (const [program, here, hint] of ROWS) {
  Deno.test(`${program} is installed by "${hint}" where PATH has ${here.join(", ") || "nothing"}`, () => {
    assert.equal(installHint(program, only(...here)), hint);
  });
}

/** `apt-get update` has run here: `make test` does so where it lacks a program. */
function hasLists(): boolean {
  try {
    return [...Deno.readDirSync("/var/lib/apt/lists")].some(({ name }) =>
      name.includes("_Packages")
    );
  } catch {
    return false; // no Debian
  }
}

Deno.test({
  name: "Debian has each package that a hint names",
  ignore: !hasLists(),
  async fn() {
    const named = OF_DEBIAN.map((program) =>
      installHint(program, only("apt-get")).replace("sudo apt-get install ", "")
    );
    const { stdout } = await new Deno.Command("apt-cache", { args: ["policy", ...named] }).output();
    const known = `\n${new TextDecoder().decode(stdout)}`;
    assert.deepEqual(named.filter((name) => !known.includes(`\n${name}:\n`)), []);
    assert.doesNotMatch(known, /Candidate: \(none\)/);
  },
});
