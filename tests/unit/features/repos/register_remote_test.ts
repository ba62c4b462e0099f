import assert from "node:assert/strict";
import { checkedRemote, remoteOfUrl } from "svc/features/repos/register.ts";
import { verifies } from "tests/kit/verifies.ts";

Deno.test("remoteOfUrl reads the URLs that git clones from", () => {
  for (
    const url of [
      "https://github.com/acme/app",
      "https://github.com/acme/app.git",
      "https://user:pass@github.com/acme/app.git/",
      "ssh://git@github.com:22/acme/app.git",
      "git@github.com:acme/app.git",
      "git://host/acme/app",
    ]
  ) assert.equal(remoteOfUrl(url), "acme/app", url);
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
    ]
  ) assert.equal(remoteOfUrl(other), undefined, other);
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
