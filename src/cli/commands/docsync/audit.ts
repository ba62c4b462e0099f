import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { repo } from "svc/cli/flags.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import { namedCommandFault } from "svc/cli/named_command.ts";
import { audit } from "svc/features/docsync/audit.ts";
import { FINDING_KINDS } from "svc/features/docsync/finding.ts";

export default command({
  about: "Check that documents go with the code: metadata, links, commands that they name",
  details:
    "A page says at its top which paths it describes, <!-- doc-sync: src/a.ts, src/b/ -->; code says " +
    "which pages describe it, // doc-sync: docs/a.md. The audit names metadata that is missing or " +
    "wrong, paths that are gone, pages whose code has a newer commit than the page (or than its " +
    "confirmed: 2026-01-31), dead links and anchors, and commands and flags that svc, the Makefile, " +
    "package.json or deno.json do not have. It changes nothing. Exit status: 0 when all is well, 1 " +
    "when something was found.",
  examples: [
    { line: "svc docsync audit", about: "the repo of the current folder" },
    { line: "svc docsync audit --repo ~/work/app", about: "another one" },
    {
      line: "svc docsync audit --json | jq -r '.findings[] | select(.kind == \"stale\").path'",
      about: "pages to read again",
    },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: { repo },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      pages: z.int().min(0),
      /** Files with metadata. */
      associated: z.int().min(0),
      findings: z.array(z.strictObject({
        kind: z.enum(FINDING_KINDS),
        path: z.string(),
        line: z.int().min(1).exactOptional(),
        title: z.string(),
        fix: z.string(),
      })),
      notes: z.array(z.string()),
    }),

  async run({ git, clock, cwd, readTree, signal }: App, asked) {
    const opened = await git.open(asked.repo ?? cwd(), { signal });
    const commandFault = (words: readonly string[]) => namedCommandFault(TREE, words);
    const now = clock.now();
    const found = await audit({ repo: opened, readTree, signal, now, commandFault });
    return { repo: opened.root, ...found };
  },

  exit: ({ findings }) => findings.length > 0 ? 1 : 0,

  show({ pages, associated, findings, notes }, page) {
    if (findings.length > 0) {
      page.table(
        ["what", "where", "why"],
        findings.map(({ kind, path, line, title }) => [
          kind,
          line === undefined ? path : `${path}:${line}`,
          title,
        ]),
      );
      page.line();
    }
    for (const note of notes) page.line(`${page.tone("warn", "note:")} ${note}`);
    page.line(
      `${counted(findings.length, "finding")} · ${counted(pages, "page")} · ${
        counted(associated, "file")
      } with metadata`,
    );
    const [first] = findings;
    if (first !== undefined) page.next(`${first.path}: ${first.fix}`);
  },
});
