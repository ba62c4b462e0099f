/** Probes of models: the registry, the folders of model files, local servers, and the model of each role. */
import { counted } from "svc/core/counted.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Files } from "svc/platform/files/files.ts";
import { readConfig } from "svc/features/settings/config_file.ts";
import { error, ok, type Probe, type ProbeFinding, type RegistrySeen, warning } from "./probe.ts";

const modelRegistry: Probe = {
  id: "model-registry",
  about: "providers, bundles and local servers that svc knows",
  async run({ models }) {
    const { providers, bundles, runtimes } = await models.registry();
    return [
      ok(
        `the registry knows ${providers} providers, ${bundles} bundles and ${runtimes} local servers`,
      ),
    ];
  },
};

const PART = /\.part$/;
/** What a download keeps beside its file. */
const BESIDE = /\.part\.[a-z]+$/;

interface FolderContent {
  readonly files: number;
  /** Paths of what is not downloaded whole. */
  readonly parts: readonly string[];
  readonly bytes: number;
}

/** @param depth a bundle's file lies in a folder of its commit, in one of its repo: `modelPath` */
async function contentOf(files: Files, folder: string, depth = 2): Promise<FolderContent> {
  let content: FolderContent = { files: 0, parts: [], bytes: 0 };
  for (const { name } of (await files.list(folder)).entries) {
    const path = `${folder}/${name}`;
    const facts = await files.stat(path);
    if (facts?.kind === "folder" && depth > 0) {
      const inner = await contentOf(files, path, depth - 1);
      content = {
        files: content.files + inner.files,
        parts: [...content.parts, ...inner.parts],
        bytes: content.bytes + inner.bytes,
      };
    } else if (facts?.kind === "file" && !BESIDE.test(name)) {
      const part = PART.test(name);
      content = {
        files: content.files + (part ? 0 : 1),
        parts: part ? [...content.parts, path] : content.parts,
        bytes: content.bytes + facts.size,
      };
    }
  }
  return content;
}

/** The bundle is named: another might fit this machine better, and svc setup would begin that one. */
function endOf(part: string, artifacts: RegistrySeen["artifacts"]): string {
  const known = artifacts.find(({ file }) => part.endsWith(`/${file}.part`));
  const remove = `rm ${shellWord(part)}`;
  return known === undefined
    ? `${remove}, if nothing downloads it`
    : `svc setup --inference local --local-bundle ${known.bundle} --download; or ${remove}`;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

const modelFolders: Probe = {
  id: "models-directory",
  about: "folders of model files: ~/.svc/models and models.folders",
  async run({ home, files, configPath, models }) {
    const own = home().models;
    const { artifacts } = await models.registry();
    const { models: { folders } } = await readConfig(files, configPath());
    const findings: ProbeFinding[] = [];
    for (const folder of [own, ...folders]) {
      const facts = await files.stat(folder);
      if (facts === undefined) {
        findings.push(
          folder === own ? ok(`${folder} does not exist yet; downloads make it`) : error(
            `models.folders names ${folder}, which does not exist`,
            `mkdir -p ${shellWord(folder)}; or edit ${configPath()}: take it out of models.folders`,
          ),
        );
        continue;
      }
      if (facts.kind !== "folder" && facts.kind !== "symlink") {
        findings.push(
          error(`${folder} is no folder`, `mv ${shellWord(folder)} ${shellWord(`${folder}.old`)}`),
        );
        continue;
      }
      const { files: count, parts, bytes } = await contentOf(files, folder);
      findings.push(ok(`${counted(count, "model file")} in ${folder}, ${gigabytes(bytes)}`));
      findings.push(...parts.map((part) => warning(`${part} did not end`, endOf(part, artifacts))));
    }
    return findings;
  },
};

const inferenceServer: Probe = {
  id: "inference-server",
  about: "model servers at this machine's usual addresses",
  async run({ models }) {
    const seen = await models.servers();
    if (seen === undefined) return [ok("not asked: --skip-remote")];
    const { servers, strangers } = seen;
    return [
      ...servers.map(({ provider, endpoint, models: { length } }) =>
        length === 0
          ? warning(`${provider} at ${endpoint} has no model`, "svc setup says how to get one")
          : ok(`${provider} answers at ${endpoint}, with ${counted(length, "model")}`)
      ),
      ...strangers.map(({ endpoint, why }) =>
        ok(`what listens at ${endpoint} is no model server: ${why}`)
      ),
      ...(servers.length === 0 ? [ok("no model server runs at its usual address")] : []),
    ];
  },
};

const roleModels: Probe = {
  id: "role-models",
  about: "whether the model of each role answers",
  async run({ models }) {
    const asked = await models.roles();
    if (asked === undefined) return [ok("not asked: --skip-remote")];
    if (asked.length === 0) return [warning("no model is chosen yet", "svc setup")];
    return asked.map(({ roles, endpoint, model, chosen, fault }) => {
      const whose = roles.length === 0 ? "your default" : roles.join(", ");
      if (fault === undefined) return ok(`${whose}: ${model} answers at ${endpoint}`);
      return chosen
        ? error(`${whose}: ${fault.text}`, fault.remedy)
        : warning(`${whose}: no model is chosen. ${fault.text}`, "svc setup");
    });
  },
};

export const MODEL_PROBES: readonly Probe[] = [
  modelRegistry,
  modelFolders,
  inferenceServer,
  roleModels,
];
