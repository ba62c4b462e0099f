/** What the manifest allows a session. Read again for each call, since a person may edit it meanwhile. */
import { Failure } from "svc/core/failure.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import type { Guardrails } from "svc/features/trust/policy_question.ts";
import type { Folder } from "svc/platform/files/folder.ts";

interface RulesInForce {
  readonly role: ManifestRole | undefined;
  readonly guardrails: Guardrails;
}

interface RulesPlan {
  readonly manifest: Manifest | undefined;
  readonly role: string | undefined;
  readonly hookFolders: readonly string[];
}

/** While the manifest is invalid or missing, the last good one applies and roles may only read. */
export class SessionRules {
  readonly #folder: Pick<Folder, "read">;
  readonly #plan: RulesPlan;
  #known: Manifest | undefined;

  constructor(folder: Pick<Folder, "read">, plan: RulesPlan) {
    this.#folder = folder;
    this.#plan = plan;
  }

  get manifest(): Manifest | undefined {
    return this.#known ?? this.#plan.manifest;
  }

  async now(): Promise<RulesInForce> {
    const fault = await this.#look();
    const guardrails = guardrailsOf(this.manifest, this.#plan.hookFolders);
    const role = this.#roleIn(this.manifest);
    return { role, guardrails: fault === undefined ? guardrails : { ...guardrails, fault } };
  }

  #roleIn(manifest: Manifest | undefined): ManifestRole | undefined {
    const { role } = this.#plan;
    const roles = manifest?.roles ?? {};
    return role !== undefined && Object.hasOwn(roles, role) ? roles[role] : undefined;
  }

  /** @returns why the present manifest does not count */
  async #look(): Promise<string | undefined> {
    try {
      const found = await manifestIn(this.#folder);
      if (found === undefined) {
        return this.#known === undefined ? undefined : `there is no ${MANIFEST_PATH} any more`;
      }
      const { role } = this.#plan;
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
