/** Models and roles whose jobs wait for a person: a key that was refused, a quota, failures in a row. */
import { type Finding, type HeldBack, ok, type Probe, warning } from "svc/features/doctor/probe.ts";

function found({ kind, key, reason, role, repo }: HeldBack): Finding {
  const what = kind === "model"
    ? `model ${key}`
    : `role "${role}"${repo === null ? "" : ` of ${repo}`}`;
  const where = repo === null ? "" : ` --repo ${repo}`;
  const again = role === null ? "svc start" : `svc run ${role}${where}`;
  return warning(`${what} is held back: ${reason}`, `mend what it names, then: ${again}`);
}

export const heldBack: Probe = {
  id: "held-back",
  about: "models and roles whose jobs wait for a person",
  async run({ databases, heldBack: look, files }) {
    const findings: Finding[] = [];
    for (const path of await databases()) {
      if (await files.stat(path) === undefined) continue;
      findings.push(...(await look(path)).map(found));
    }
    return findings.length > 0 ? findings : [ok("no model and no role is held back")];
  },
};
