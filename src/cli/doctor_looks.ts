/** What `svc doctor` asks beyond files: models, servers, releases. Each is asked once, and nobody with --skip-remote. */
import type { App } from "svc/app.ts";
import { accessRemedy, releaseAccess } from "svc/features/access/release_access.ts";
import { releaseCredential, releaseUrl } from "svc/features/access/release_place.ts";
import { toolDrift } from "svc/features/access/tool_drift.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { harnessDrift } from "svc/features/harness/drift.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { openHarnessTarget } from "svc/features/harness/operate.ts";
import { readConfig } from "svc/features/settings/config_file.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

interface Asked {
  readonly config: string;
  readonly skipRemote: boolean;
  readonly repo: { readonly git: GitRepo; readonly folder: OpenFolder } | undefined;
}

export function doctorLooks(
  app: App,
  { config, skipRemote, repo }: Asked,
): Pick<ProbeContext, "models" | "releases"> {
  const settings = () => readConfig(app.files, config);
  let access: ReturnType<typeof releaseAccess> | undefined;
  const release = async () => {
    if (skipRemote) return undefined;
    const said = await settings();
    access ??= releaseAccess(app, releaseUrl(said), () => releaseCredential(app, said));
    return await access;
  };
  const hasHarness = async () =>
    repo !== undefined && await repo.folder.stat(MANIFEST_PATH) !== undefined;
  return {
    models: {
      async registry() {
        return (await app.load("src/runtime/doctor/ask_models")).registryFacts();
      },
      async servers() {
        if (skipRemote) return undefined;
        const { lookAround } = await app.load("src/features/setup/look_around");
        const { registry } = await app.load("src/features/models/choose/registry");
        return await lookAround(app, registry(), []);
      },
      async roles() {
        if (skipRemote) return undefined;
        const { askModels } = await app.load("src/runtime/doctor/ask_models");
        const asked = await hasHarness() ? repo : undefined;
        return await askModels(app, asked, await settings(), config);
      },
    },
    releases: {
      async access() {
        const found = await release();
        return found && { ...found, remedy: accessRemedy(found) };
      },
      async drift() {
        const tool = toolDrift(await release());
        if (!await hasHarness()) return { tool, harness: undefined };
        using target = await openHarnessTarget(app, repo!.git.root);
        return { tool, harness: await harnessDrift(target) };
      },
    },
  };
}
