import assert from "node:assert/strict";
import { gitUrl } from "svc/core/git_url.ts";

Deno.test("gitUrl takes https, ssh, git and paths", () => {
  for (
    const [typed, protocol, name] of [
      ["https://github.com/acme/app.git", "https", "app"],
      ["https://github.com/acme/app/", "https", "app"],
      ["http://127.0.0.1:3000/acme/app.git", "http", "app"],
      ["ssh://git@host:2222/acme/app.git", "ssh", "app"],
      ["git@host:acme/app.git", "ssh", "app"],
      ["git://host/acme/app", "git", "app"],
      ["/srv/git/app.git", "file", "app"],
      ["file:///srv/git/app.git", "file", "app"],
    ] as const
  ) {
    const found = gitUrl(typed);
    assert.deepEqual([found.protocol, found.name], [protocol, name], typed);
  }
});

Deno.test("gitUrl refuses what holds a login, starts a program, or is no URL, and shows no password", () => {
  for (
    const typed of [
      "https://ada:hunter2@host/acme/app",
      "https://ada@host/acme/app",
      "ada:hunter2@host:acme/app",
      "ssh://ada:hunter2@host/acme/app",
      "ext::sh -c id",
      "ext::id",
      "-oProxyCommand=id",
      "ssh://-oProxyCommand=id/app",
      "http://host/acme/app",
      "ftp://host/acme/app",
      "https://host",
      "https://host/a?b",
      "../app.git",
      "",
      "https://host/a\nb",
    ]
  ) {
    assert.throws(() => gitUrl(typed), (thrown: Error & { code: string }) => {
      assert.equal(thrown.code, "usage", typed);
      assert.doesNotMatch(thrown.message, /hunter2/, typed);
      return true;
    }, typed);
  }
});
