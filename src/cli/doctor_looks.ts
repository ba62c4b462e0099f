/** What `svc doctor` asks beyond files: models, servers, releases. Each is asked once, and nobody with --skip-remote. */
import type { App } from "svc/app.ts";
import { accessRemedy, releaseAccess } from "svc/features/access/release_access.ts";
import { releaseCredential, releaseUrl } from "svc/features/access/release_place.ts";
import { toolDrift } from "svc/features/access/tool_drift.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { harnessDrift } from "svc/features/harness/drift.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { openHarnessTarget } from "svc/features/harness/operate.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { type PeekedRepo, peekRepo } from "svc/features/repos/peek_repo.ts";
import { registeredHere } from "svc/features/repos/registered_here.ts";
import { readConfig } from "svc/features/settings/config_file.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { openToRead, walStateOf } from "svc/store/open.ts";
import { FILE, findScoped } from "svc/store/placement.ts";

interface Asked {
  readonly config: string;
  /** From `--db`. */
  readonly db: string | undefined;
  readonly skipRemote: boolean;
  readonly repo: { readonly git: GitRepo; readonly folder: OpenFolder } | undefined;
}

interface Registration {
  /** Which repo it is about, if another command knows the repo under another path. */
  readonly by: string;
  readonly registered: PeekedRepo | undefined;
  /** What changes it. */
  readonly register: string;
}

const isSame = (one: PeekedRepo, other: PeekedRepo | undefined) =>
  one.branch === other?.branch && one.host === other.host && one.remote === other.remote;

/** The database of `--db`, or else those of `svc serve` and `svc start`; only one if both are the same. */
async function registrationsOf(
  app: App,
  git: GitRepo,
  db: string | undefined,
): Promise<readonly Registration[]> {
  const shared = `${app.home.sharedDb}/${FILE}`;
  const own = db === undefined ? await findScoped(app, { repo: git.root }) : undefined;
  const register = (path: string) =>
    `svc register --repo ${shellWord(git.root)}${
      path === shared ? "" : ` --db ${shellWord(path)}`
    }`;
  const places = [["svc serve", db ?? shared], ["svc start", own]] as const;
  const found: Registration[] = [];
  for (const [by, path] of places) {
    const registered = path && await registeredIn(app, path, git);
    if (!registered || found.some((other) => isSame(registered, other.registered))) continue;
    found.push({ by, registered, register: register(path) });
  }
  if (found.length > 0) return found;
  return [{ by: "", registered: undefined, register: register(db ?? shared) }];
}

async function registeredIn(app: App, path: string, git: GitRepo): Promise<PeekedRepo | undefined> {
  if (isServerAddress(path)) {
    await using store = await openToRead(app, path);
    return store && await registeredHere(store.db, git);
  }
  if (await app.files.stat(path) === undefined) return undefined;
  return peekRepo(path, await walStateOf(app.files, path), git.root);
}

export function doctorLooks(
  app: App,
  { config, db, skipRemote, repo }: Asked,
): Pick<ProbeContext, "codeHost" | "models" | "releases"> {
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
    async codeHost() {
      if (repo === undefined) return [];
      const { codeHostFindings } = await app.load("src/runtime/doctor/ask_code_host");
      const found = await registrationsOf(app, repo.git, db);
      const asked = { git: repo.git, skipRemote };
      const findings = await Promise.all(found.map(async ({ by, ...one }) => {
        const said = await codeHostFindings({ ...app, settings }, { ...asked, ...one });
        return found.length === 1
          ? said
          : said.map((finding) => ({ ...finding, text: `${by}: ${finding.text}` }));
      }));
      return findings.flat();
    },
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
