/** What the config may say of MCP servers. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";

const parsed = (server: object, name = "docs") =>
  Config.safeParse({ mcp: { servers: { [name]: { roles: ["qa"], ...server } } } });

const TAKEN: readonly object[] = [
  { command: ["npx", "-y", "some-server"], env: ["DOCS_KEY"] },
  { url: "https://docs.example/mcp", key_env: "DOCS_KEY" },
  { url: "http://127.0.0.1:3001/mcp", key_env: "DOCS_KEY" },
  { url: "http://docs.example/mcp" },
];

for (const server of TAKEN) {
  Deno.test(`taken: ${JSON.stringify(server)}`, () => {
    assert.equal(parsed(server).error, undefined);
  });
}

const REFUSED: readonly (readonly [server: object, why: RegExp])[] = [
  [{}, /either command or url/],
  [{ command: ["a"], url: "https://docs.example/" }, /either command or url/],
  [{ command: ["a"], roles: [] }, /roles/],
  [{ command: ["a", "b\n"] }, /control character/],
  [{ command: ["a"], env: ["SVC_GITHUB_TOKEN"] }, /credential of svc/],
  [{ command: ["a"], env: ["LD_PRELOAD"] }, /how programs are started/],
  [{ command: ["a"], key_env: "DOCS_KEY" }, /name the variable in env/],
  [{ url: "https://docs.example/", env: ["DOCS_KEY"] }, /name the variable in key_env/],
  [{ url: "http://docs.example/", key_env: "DOCS_KEY" }, /go out unencrypted/],
  [{ url: "http://localhost/", key_env: "DOCS_KEY" }, /go out unencrypted/],
  [{ url: "https://u:p@docs.example/" }, /no user, password/],
  [{ url: "file:///etc/passwd" }, /http or https/],
  [{ command: ["a"], timeout_seconds: 601 }, /600/],
  [{ command: ["a"], shell: true }, /shell/],
];

for (const [server, why] of REFUSED) {
  Deno.test(`refused: ${JSON.stringify(server)}`, () => {
    assert.match(String(parsed(server).error), why);
  });
}

for (const name of ["a__b", "A", "a.b", "-a", "a".repeat(25)]) {
  Deno.test(`no name of a server: ${name}`, () => {
    assert.notEqual(parsed({ command: ["a"] }, name).error, undefined);
  });
}
