/** Reads `.harness/model-routing.yaml`, which `init` writes: where a repo's models run. */
import { z } from "zod";
import { MODEL_FILE_BYTES } from "svc/core/bounds.ts";
import { keysAt } from "svc/core/zod_shape.ts";
import { ROUTING_PATH } from "svc/features/harness/defaults.ts";
import { BUNDLES } from "svc/core/local_bundles.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { modelName, OverrideFields } from "./override_shape.ts";
import { readRepoText } from "./repo_text.ts";

const Cloud = OverrideFields.extend({ model: modelName, endpoint: z.string() });

/** Only the section of the mode counts; the other may stay in the file. */
export const RoutingFile = z.strictObject({
  version: z.literal(1),
  mode: z.enum(["defer", "local", "cloud"]),
  local: z.strictObject({ bundle: z.enum(BUNDLES).default("auto") }).optional(),
  cloud: Cloud.optional(),
}).superRefine(({ mode, cloud }, context) => {
  if (mode !== "cloud" || cloud !== undefined) return;
  context.addIssue({ code: "custom", path: ["mode"], message: 'is cloud, but "cloud" is missing' });
});
export type RoutingFile = z.infer<typeof RoutingFile>;

/** @returns undefined when the repo has none. @throws Failure `environment` naming file, line, key */
export async function readRouting(folder: Pick<Folder, "read">): Promise<RoutingFile | undefined> {
  const found = await readRepoText(folder, ROUTING_PATH, MODEL_FILE_BYTES);
  if (found === undefined) return undefined;
  const allowed = (keyPath: string) => keysAt(RoutingFile, keyPath);
  return readYaml({ text: found.text, path: ROUTING_PATH, allowed }, RoutingFile);
}
