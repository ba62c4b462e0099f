import assert from "node:assert/strict";
import { loginInUrl } from "svc/features/models/choose/url_login.ts";

Deno.test("loginInUrl tells passwords, and tokens in place of a user, encoded and plain", () => {
  const token = "0a1b2c3d4e5f60718293";
  for (
    const [url, secrets] of [
      [`https://${token}@git.example/o/r.git`, [token, token]],
      [`https://ada:s3cret-word@git.example/o/r.git`, ["s3cret-word", "s3cret-word"]],
      ["https://ada:s3cret%40word@git.example/o/r.git", ["s3cret%40word", "s3cret@word"]],
      ["ssh://ada:s3cret-word@git.example/o/r.git", ["s3cret-word", "s3cret-word"]],
      // A name, a word, and no login at all.
      ["https://ada@git.example/o/r.git", []],
      ["https://ada:deploy@git.example/o/r.git", []],
      ["ssh://a-user-of-a-long-name@git.example/o/r.git", []],
      ["git@git.example:o/r.git", []],
      ["https://git.example/o/r.git?at=ada:s3cret-word@x", []],
      ["/srv/git/ada:s3cret-word@x", []],
      ["", []],
    ] as const
  ) assert.deepEqual(loginInUrl(url), secrets, url);
});
