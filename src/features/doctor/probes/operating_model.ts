/** The operating model of the target repo: its manifest, roles and their prompts. */
import { Failure } from "svc/core/failure.ts";
import { error, type Finding, ok, type Probe, warning } from "svc/features/doctor/probe.ts";
import { readManifest, unknownKeys } from "svc/features/harness/manifest.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Folder } from "svc/platform/files/folder.ts";

async function manifestText(folder: Folder): Promise<string | undefined> {
  try {
    const { bytes } = await folder.read(MANIFEST_PATH, { maxBytes: MANIFEST_BYTES });
    return new TextDecoder().decode(bytes);
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

export const operatingModel: Probe = {
  id: "operating-model",
  about: "manifest, roles and prompts",
  async run({ repo }) {
    if (repo === undefined) return [];
    const text = await manifestText(repo.folder);
    if (text === undefined) return [warning("this repo has no harness", "svc init")];
    const { roles, project } = readManifest(text);
    const findings: Finding[] = [];
    for (const [role, { prompt }] of Object.entries(roles)) {
      const path = `.harness/${prompt}`;
      if (await repo.folder.stat(path) === undefined) {
        findings.push(
          error(`role "${role}" has no prompt: ${path} is missing`, "svc update harness"),
        );
      }
    }
    for (const key of unknownKeys(text)) {
      findings.push(
        warning(`svc does not know the key "${key}"`, `Edit ${MANIFEST_PATH}: correct or drop it`),
      );
    }
    if (project.checks.length === 0) {
      findings.push(
        warning(
          "no checks: a submission would rest on an agent's word",
          `Edit ${MANIFEST_PATH}: add project.checks`,
        ),
      );
    }
    return [ok(`${Object.keys(roles).length} roles in ${MANIFEST_PATH}`), ...findings];
  },
};
