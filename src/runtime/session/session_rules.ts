/** What the checkout's manifest lets a session do, read anew for each call: a person may edit it meanwhile. */
import { Failure } from "svc/core/failure.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import type { Guardrails } from "svc/features/trust/policy_question.ts";
import type { Folder } from "svc/platform/files/folder.ts";

export interface Rules {
  /** The role's part of the manifest; undefined for a session without a role. */
  readonly role: ManifestRole | undefined;
  readonly guardrails: Guardrails;
}

interface RulesPlan {
  /** What the session was opened with; it holds where the checkout has none. */
  readonly manifest: Manifest | undefined;
  readonly role: string | undefined;
  readonly hookFolders: readonly string[];
}

/** While the manifest cannot be read, or is gone, what it last said holds, and roles only read. */
export class SessionRules {
  readonly #folder: Pick<Folder, "read">;
  readonly #given: RulesPlan;
  #known: Manifest | undefined;

  constructor(folder: Pick<Folder, "read">, given: RulesPlan) {
    this.#folder = folder;
    this.#given = given;
  }

  /** As it was at the last look. */
  get manifest(): Manifest | undefined {
    return this.#known ?? this.#given.manifest;
  }

  async now(): Promise<Rules> {
    const fault = await this.#look();
    const guardrails = guardrailsOf(this.manifest, this.#given.hookFolders);
    const role = this.#roleIn(this.manifest);
    return { role, guardrails: fault === undefined ? guardrails : { ...guardrails, fault } };
  }

  #roleIn(manifest: Manifest | undefined): ManifestRole | undefined {
    const { role } = this.#given;
    const roles = manifest?.roles ?? {};
    return role !== undefined && Object.hasOwn(roles, role) ? roles[role] : undefined;
  }

  /** @returns why the manifest as it is now does not count */
  async #look(): Promise<string | undefined> {
    try {
      const found = await manifestIn(this.#folder);
      if (found === undefined) {
        return this.#known === undefined ? undefined : `there is no ${MANIFEST_PATH} any more`;
      }
      const { role } = this.#given;
      if (role !== undefined && this.#roleIn(found) === undefined) {
        return `${MANIFEST_PATH} does not name role "${role}" any more`;
      }
      this.#known = found;
      return undefined;
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      return message;
    }
  }
}
