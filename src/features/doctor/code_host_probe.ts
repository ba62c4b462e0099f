/** Probe of merge policy `pull_request`: where the work goes, and with which login. */
import { readManifest } from "svc/features/harness/manifest.ts";
import type { Probe } from "./probe.ts";
import { manifestText } from "./repo_probes.ts";

export const codeHost: Probe = {
  id: "code-host",
  about: "where pull requests go, and the login for them",
  async run({ repo, codeHost }) {
    const text = repo && await manifestText(repo.folder);
    if (text === undefined || readManifest(text).dispatch.merge !== "pull_request") return [];
    return await codeHost();
  },
};
