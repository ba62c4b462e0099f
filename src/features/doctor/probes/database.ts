/** The databases that commands of this repo use. */
import { error, ok, type Probe } from "svc/features/doctor/probe.ts";

export const database: Probe = {
  id: "database",
  about: "queue and evidence databases",
  async run({ databases, checkDatabase, files }) {
    const findings = [];
    for (const path of await databases()) {
      if (await files.stat(path) === undefined) continue;
      const problems = await checkDatabase(path);
      for (const problem of problems) {
        findings.push(error(`${path}: ${problem}`, `Restore one of the backups: ls ${path}*`));
      }
      if (problems.length === 0) findings.push(ok(`${path} is sound`));
    }
    return findings.length > 0 ? findings : [ok("no database yet; commands make it")];
  },
};
