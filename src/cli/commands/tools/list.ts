import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { profileOf } from "svc/cli/profile_flags.ts";
import { customToolsIn, roleOf, sessionFlags } from "svc/cli/tool_session.ts";
import { roleIn, type TrustPlace, trustPlace } from "svc/cli/trust_place.ts";
import { Failure } from "svc/core/failure.ts";
import { CAPABILITIES, type Capability, type Profile } from "svc/core/permission.ts";
import type { ListedCustomTool } from "svc/features/tools/custom/make.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { decide } from "svc/features/trust/policy.ts";
import { POLICY_PARTS, type PolicyQuestion } from "svc/features/trust/policy_question.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";

/** Tools are the same everywhere; the repo says only what may be used. */
async function placeOr(
  app: App,
  asked: { readonly repo: string | undefined; readonly db: string | undefined },
): Promise<TrustPlace | undefined> {
  try {
    const repo = asked.repo ?? app.cwd();
    return await trustPlace(app, { repo, db: asked.db, make: false });
  } catch (thrown) {
    const nowhere = thrown instanceof Failure && thrown.code === "environment";
    if (asked.repo === undefined && nowhere && /not in a git repo/.test(thrown.message)) return;
    throw thrown;
  }
}

async function questionFor(
  place: TrustPlace | undefined,
  role: string | undefined,
  profile: Profile,
): Promise<Omit<PolicyQuestion, "tool" | "capabilities">> {
  const known = place === undefined || role === undefined
    ? undefined
    : roleIn(place, role, "Cannot list the tools");
  const level = known?.trust ?? "observer";
  const { store, id = "", manifest } = place ?? {};
  const trust = store === undefined || role === undefined
    ? level
    : (await trustOf(store.db, id, role, level)).level;
  return {
    profile,
    roleTrust: trust,
    sourceTrust: "contributor",
    role: role ?? "none",
    ...(place && { repo: place.root }),
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
    await using place = await placeOr(app, asked);
    const role = roleOf(place?.manifest, asked.role);
    const question = await questionFor(place, role, profile);
    const none: { tools: readonly AnyTool[]; listed: readonly ListedCustomTool[] } = {
      tools: [],
      listed: [],
    };
    const custom = place === undefined ? none : await customToolsIn(app, place);
    const tools = [...TOOLS, ...custom.tools];
    return {
      repo: place?.root ?? null,
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
