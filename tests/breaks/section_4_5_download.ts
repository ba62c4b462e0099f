/** Breaks of bundles: their plan, their download, and the server that runs them. */
import type { Break } from "./break.ts";

const LOCAL_BUNDLE = "src/cli/setup/local_bundle.ts";
const ARTIFACT = "src/features/models/bundles/artifact.ts";

export const SECTION_4_5_DOWNLOAD: readonly Break[] = [
  {
    ids: ["4.5:setup:artifacts-stable-sorted"],
    file: "src/features/models/bundles/plan.ts",
    find: "artifacts: sorted(artifacts), bytes",
    put: "artifacts, bytes",
  },
  {
    ids: ["4.5:setup:artifacts-identified"],
    file: ARTIFACT,
    find: "...identity }: Identity) => identity;",
    put: '...identity }: Identity) => ({ ...identity, sha256: "" });',
  },
  {
    ids: ["4.5:setup:artifacts-licensed"],
    file: ARTIFACT,
    find: "bytes, license, terms_url, notice_url, url };",
    put: 'bytes, license, terms_url: "", notice_url, url };',
  },
  {
    ids: ["4.5:setup:json-plan-on-stderr"],
    file: LOCAL_BUNDLE,
    find: "if (asked.json) app.stderr.write",
    put: "if (!asked.json) app.stderr.write",
  },
  {
    ids: ["4.5:setup:json-plan-in-result"],
    file: "src/cli/commands/setup.ts",
    find: "plan: planned(local.plan)",
    put: "plan: planned({ ...local.plan, artifacts: [] })",
  },
  {
    ids: ["4.5:setup:json-needs-both-flags"],
    file: LOCAL_BUNDLE,
    find: "if (asked.yes) return true;",
    put: "if (asked.yes || asked.json) return true;",
  },
  {
    ids: ["4.5:setup:non-tty-needs-both-flags"],
    file: LOCAL_BUNDLE,
    find: "if (asked.yes) return true;",
    put: "if (asked.yes || asked.plain) return true;",
  },
  {
    ids: ["4.5:setup:downloads-only-after-acknowledgement"],
    file: LOCAL_BUNDLE,
    find: "if (!asked.download) return false;",
    put: "",
  },
  {
    ids: ["4.5:setup:no-acknowledgement-without-download"],
    file: LOCAL_BUNDLE,
    find: "if (!asked.download) return false;",
    put: 'if (!asked.download) throw new Failure("answer_needed", "Cannot go on");',
  },
  {
    ids: ["4.5:setup:skip-download"],
    file: LOCAL_BUNDLE,
    find: "  if (asked.dryRun || asked.skipDownload ||",
    put: "  if (asked.skipDownload) return true;\n  if (asked.dryRun ||",
  },
  {
    ids: ["4.5:setup:confirms-once"],
    file: LOCAL_BUNDLE,
    find: "    preview: planLines(plan),\n  });",
    put: "    preview: planLines(plan),\n  });\n" +
      '  consent(app, asked, { doing: "download", question: "Are you sure?", preview: [] });',
  },
  {
    ids: ["4.5:setup:download"],
    file: LOCAL_BUNDLE,
    find: "if (!asked.download) return false;",
    put: "return false;",
  },
  {
    ids: ["4.5:setup:no-attestation-persisted"],
    file: "src/cli/commands/setup.ts",
    find: "if (local !== undefined && done) await",
    put: 'if (done) await files.writeAtomic(`${home.root}/license-ack`, "yes");\n' +
      "    if (local !== undefined && done) await",
  },
  {
    ids: ["4.5:setup:no-automatic-linux-server"],
    file: "src/features/setup/server_build.ts",
    find: 'return os === "linux" ? undefined :',
    put: 'return os === "linux" ? servers[0] :',
  },
  {
    ids: ["4.5:setup:installs-inference-server"],
    file: "src/features/setup/server_build.ts",
    find: '["-xf", archive',
    put: '["-tf", archive',
  },
  {
    ids: ["2.1:bin-directory:managed-binaries"],
    file: "src/features/setup/server_build.ts",
    find: "=> `${bin}/llama.cpp-",
    put: "=> `${bin}/../llama.cpp-",
  },
  {
    ids: ["7:cli:model-preflight-missing-file"],
    file: "src/features/models/bundles/checked_file.ts",
    find: "  if (path === undefined) {",
    put: "  if (path === undefined && bytes < 0) {",
  },
  {
    ids: ["2.1:models-directory:downloads-and-cache"],
    file: "src/features/models/bundles/download.ts",
    find: "await part.become(path);",
    put: "await part.become(`${path}.gguf`);",
  },
];
