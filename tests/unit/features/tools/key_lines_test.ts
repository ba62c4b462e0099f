/** A private key that git tracks is read by its middle: keys are OpenSSL's own, in its forms. */
import assert from "node:assert/strict";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";
import { codeReferences } from "svc/features/tools/code_references.ts";
import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { gitDiff } from "svc/features/tools/git_diff.ts";
import { grep } from "svc/features/tools/grep.ts";
import { keyLines } from "svc/features/tools/key_lines.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { site } from "./session_site.ts";

async function openssl(...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("openssl", { args, stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

const KEYS: readonly (readonly string[])[] = [
  ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  ["genrsa", "-traditional", "2048"],
  ["genrsa", "-traditional", "-aes128", "-passout", "pass:abcd", "2048"],
  ["ecparam", "-genkey", "-noout", "-name", "prime256v1"],
  ["genpkey", "-algorithm", "ed25519"],
];

Deno.test("no part of a key is shown, from whichever line it is read or searched", async () => {
  for (const args of KEYS) {
    const key = await openssl(...args);
    assert.match(key, /PRIVATE KEY-----\n/, args.join(" "));
    const quoted = key.trimEnd().split("\n").map((line) => `  "${line}\\n" +`).join("\n");
    await using repo = await tempRepo({
      files: { "deploy.txt": `before\n${key}after\n`, "a.js": `const key =\n${quoted}\n  "";\n` },
      commit: true,
    });
    await using at = await site(repo);
    const body = key.split("\n").slice(1, -2).filter((line) => line.length > 40);
    for (const path of ["deploy.txt", "a.js"]) {
      const lines = (await repo.read(path)).split("\n").length;
      for (let offset = 1; offset < lines; offset++) {
        const text = redactSecrets((await at.call(fileRead, { path, offset })).text);
        for (const secret of body) assert.ok(!text.includes(secret), `${args} ${path}:${offset}`);
      }
    }
    // The middle alone, the middle with what is around it, and all of it.
    const middle = body.at(-1)!.slice(0, 12);
    const searches = [{ pattern: middle, fixed: true }, { pattern: "[A-Za-z0-9+/]{8}" }]
      .flatMap((one) => [one, { ...one, context: 1 }]);
    const texts = await Promise.all(searches.map((one) => at.call(grep, one)));
    const text = redactSecrets(texts.map((one) => one.text).join("\n"));
    for (const secret of body) assert.ok(!text.includes(secret), `${args} by grep`);
    // That a line of it matches is an answer, and many of them are the key.
    assert.equal(texts[0]!.text, "No line matches");
    const either = await at.call(grep, { pattern: `${RegExp.escape(middle)}|^after$`, max: 1 });
    assert.equal(either.text, `deploy.txt\n${key.split("\n").length + 1}:after`);
    const words = body.flatMap((line) => line.match(/(?<![A-Za-z0-9])[A-Za-z0-9]{2,}/g) ?? []);
    for (const name of words) {
      const { text } = await at.call(codeReferences, { name });
      const told = redactSecrets(text);
      for (const secret of body) assert.ok(!told.includes(secret), `${args} by code_references`);
    }
  }
});

Deno.test("no part of a key is in what a refused edit shows of the lines that are most like it", async () => {
  for (const args of KEYS) {
    const key = await openssl(...args);
    await using repo = await tempRepo({ files: { "deploy.txt": `before\n${key}after\n` } });
    await using at = await site(repo);
    const body = key.split("\n").slice(1, -2).filter((line) => line.length > 40);
    for (const lines of [1, 3]) {
      const old = Array(lines).fill(body[0]!.replaceAll(/[A-Z]/g, "?")).join("\n");
      const { text } = await at.call(fileEdit, { path: "deploy.txt", old, new: "x" });
      assert.match(text, /What is most like it/);
      const told = redactSecrets(text);
      for (const secret of body) assert.ok(!told.includes(secret), `${args}: ${told}`);
    }
  }
});

Deno.test("a line that is cut shows no half of a secret: uses of a name, and what is like an edit", async () => {
  const line = `total(${"x".repeat(487)}, hush-hush)`;
  await using repo = await tempRepo({ files: { "a.txt": `${line}\n` }, commit: true });
  await using at = await site(repo);
  for (
    const { text } of [
      await at.call(codeReferences, { name: "total" }),
      await at.call(fileEdit, { path: "a.txt", old: `Total( ${"x".repeat(300)}`, new: "y" }),
    ]
  ) {
    assert.match(text, /xxxx/);
    assert.doesNotMatch(text, /hus/);
  }
});

Deno.test("no part of a key is in a patch, whichever of its lines the change is near", async () => {
  const certificate = (word: string) =>
    `-----BEGIN CERTIFICATE-----\n${word.repeat(16)}\n-----END CERTIFICATE-----\n`;
  for (const args of KEYS) {
    const key = await openssl(...args);
    const body = key.split("\n").slice(1, -2).filter((line) => /^[A-Za-z0-9+/=]{20,}$/.test(line));
    const whole = `first\n${key}${certificate("QUJD")}last\n`;
    const changes = [
      // A line of the key itself, what follows it, what is before it, and the key as a whole.
      ...body.map((line) => whole.replace(line, [...line].reverse().join(""))),
      ...[whole.replace("QUJD", "REVG"), whole.replace("first\n", "other\n")],
      `first\n${certificate("QUJD")}last\n`,
    ];
    await using repo = await tempRepo({
      files: { "tls.pem": whole, "b.txt": "b\n" },
      commit: true,
    });
    await using at = await site(repo);
    for (const text of changes) {
      await repo.write("tls.pem", text);
      await repo.write("b.txt", `${"QUJD".repeat(16)}\nmore\n`);
      const patch = redactSecrets((await at.call(gitDiff, {})).text);
      assert.match(patch, /^\+(?:QUJD){16}$/m, "what is no key is shown");
      assert.match(patch, /^diff --git a\/tls\.pem/m);
      for (const secret of [...body, ...body.map((line) => [...line].reverse().join(""))]) {
        assert.ok(!patch.includes(secret), `${args}: ${patch}`);
      }
    }
    await repo.git("add", "-A");
    const staged = redactSecrets((await at.call(gitDiff, { staged: true })).text);
    for (const secret of body) assert.ok(!staged.includes(secret), `${args}: ${staged}`);
  }
});

Deno.test("a text that mentions keys is shown as it is", () => {
  const text = [
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) {',
    "  refuse();",
    "}",
    "-----BEGIN CERTIFICATE-----",
    "QUJD",
    "-----END CERTIFICATE-----",
    "a line with -----BEGIN RSA PRIVATE KEY----- in it",
    "name: value",
    "and then prose, with more to say.",
  ];
  assert.deepEqual(keyLines(text), []);
});
