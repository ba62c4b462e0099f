/** The rule on secrets, which the secret scan finds. */
import { GAVE_UP } from "svc/features/guardrails/scan_file.ts";
import type { RepoRule } from "svc/features/scanner/rule.ts";

// Joined at run time, so that no file of this project contains a token.
const TOKEN = ["ghp", "x7Kq2Vb9LmTd4RsWf6HjZk3MQw8nRt5Y1a2B"].join("_");

export const secret: RepoRule = {
  id: "secret",
  severity: "high",
  type: "bug",
  about: "A secret is in the repo",
  why: "Whoever can read the repo can use it, also after it is deleted: it stays in the history.",
  fix: "Revoke it where it was issued, then take it out; see: svc guardrails secret-scan",
  scope: "repo",
  examples: {
    bad: [{ files: { "config.env": `GITHUB_TOKEN=${TOKEN}\n` } }],
    good: [{ files: { "config.env": "GITHUB_TOKEN=\n" } }],
  },
  *check(repo) {
    for (const [path, { secrets }] of repo.files) {
      for (const { rule, line, fingerprint, redacted } of secrets ?? []) {
        yield {
          path,
          line,
          title: rule === GAVE_UP
            ? `The search for secrets took too long: ${redacted}`
            : `A secret of kind ${rule}: ${redacted}`,
          key: `${rule} ${fingerprint}`,
        };
      }
    }
  },
};
