import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, database, many, otherwise, repo, required, text } from "svc/cli/flags.ts";
import { profileFlags, profileOf } from "svc/cli/profile_flags.ts";
import {
  customToolsOf,
  openStoredRepo,
  roleOf,
  type StoredRepo,
} from "svc/runtime/session/stored_repo.ts";
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import {
  CAPABILITIES,
  type Capability,
  type Profile,
  PROFILES,
  TRUST_LEVELS,
} from "svc/core/permission.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import { decide, explain } from "svc/features/trust/policy.ts";
import { POLICY_PARTS, type PolicyQuestion } from "svc/features/trust/policy_question.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";

const PART_NAMES = {
  profile: "execution profile",
  role_trust: "trust of the role",
  source_trust: "trust of whoever asks",
  role_tools: "tools of the role",
  guardrails: "guardrails",
} as const;

/** @throws Failure `not_found`; `refused` for a repo's tool without approval, `environment` for a broken one */
async function toolNamed(app: App, stored: StoredRepo, name: string): Promise<AnyTool> {
  // Loaded by path, since the tools load zod.
  const { TOOLS } = await app.load("src/features/tools/all");
  const custom = await customToolsOf(app, stored);
  const tools = [...TOOLS, ...custom.tools];
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const known = custom.listed.find((one) => one.name === name);
  if (known !== undefined) {
    const open = known.state === "not_approved";
    throw new Failure(
      open ? "refused" : "environment",
      `Cannot explain ${JSON.stringify(name)}: ${
        open ? "nobody approved it as it is now" : known.reason
      }`,
      { remedy: open ? `svc tools approve ${name}` : `Mend ${known.path}` },
    );
  }
  const names = tools.map((tool) => tool.name);
  throw new Failure(
    "not_found",
    `Cannot explain ${JSON.stringify(name)}: svc has no such tool`,
    { remedy: didYouMean(name, names) || `Its tools are ${names.join(", ")}` },
  );
}

export default command({
  about:
    "Explain whether a role may use a tool: which part of the policy says no, and what would change it",
  details:
    "Asks five parts, each of which can refuse: the execution profile, the role's trust on this " +
    "repo, the trust in whoever asked for the work, the role's tools in the manifest, and the " +
    "guardrails. Nothing is run. The exit status is 0 even if the answer is no.",
  examples: [
    { line: "svc trust explain engineer file_write", about: "in observer profile, the default" },
    {
      line: "svc trust explain engineer file_write --path .github/workflows/ci.yml " +
        "--execution-profile host --acknowledge-host-execution",
      about: "for one file, in host profile",
    },
    {
      line: "svc trust explain qa command_run --source observer -- git push",
      about: "for one command, on a ticket from outside",
    },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  args: {
    role: required(text("role", "A role of the repo's manifest", { suggest: "roles" })),
    tool: required(text("tool", "Name of a tool, such as file_edit")),
  },
  flags: {
    repo,
    db: database("Database that holds the trust (default: the repo's own)"),
    ...profileFlags,
    source: otherwise(
      choice(TRUST_LEVELS, "Trust of whoever asked for the work; observer: someone from outside"),
      "contributor",
    ),
    path: many(text("path", "A path it would write, from the repo's root; may be repeated")),
  },
  rest: { value: "command", about: "A command that it would run" },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      role: z.string(),
      tool: z.string(),
      needs: z.array(z.enum(Object.keys(CAPABILITIES) as [Capability])),
      profile: z.enum(PROFILES),
      allowed: z.boolean(),
      by: z.enum(POLICY_PARTS).nullable(),
      parts: z.array(z.strictObject({
        part: z.enum(POLICY_PARTS),
        allowed: z.boolean(),
        reason: z.string().nullable(),
        remedy: z.string().nullable(),
      })),
    }),

  async run(app: App, asked) {
    const { role, db, source, path: writes, rest: argv } = asked;
    // The isolated profile is explained rather than refused.
    const profile: Profile = asked.executionProfile === "isolated" ? "isolated" : profileOf(asked);
    await using stored = await openStoredRepo(app, { repo: asked.repo ?? app.cwd(), db });
    const { root, id, manifest, store } = stored;
    const { trust, tools } = roleOf(stored, role);
    const tool = await toolNamed(app, stored, asked.tool);
    const { level } = store === undefined
      ? { level: trust }
      : await trustOf(store.db, id, role, trust);
    const question: PolicyQuestion = {
      profile,
      role,
      repo: root,
      roleTrust: level,
      sourceTrust: source,
      roleTools: tools,
      guardrails: guardrailsOf(manifest, await hookFolders(app, await app.git.open(root))),
      tool: tool.name,
      capabilities: [tool.capability],
      writes,
      argv,
    };
    const verdict = decide(question);
    return {
      repo: root,
      role,
      tool: tool.name,
      needs: [tool.capability],
      profile,
      allowed: verdict.allowed,
      by: verdict.allowed ? null : verdict.by,
      parts: explain(question).map(({ part, verdict }) => ({
        part,
        allowed: verdict.allowed,
        reason: verdict.allowed ? null : verdict.reason,
        remedy: verdict.allowed ? null : verdict.remedy,
      })),
    };
  },

  show({ repo, role, tool, needs, profile, allowed, parts }, page) {
    const answer = allowed ? page.tone("good", "may") : page.tone("bad", "may not");
    page.line(`${role} ${answer} use ${tool} on ${repo} in ${profile} profile`);
    page.line(`${tool} needs ${needs.map((need) => `${need} (${CAPABILITIES[need]})`).join(", ")}`);
    page.line();
    page.table(
      ["part", "says", "why"],
      parts.map(({ part, allowed, reason }) => [
        PART_NAMES[part],
        allowed ? "yes" : "no",
        reason ?? "",
      ]),
    );
    const remedies = parts.filter(({ remedy }) => remedy !== null);
    if (remedies.length === 0) return;
    page.line();
    page.line("What would change it:");
    for (const { remedy } of remedies) page.line(`- ${remedy}`);
  },
});
