/** The svc home: there, owner-only, and open for writing. */
import { error, ok, type Probe, warning } from "svc/features/doctor/probe.ts";

/** A run of some hours writes traces and databases; below this they may not fit. */
const WANTED_BYTES = 1024 ** 3;

export const homeFolder: Probe = {
  id: "home",
  about: "the svc home and its disk",
  async run({ home, files, diskFree }) {
    const { root } = home();
    const facts = await files.stat(root);
    if (facts === undefined) return [ok(`${root} does not exist yet; commands make it`)];
    if (facts.kind !== "folder") {
      return [error(`${root} is not a folder`, `mv ${root} ${root}.old`)];
    }
    const findings = [];
    if ((facts.mode & 0o077) !== 0) {
      findings.push(warning(`${root} is open to other users`, `chmod 700 ${root}`));
    }
    if (!await files.isWritableFolder(root)) {
      findings.push(error(`${root} cannot be written`, `chown -R "$(id -u)" ${root}`));
    }
    const free = await diskFree(root);
    const shown = `${(free / 1e9).toFixed(1)} GB free on the disk of ${root}`;
    findings.push(
      free < WANTED_BYTES ? warning(shown, "Free some space, or move SVC_HOME") : ok(shown),
    );
    return findings;
  },
};
