/** What to do after `svc setup`: each line keeps what was given. */
import type { App } from "svc/app.ts";
import type { Flags } from "svc/cli/flags.ts";
import { typedLine } from "svc/cli/typed_line.ts";
import { Failure } from "svc/core/failure.ts";
import { accessRemedy, type ReleaseAccess } from "svc/features/access/release_access.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { type Inference, localLack } from "svc/features/setup/choice.ts";
import type { Surroundings } from "svc/features/setup/look_around.ts";

interface SetUp {
  readonly inference: Inference;
  readonly found: Surroundings;
  readonly release: ReleaseAccess | undefined;
}

/** `svc init` in a repo without a harness, `svc start` in one with it. */
async function inThisFolder(app: App): Promise<string> {
  try {
    const opened = await app.git.open(app.cwd(), { signal: app.signal });
    using folder = await app.folder(opened.root);
    return await folder.stat(MANIFEST_PATH) === undefined ? "svc init" : "svc start";
  } catch (thrown) {
    const { code } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return "cd into a git repo, then: svc init";
  }
}

export async function nextSteps(
  app: App,
  flags: Flags,
  asked: { readonly dryRun: boolean },
  { inference, found, release }: SetUp,
): Promise<string[]> {
  const again = typedLine("setup", flags, asked);
  if (asked.dryRun) return [again];
  const lacks = release?.access === "unavailable" ? [accessRemedy(release)] : [];
  if (inference !== "defer") return [await inThisFolder(app), ...lacks];
  const later = typedLine("setup", flags, asked, ["inference", "testMode"]);
  return [
    `${localLack(found).way}; then: ${later}`,
    ...(found.keys.length > 0
      ? []
      : [`or export the key of a provider: OPENAI_API_KEY=…; then: ${later}`]),
    ...lacks,
  ];
}
