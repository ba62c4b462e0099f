import assert from "node:assert/strict";
import { installHint } from "svc/features/harness/candidates/install_hints.ts";

const only = (...names: string[]) => ({ has: (name: string) => names.includes(name) });

const ROWS: readonly (readonly [program: string, here: string[], hint: string])[] = [
  ["ruff", ["apt-get", "pipx"], "pipx install ruff"],
  ["ruff", ["apt-get"], "sudo apt-get install pipx && pipx install ruff"],
  ["ruff", [], "pip install --user ruff"],
  ["mvn", ["apt-get"], "sudo apt-get install maven"],
  ["make", ["pacman"], "sudo pacman -S make"],
  ["make", [], "Install make"],
  ["swift", ["apt-get"], "Install swift"],
  ["pnpm", ["corepack"], "corepack enable pnpm"],
];

for (const [program, here, hint] of ROWS) {
  Deno.test(`${program} is installed by "${hint}" where PATH has ${here.join(", ") || "nothing"}`, () => {
    assert.equal(installHint(program, only(...here)), hint);
  });
}
