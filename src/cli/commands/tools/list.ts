import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { profileOf, roleAsked, sessionFlags } from "svc/cli/profile_flags.ts";
import {
  type CustomTools,
  customToolsOf,
  openStoredRepo,
  roleOf,
  type StoredRepo,
} from "svc/runtime/session/stored_repo.ts";
import { Failure } from "svc/core/failure.ts";
import { CAPABILITIES, type Capability, type Profile } from "svc/core/permission.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { decide } from "svc/features/trust/policy.ts";
import { POLICY_PARTS, type PolicyQuestion } from "svc/features/trust/policy_question.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";

/** Undefined outside of a repo, unless one is named: tools are the same everywhere. */
async function storedRepoHere(
  app: App,
  { repo, db }: { readonly repo: string | undefined; readonly db: string | undefined },
): Promise<StoredRepo | undefined> {
  try {
    return await openStoredRepo(app, { repo: repo ?? app.cwd(), db });
  } catch (thrown) {
    const { code, message } = Failure.from(thrown);
    const nowhere = code === "environment" && /not in a git repo/.test(message);
    if (repo === undefined && nowhere) return undefined;
    throw thrown;
  }
}

async function questionFor(
  stored: StoredRepo | undefined,
  role: string | undefined,
  profile: Profile,
): Promise<Omit<PolicyQuestion, "tool" | "capabilities">> {
  const known = stored === undefined || role === undefined ? undefined : roleOf(stored, role);
  const level = known?.trust ?? "observer";
  const { store, id = "", manifest } = stored ?? {};
  const trust = store === undefined || role === undefined
    ? level
    : (await trustOf(store.db, id, role, level)).level;
  return {
    profile,
    roleTrust: trust,
    sourceTrust: "contributor",
    role: role ?? "none",
    ...(stored && { repo: stored.root }),
    roleTools: known?.tools,
    guardrails: guardrailsOf(manifest),
    writes: [],
    argv: [],
  };
}

export default command({
  about: "List the tools that agents have, and which of them may be used now",
  details:
    "Built-in tools, then those of the repo in .harness/tools that were approved. Whether one may " +
    "be used depends on the execution profile, the role's trust and tools, and the guardrails; " +
    "svc trust explain says which of them says no. With --json the key `tools` holds function " +
    "definitions as chat completions take them.",
  examples: [
    { line: "svc tools list", about: "for the role engineer, in observer profile" },
    {
      line: "svc tools list --role qa --execution-profile host --acknowledge-host-execution",
      about: "for qa, in host profile",
    },
    { line: "svc tools list --json | jq '.tools[].function.name'", about: "names, for scripts" },
  ],
  effect: "reads",
  modes: ["json", "plain"],
  flags: sessionFlags,
  result: (z) =>
    z.strictObject({
      repo: z.string().nullable(),
      role: z.string().nullable(),
      profile: z.enum(["observer", "host"]),
      tools: z.array(z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      })),
      policy: z.array(z.strictObject({
        name: z.string(),
        needs: z.enum(Object.keys(CAPABILITIES) as [Capability]),
        about: z.string(),
        allowed: z.boolean(),
        by: z.enum(POLICY_PARTS).nullable(),
        reason: z.string().nullable(),
      })),
      custom: z.array(z.strictObject({
        name: z.string(),
        path: z.string(),
        state: z.enum(["approved", "not_approved", "broken"]),
        reason: z.string().exactOptional(),
      })),
    }),

  async run(app: App, asked) {
    const profile = profileOf(asked);
    const { TOOLS } = await app.load("src/features/tools/all");
    const { definitionOf } = await app.load("src/features/tools/definitions");
    await using stored = await storedRepoHere(app, asked);
    const role = roleAsked(stored?.manifest, asked.role);
    const question = await questionFor(stored, role, profile);
    const none: CustomTools = { tools: [], listed: [] };
    const custom = stored === undefined ? none : await customToolsOf(app, stored);
    const tools = [...TOOLS, ...custom.tools];
    return {
      repo: stored?.root ?? null,
      role: role ?? null,
      profile,
      tools: tools.map(definitionOf),
      policy: tools.map(({ name, capability, about }) => {
        const verdict = decide({ ...question, tool: name, capabilities: [capability] });
        const { by, reason } = verdict.allowed ? { by: null, reason: null } : verdict;
        return { name, needs: capability, about, allowed: verdict.allowed, by, reason };
      }),
      custom: custom.listed,
    };
  },

  show({ repo, role, profile, policy, custom }, page) {
    const who = role === null ? "a session without a role" : `role ${role}`;
    page.line(`${who}, ${profile} profile${repo === null ? "" : `, ${repo}`}`);
    page.table(
      ["tool", "needs", "now", "what it does"],
      policy.map(({ name, needs, allowed, by, about }) => [
        name,
        needs,
        allowed ? page.tone("good", "yes") : page.tone("dim", `no: ${by!.replace("_", " ")}`),
        about,
      ]),
    );
    const waiting = custom.filter(({ state }) => state !== "approved");
    for (const { name, reason } of waiting) page.line(page.tone("warn", `${name}: ${reason}`));
    const denied = policy.find(({ allowed }) => !allowed);
    if (denied !== undefined && role !== null) {
      page.next(`svc trust explain ${role} ${denied.name}`);
    }
  },
});
