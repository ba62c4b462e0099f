/** Promises of spec section 4.5: `models`, `tools` and `mcp`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_MODELS = [
  {
    id: "4.5:models-eligible:reports-bundles",
    section: "4.5",
    promise: "`models eligible` says which local bundles the machine can run.",
  },
  {
    id: "4.5:models-eligible:json",
    section: "4.5",
    promise: "`models eligible --json` prints its result as JSON.",
  },
  {
    id: "4.5:models-list:lists-catalogs",
    section: "4.5",
    promise: "`models list` lists the provider catalogs.",
  },
  {
    id: "4.5:models-list:provider",
    section: "4.5",
    promise:
      "`models list --provider` takes `registry` or a local-runtime provider and lists that catalog.",
  },
  {
    id: "4.5:models-list:registry-is-default-candidates",
    section: "4.5",
    promise: "`models list` marks registry bundles as the safe default candidates.",
  },
  {
    id: "4.5:models-list:local-runtime-is-evaluation-only",
    section: "4.5",
    promise: "Listing a local runtime promotes none of its models to a default.",
  },
  {
    id: "4.5:models-evaluate:runs-probes",
    section: "4.5",
    promise: "`models evaluate` runs benchmark probes against a model, or plans them.",
  },
  {
    id: "4.5:models-evaluate:endpoint",
    section: "4.5",
    promise: "`models evaluate --endpoint` probes the given endpoint.",
  },
  {
    id: "4.5:models-evaluate:model",
    section: "4.5",
    promise: "`models evaluate --model` probes the given model.",
  },
  {
    id: "4.5:models-evaluate:provider",
    section: "4.5",
    promise: "`models evaluate --provider` names the provider of the probed model.",
  },
  {
    id: "4.5:models-evaluate:api-key-env",
    section: "4.5",
    promise: "`models evaluate --api-key-env` takes the key from the named variable.",
  },
  {
    id: "4.5:models-evaluate:repo",
    section: "4.5",
    promise: "`models evaluate --repo` evaluates for the given repo.",
  },
  {
    id: "4.5:models-evaluate:report-dir",
    section: "4.5",
    promise: "`models evaluate --report-dir` sets where a saved report goes.",
  },
  {
    id: "4.5:models-evaluate:save-report",
    section: "4.5",
    promise: "`models evaluate` saves a report only with `--save-report`.",
  },
  {
    id: "4.5:models-evaluate:provenance",
    section: "4.5",
    promise:
      "`models evaluate --revision`, `--sha256` and `--source` record where the model came from in the report.",
  },
  {
    id: "4.5:models-evaluate:cloud",
    section: "4.5",
    promise: "`models evaluate --cloud` evaluates a cloud model.",
  },
  {
    id: "4.5:models-evaluate:timeout",
    section: "4.5",
    promise: "`models evaluate --timeout` ends a probe that takes longer.",
  },
  {
    id: "4.5:models-evaluate:json",
    section: "4.5",
    promise: "`models evaluate --json` prints its result as JSON.",
  },
  {
    id: "4.5:models-override:writes-file",
    section: "4.5",
    promise: "`models override` writes `.harness/model-overrides.yaml`.",
  },
  {
    id: "4.5:models-override:repo",
    section: "4.5",
    promise: "`models override --repo` writes the overrides of the given repo.",
  },
  {
    id: "4.5:models-override:tier",
    section: "4.5",
    promise: "`models override --tier` overrides the route of a tier.",
  },
  {
    id: "4.5:models-override:role",
    section: "4.5",
    promise: "`models override --role` overrides the route of a role.",
  },
  {
    id: "4.5:models-override:route",
    section: "4.5",
    promise:
      "`models override --provider`, `--endpoint` and `--model` set the route that is written.",
  },
  {
    id: "4.5:models-override:role-before-tier",
    section: "4.5",
    promise: "A role override takes precedence over a tier override.",
  },
  {
    id: "4.5:models-override:default-route-last",
    section: "4.5",
    promise: "The default registry route applies where neither a role nor a tier override does.",
  },
  {
    id: "4.5:models-credentials:writes-local-env",
    section: "4.5",
    promise:
      "`models credentials write-local-env` copies a provider key from the process environment into `.harness/.env.local`.",
  },
  {
    id: "4.5:models-credentials:repo",
    section: "4.5",
    promise: "`models credentials write-local-env --repo` writes into the given repo.",
  },
  {
    id: "4.5:models-credentials:api-key-env",
    section: "4.5",
    promise: "`models credentials write-local-env --api-key-env` copies the named variable.",
  },
  {
    id: "4.5:models-credentials:yes",
    section: "4.5",
    promise: "`models credentials write-local-env --yes` asks nothing.",
  },
  {
    id: "4.5:models-credentials:json",
    section: "4.5",
    promise:
      "`models credentials write-local-env --json` prints its result as JSON without the key.",
  },
  {
    id: "4.5:tools-list:lists-built-in-tools",
    section: "4.5",
    promise: "`tools list` lists the built-in tools.",
  },
  {
    id: "4.5:tools-list:json",
    section: "4.5",
    promise: "`tools list --json` prints function-style tool definitions.",
  },
  {
    id: "4.5:tools-run:executes-one-tool",
    section: "4.5",
    promise: "`tools run <name>` executes one tool.",
  },
  {
    id: "4.5:tools-run:same-policy-as-agent-runs",
    section: "4.5",
    promise:
      "`tools run` is held to the profile, registry, allowlist, root, session role and trust policy of agent runs.",
  },
  {
    id: "4.5:tools-run:repo",
    section: "4.5",
    promise: "`tools run --repo` runs the tool in the given repo.",
  },
  {
    id: "4.5:tools-run:args-json",
    section: "4.5",
    promise:
      "`tools run --args-json` takes the arguments as one JSON object and refuses anything else.",
  },
  {
    id: "4.5:mcp-serve:speaks-over-stdio",
    section: "4.5",
    promise: "`mcp serve` serves the tools as a tool-protocol server over stdio.",
  },
  {
    id: "4.5:mcp-serve:observer-default",
    section: "4.5",
    promise: "`mcp serve` serves with observer trust unless told otherwise.",
  },
  {
    id: "4.5:mcp-serve:repo",
    section: "4.5",
    promise: "`mcp serve --repo` serves the tools of the given repo.",
  },
  {
    id: "4.5:mcp-serve:trust",
    section: "4.5",
    promise: "`mcp serve --trust` takes `observer` or `contributor` and refuses any other value.",
  },
  {
    id: "4.5:mutation:file-write-gated",
    section: "4.5",
    promise: "`file_write` needs contributor trust and the acknowledged host profile.",
  },
  {
    id: "4.5:mutation:tool-create-gated",
    section: "4.5",
    promise: "`tool_create` needs contributor trust and the acknowledged host profile.",
  },
  {
    id: "4.5:mutation:record-decision-gated",
    section: "4.5",
    promise: "`record_decision` needs contributor trust and the acknowledged host profile.",
  },
  {
    id: "4.5:mutation:git-tools-gated",
    section: "4.5",
    promise:
      "The git commit and push tools need contributor trust and the acknowledged host profile.",
  },
  {
    id: "4.5:mutation:trust-alone-is-not-enough",
    section: "4.5",
    promise: "Contributor trust alone enables no mutating tool.",
  },
] as const satisfies readonly Requirement[];
