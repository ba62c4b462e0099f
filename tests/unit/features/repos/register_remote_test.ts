import assert from "node:assert/strict";
import { checkedHost, checkedRemote, placeOfUrl } from "svc/features/repos/remote_place.ts";
import { verifies } from "tests/kit/verifies.ts";

Deno.test("placeOfUrl reads host and repo of the URLs that git clones from", () => {
  for (
    const [url, host] of [
      ["https://github.com/acme/app", "github.com"],
      ["https://github.com/acme/app.git", "github.com"],
      ["https://user:p@ss@github.com/acme/app.git/", "github.com"],
      ["https://GitHub.com:443/acme/app.git", "github.com"],
      ["ssh://git@github.com:22/acme/app.git", "github.com"],
      ["ssh://git@ssh.github.com:443/acme/app.git", "github.com"],
      ["git@github.com:acme/app.git", "github.com"],
      ["git@github.com.:acme/app.git", "github.com"],
      ["git@github.example.com:acme/app.git", "github.example.com"],
      ["git@github-work:acme/app.git", "github-work"],
      ["https://gitlab.com/acme/app.git", "gitlab.com"],
      ["https://github.com.evil.example/acme/app", "github.com.evil.example"],
      ["https://github.com@evil.example/acme/app", "evil.example"],
      ["https://git.example:8443/acme/app.git", "git.example:8443"],
      ["http://127.0.0.1:3000/acme/app.git", "127.0.0.1:3000"],
      ["ssh://git@git.example:2222/acme/app.git", "git.example"],
      ["git://host/acme/app", "host"],
      // An alias of ssh may be what every object has.
      ["git@constructor:acme/app.git", "constructor"],
    ] as const
  ) assert.deepEqual(placeOfUrl(url), { host, remote: "acme/app" }, url);
  for (
    const other of [
      "",
      "/srv/git/app.git",
      "../app.git",
      "file:///srv/acme/app",
      "https://github.com/app",
      "https://gitlab.com/group/sub/app.git",
      "git@host:/acme/app.git",
      "ext::sh -c touch% /tmp/x",
      "https://host/acme/..",
      "https://host/-acme/app",
      "https://ho st/acme/app",
      "https://github.com\\.evil.example/acme/app",
      "https://github.com#.evil.example/acme/app",
    ]
  ) assert.equal(placeOfUrl(other), undefined, other);
});

Deno.test("checkedHost takes a host's name and nothing else", () => {
  assert.equal(checkedHost("GitHub.Example.com"), "github.example.com");
  assert.equal(checkedHost("[::1]:3000"), "[::1]:3000");
  for (const bad of ["", "https://h", "h/x", "u@h", "h:x", "-h", "h:0", "h\n"]) {
    assert.throws(() => checkedHost(bad), { code: "usage" }, bad);
  }
});

verifies(
  "2.2:registered-repo:remote-form",
  "checkedRemote takes owner/repo and nothing else",
  () => {
    for (const good of ["acme/app", "a/b", "Acme-2/my.app_x"]) {
      assert.equal(
        checkedRemote(good),
        good,
      );
    }
    for (
      const [bad, remedy] of [
        ["", "owner/repo"],
        ["app", "owner/repo"],
        ["acme/app/x", "owner/repo"],
        ["acme/", "owner/repo"],
        ["-x/app", "owner/repo"],
        ["acme/..", "owner/repo"],
        ["acme/a b", "owner/repo"],
        ["acme/app\n", "owner/repo"],
        ["acme/app.git", "acme/app"],
        ["https://github.com/acme/app.git", "acme/app"],
        ["git@github.com:acme/app.git", "acme/app"],
        ["git@git.example:acme/app.git", "acme/app --host git.example"],
      ] as const
    ) {
      assert.throws(() => checkedRemote(bad), (thrown: { code: string; remedy: string }) => {
        assert.equal(thrown.code, "usage");
        assert.equal(thrown.remedy, `svc register --remote ${remedy}`);
        return true;
      }, bad);
    }
  },
);

Deno.test("checkedRemote names no way for a repo in a subgroup, which has no remote", () => {
  const subgroups = ["https://gitlab.com/acme/team/app.git", "git@gitlab.example.com:a/b/c/app"];
  for (const text of subgroups) {
    assert.throws(() => checkedRemote(text), (thrown: { code: string; remedy: string }) => {
      assert.equal(thrown.code, "usage");
      assert.match(thrown.remedy, /^Leave --remote out: you push its branches yourself/);
      return true;
    });
  }
  assert.throws(() => checkedRemote("https://github.com/acme/app/tree/main"), {
    detail: { remedy: "svc register --remote owner/repo" },
  });
});
