/** `svc serve` over several repos that GitHub tells of: for figures and soaks. */
import type { ModelEndpoint } from "./model_endpoint.ts";
import { svcCommand } from "./script.ts";
import { type Serving, serving } from "./service_site.ts";
import { tempFolder, type TempRepo } from "./temp_repo.ts";
import { GITHUB_SECRET, hookedRepo, sendGithub } from "tests/unit/http/control_place.ts";

export interface Fleet extends AsyncDisposable {
  readonly repos: readonly TempRepo[];
  readonly home: string;
  /** Begins it; ended by the fleet's own end at the latest. */
  serve(...args: string[]): Serving;
  /** A pull request of repo `at` changed; a review is asked for. @param control base URL */
  pullRequest(control: string, at: number, number: number): Promise<number>;
}

const nameOf = (at: number) => `acme/repo-${at}`;

/** Repos with the default harness, registered in a home of their own. */
export async function fleet(size: number, model: ModelEndpoint): Promise<Fleet> {
  const folder = await tempFolder("svc-fleet-");
  const home = `${folder.path}/svc-home`;
  const env = {
    ...{ PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: folder.path, SVC_HOME: home },
    ...{ LC_ALL: "C", DENO_DIR: Deno.env.get("DENO_DIR") ?? "", DENO_NO_PROMPT: "1" },
    SVC_GITHUB_WEBHOOK_SECRET: GITHUB_SECRET,
  };
  const repos = await Promise.all(Array.from({ length: size }, () => hookedRepo()));
  const [program, ...before] = svcCommand();
  for (const [at, { path }] of repos.entries()) {
    const args = [...before, "register", "--repo", path, "--remote", nameOf(at)];
    const { code, stderr } = await new Deno.Command(program, { args, env, clearEnv: true })
      .output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  }
  const begun: Serving[] = [];
  return {
    repos,
    home,
    serve(...args) {
      const addresses = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
      const one = serving({
        ...{ cwd: folder.path, env },
        args: ["serve", "--json", "--model-endpoint", model.url, ...addresses, ...args],
      });
      begun.push(one);
      return one;
    },
    async pullRequest(control, at, number) {
      const name = nameOf(at);
      const repository = { full_name: name, html_url: `https://github.com/${name}` };
      const sha = Math.random().toString(16).slice(2, 14).padEnd(40, "0");
      const { status } = await sendGithub(control, {
        event: "pull_request",
        id: crypto.randomUUID(),
        payload: {
          ...{ action: "synchronize", number, repository, sender: { login: "ada" } },
          pull_request: {
            ...{ number, title: "A change", body: "It drips.", user: { login: "ada" } },
            head: { ref: "change", sha, repo: repository },
            base: { ref: "master", repo: repository },
          },
        },
      });
      return status;
    },
    async [Symbol.asyncDispose]() {
      for (const one of begun) await one[Symbol.asyncDispose]();
      for (const repo of repos) await repo[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
