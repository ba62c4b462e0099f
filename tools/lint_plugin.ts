/** House rules as lint: which folder may import which, and where effects may be named. */

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
  // Runs in browsers: of the rest it may know types alone.
  dashboard: [],
};

/** What the dashboard may take types from. */
const DASHBOARD_TYPES = /^svc\/(?:core|runtime\/views)\//;

/** Feature → sibling features it may import; kept free of cycles (a test proves it). */
export const SIBLINGS: Readonly<Record<string, readonly string[]>> = {
  scanner: ["harness", "tickets", "guardrails"],
  tickets: ["harness"],
  guardrails: ["trust"],
  jobs: ["repos", "harness"],
  trust: ["harness", "telemetry"],
  routing: ["jobs", "harness", "tickets"],
  models: ["settings", "harness"],
  setup: ["settings", "models"],
  updates: ["access", "harness"],
  tools: ["trust", "tickets", "repos", "code_intel", "harness", "checks", "guardrails"],
  agent: ["models", "tools", "trust", "harness"],
  scores: ["jobs", "routing", "scanner", "telemetry", "tickets"],
  evolution: ["jobs", "scores", "telemetry", "trust", "tools"],
  telemetry: ["settings", "tickets"],
  code_intel: ["jobs", "scores"],
  doctor: ["settings", "harness", "guardrails", "models", "updates", "access", "repos"],
  webhooks: ["tickets", "jobs", "repos", "harness", "routing", "agent"],
};

/** Node packages that one file alone may import. */
const ONE_IMPORTER: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server": "src/mcp/",
  "@modelcontextprotocol/server/stdio": "src/mcp/",
  "@stricli/core": "src/cli/parser.ts",
  "croner": "src/features/jobs/cron.ts",
  "kysely": "src/store/",
  "node:sqlite": "src/store/open.ts",
  "openai": "src/features/models/client/client.ts",
  "web-tree-sitter": "src/platform/tree_sitter.ts",
  "yaml": "src/platform/yaml.ts",
  "yaml-browser": "src/platform/yaml.ts",
  "zod/locales": "src/core/zod_parts.ts",
  "zod/whole": "src/core/zod_parts.ts",
};

interface Place {
  readonly layer?: string;
  readonly feature?: string;
}

function placeOf(path: string): Place {
  const [, layer, feature] = path.match(/(?:\/src\/|^svc\/)([a-z_]+)\/(?:([a-z_]+)\/)?/) ?? [];
  return { ...(layer && { layer }), ...(layer === "features" && feature && { feature }) };
}

/** Why `from` may not import `specifier`, or undefined. */
export function importFault(
  from: string,
  specifier: string,
  typeOnly: boolean,
): string | undefined {
  if (specifier.startsWith("../")) return `Write "svc/…" instead of "${specifier}"`;
  const here = placeOf(from);
  if (here.layer === undefined) return;
  const owner = ONE_IMPORTER[specifier];
  if (owner !== undefined && !from.includes(`/${owner}`)) {
    return `Only ${owner} imports "${specifier}"`;
  }
  if (/^(?:node:|npm:|jsr:|https?:)/.test(specifier)) {
    const node = specifier.startsWith("node:");
    if (node && (here.layer === "platform" || here.layer === "store")) return;
    return node ? "Only platform/ imports node modules" : "Name packages in deno.json";
  }
  if (!specifier.startsWith("svc/")) {
    return here.layer === "core" && !/^(?:\.\/|zod(?:\/|$))/.test(specifier)
      ? "core/ imports zod only"
      : undefined;
  }
  const to = placeOf(specifier);
  // `app.ts` only says what entrances may reach; `wire.ts` builds it and is loaded by path.
  if (to.layer === undefined) {
    return BELOW.includes(here.layer) ? `${here.layer}/ must not import ${specifier}` : undefined;
  }
  if (to.layer !== here.layer) {
    if (here.layer === "dashboard" && typeOnly && DASHBOARD_TYPES.test(specifier)) return;
    const rowType = here.layer === "store" && typeOnly && /_table\.ts$/.test(specifier);
    if (rowType || MAY_IMPORT[here.layer]?.includes(to.layer)) return;
    return `${here.layer}/ must not import ${to.layer}/`;
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
        const check = (node: Deno.lint.ImportDeclaration | Deno.lint.ExportNamedDeclaration) => {
          const specifier = node.source?.value;
          if (specifier === undefined) return;
          const typeOnly = node.type === "ImportDeclaration"
            ? node.importKind === "type"
            : node.exportKind === "type";
          const message = importFault(context.filename, specifier, typeOnly);
          if (message !== undefined) context.report({ node, message });
        };
        return { ImportDeclaration: check, ExportNamedDeclaration: check };
      },
    },
    "effects-in-platform": {
      create(context) {
        const { layer } = placeOf(context.filename);
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
    "no-literal-dynamic-import": {
      create(context) {
        if (placeOf(context.filename).layer === undefined) return {};
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
