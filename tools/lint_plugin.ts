/** House rules as lint: which folder may import or load which, and where effects may be named. */

/** Folder of `src/` → folders it may import (docs/architecture.md). */
const BELOW = ["core", "platform", "store", "features", "runtime"];
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  platform: ["core"],
  store: ["core", "platform"],
  features: ["core", "platform", "store"],
  runtime: ["core", "platform", "store", "features"],
  cli: BELOW,
  http: BELOW,
  mcp: BELOW,
  terminal: BELOW,
  // It runs in browsers, and may import only types of the rest.
  dashboard: [],
};

/** What a folder may load beside what it may import: the command line starts the other entrances. */
export const MAY_LOAD: Readonly<Record<string, readonly string[]>> = {
  cli: ["http", "mcp", "terminal"],
};

/** Module paths as `load` takes them: from the root, without extension. */
const MODULE_PATH = /^src\/[a-z0-9_/]+$/;

/** Folders that the dashboard may import types from. */
const DASHBOARD_TYPES = /^svc\/(?:core|runtime\/views)\//;

/** What the dashboard shows as a terminal does, and names of files as git writes them. */
const DASHBOARD_SHARES = ["svc/core/visible_text.ts", "svc/core/diff_stat.ts"];

/** Feature → sibling features it may import; kept free of cycles (a test proves it). */
export const SIBLINGS: Readonly<Record<string, readonly string[]>> = {
  scanner: ["harness", "tickets", "guardrails"],
  guardrails: ["trust"],
  jobs: ["harness", "tickets", "telemetry"],
  trust: ["harness", "telemetry"],
  repos: ["harness", "nodes", "tickets", "jobs", "checks"],
  routing: ["harness", "tickets"],
  retention: ["settings"],
  setup: ["models", "settings"],
  models: ["settings", "harness"],
  tools: ["trust", "tickets", "repos", "code_intel", "harness", "checks", "guardrails", "settings"],
  agent: ["models", "tools", "harness"],
  evaluation: ["models", "agent", "tools"],
  scores: ["routing", "scanner", "telemetry", "tickets"],
  evolution: ["jobs", "scores", "trust", "tools"],
  code_intel: ["scores"],
  doctor: ["settings", "harness", "guardrails"],
  docsync: ["scanner", "harness"],
  release: ["harness", "access", "repos"],
  telemetry: ["settings", "tickets"],
  webhooks: ["access", "tickets", "jobs", "repos", "harness", "routing"],
};

/** Node packages that one file alone may import. */
export const ONE_IMPORTER: Readonly<Record<string, string>> = {
  "@anthropic-ai/sdk": "src/features/models/client/vendors/",
  "@clack/prompts": "src/platform/menu.ts",
  "@modelcontextprotocol/client": "src/features/tools/mcp/",
  "@modelcontextprotocol/server": "src/mcp/",
  "@modelcontextprotocol/server/stdio": "src/mcp/",
  "@stricli/core": "src/cli/parser.ts",
  "croner": "src/features/jobs/cron.ts",
  "jsonrepair": "src/features/tools/args/mend_json.ts",
  "kysely": "src/store/",
  "node:child_process": "src/platform/confined/confinement_probe.ts",
  "node:fs": "src/platform/confined/confinement_probe.ts",
  "node:sqlite": "src/store/open.ts",
  "openai": "src/features/models/client/vendors/",
  "openai/core/error": "src/features/models/client/client.ts",
  "openai/core/streaming": "src/features/models/client/client.ts",
  "pg": "src/store/postgres/pool.ts",
  "web-tree-sitter": "src/platform/tree_sitter.ts",
  "yaml": "src/platform/yaml.ts",
  "yaml-browser": "src/platform/yaml.ts",
  "zod/locales": "src/core/zod_parts.ts",
  "zod/whole": "src/core/zod_parts.ts",
};

function folderOf(path: string): { readonly layer?: string; readonly feature?: string } {
  const [, layer, feature] = path.match(/(?:\/src\/|^svc\/)([a-z_]+)\/(?:([a-z_]+)\/)?/) ?? [];
  return { ...(layer && { layer }), ...(layer === "features" && feature && { feature }) };
}

/** How a module is named: imported, imported for its types alone, or loaded by path. */
export type Reference = "import" | "type" | "load";

/** Why `from` may not name `specifier`, or undefined. */
export function importFault(
  from: string,
  specifier: string,
  reference: Reference,
): string | undefined {
  const typeOnly = reference === "type";
  if (specifier.startsWith("../")) return `Write "svc/…" instead of "${specifier}"`;
  const here = folderOf(from);
  if (here.layer === undefined) return;
  const owner = ONE_IMPORTER[specifier];
  if (owner !== undefined && !from.includes(`/${owner}`)) {
    return `Only ${owner} imports "${specifier}"`;
  }
  if (/^(?:node:|npm:|jsr:|https?:)/.test(specifier)) {
    if (owner !== undefined) return;
    return specifier.startsWith("node:")
      ? "Get a part of Node when it is used, by process.getBuiltinModule in platform/"
      : "Name packages in deno.json";
  }
  if (!specifier.startsWith("svc/")) {
    return here.layer === "core" && !/^(?:\.\/|zod(?:\/|$))/.test(specifier)
      ? "core/ imports zod only"
      : undefined;
  }
  const to = folderOf(specifier);
  // `app.ts` only says what entrances may reach; `wire.ts` builds it and is loaded by path.
  if (to.layer === undefined) {
    if (typeOnly && specifier === "svc/modules.gen.ts") return;
    return BELOW.includes(here.layer) ? `${here.layer}/ must not import ${specifier}` : undefined;
  }
  if (to.layer !== here.layer) {
    if (here.layer === "dashboard" && typeOnly && DASHBOARD_TYPES.test(specifier)) return;
    if (here.layer === "dashboard" && DASHBOARD_SHARES.includes(specifier)) return;
    const rowType = here.layer === "store" && typeOnly && /_table\.ts$/.test(specifier);
    if (rowType || MAY_IMPORT[here.layer]?.includes(to.layer)) return;
    if (reference === "load" && MAY_LOAD[here.layer]?.includes(to.layer)) return;
    return `${here.layer}/ must not ${reference === "load" ? "load" : "import"} ${to.layer}/`;
  }
  if (here.feature === to.feature || SIBLINGS[here.feature!]?.includes(to.feature!)) return;
  return `features/${here.feature} must not import features/${to.feature}`;
}

const NAMES_OF_ATTICS = /(?:^|_)(?:utils?|helpers?|common|manager|misc)(?:_|\.)/;

export default {
  name: "svc",
  rules: {
    layers: {
      create(context) {
        const check = (node: Deno.lint.Node, specifier: unknown, reference: Reference) => {
          if (typeof specifier !== "string") return;
          const message = importFault(context.filename, specifier, reference);
          if (message !== undefined) context.report({ node, message });
        };
        const kind = (word: "type" | "value") => word === "type" ? "type" : "import";
        return {
          ImportDeclaration: (node) => check(node, node.source.value, kind(node.importKind)),
          ExportNamedDeclaration: (node) => check(node, node.source?.value, kind(node.exportKind)),
          ExportAllDeclaration: (node) => check(node, node.source.value, kind(node.exportKind)),
          TSImportType(node) {
            const { argument } = node;
            if (argument.type !== "TSLiteralType" || argument.literal.type !== "Literal") return;
            check(node, argument.literal.value, "type");
          },
          // Module paths stand in calls of `load` and `url`, and in lists that are given to them.
          Literal(node) {
            if (typeof node.value !== "string" || !MODULE_PATH.test(node.value)) return;
            check(node, `${node.value.replace("src/", "svc/")}.ts`, "load");
          },
        };
      },
    },
    "effects-in-platform": {
      create(context) {
        const { layer } = folderOf(context.filename);
        if (layer === undefined || layer === "platform") return {};
        return {
          MemberExpression(node) {
            if (node.object.type !== "Identifier") return;
            if (node.object.name === "Deno" || node.object.name === "process") {
              context.report({ node, message: "Reach effects through the ports of platform/" });
            }
            if (node.object.name === "console") {
              context.report({ node, message: "Print through a Page, log through the Log" });
            }
          },
        };
      },
    },
    "no-deno-timers": {
      create(context) {
        const { layer } = folderOf(context.filename);
        if (layer === undefined || layer === "dashboard") return {};
        return {
          Identifier(node) {
            if (!/^set(?:Timeout|Interval|Immediate)$/.test(node.name)) return;
            const message =
              "Use the clock or platform/timers.ts: Deno's timers load a part of Node";
            context.report({ node, message });
          },
        };
      },
    },
    "no-literal-dynamic-import": {
      create(context) {
        if (folderOf(context.filename).layer === undefined) return {};
        return {
          ImportExpression(node) {
            if (node.source.type !== "Literal") return;
            const message = "Load by path (Entrance.load): a literal import() costs every start";
            context.report({ node, message });
          },
        };
      },
    },
    "no-attics": {
      create(context) {
        return {
          Program(node) {
            const file = context.filename.split("/").at(-1)!;
            if (!NAMES_OF_ATTICS.test(file)) return;
            context.report({ node, message: `Name "${file}" after what it does` });
          },
        };
      },
    },
  },
} satisfies Deno.lint.Plugin;
