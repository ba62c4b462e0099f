import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, otherwise, path, repo, required, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { type Attempt, probeConfinement } from "svc/platform/confinement_probe.ts";

/** Reads through the broker, and what a hostile caller would ask of it. */
async function throughBroker(app: Pick<App, "folder">, root: string): Promise<Attempt[]> {
  const folder = await app.folder(root);
  const attempts: Attempt[] = [];
  const ask = async (name: string, call: () => Promise<unknown>) => {
    const detail = await call().then(() => undefined, (thrown) => Failure.from(thrown).message);
    attempts.push({ name, refused: detail !== undefined, detail: detail ?? "it succeeded" });
  };
  const maxBytes = 64;
  await ask("broker: climb out of the repo", () => folder.read("../outside", { maxBytes }));
  await ask("broker: follow a symlink out", () => folder.read("link", { maxBytes }));
  await ask("broker: write as an observer", () => folder.write("probe", new Uint8Array(1)));
  return attempts;
}

export default command({
  about: "Try to leave the confinement that agents run in, and report what was refused",
  examples: [{
    line: "svc internal confinement --repo . --outside /etc/hostname",
    about: "every attempt must be refused",
  }],
  effect: "runs_agents",
  hidden: true,
  modes: ["json", "plain"],
  flags: {
    repo,
    profile: otherwise(choice(["observer", "host"], "Execution profile to try"), "observer"),
    outside: required(path("file", "A file outside the repo and the svc home")),
    host: otherwise(text("host:port", "A host that is not granted"), "192.0.2.1:80"),
    program: otherwise(path("file", "A program"), "/bin/true"),
  },
  result: (z) =>
    z.strictObject({
      profile: z.enum(["observer", "host"]),
      escaped: z.int(),
      attempts: z.array(
        z.strictObject({ name: z.string(), refused: z.boolean(), detail: z.string() }),
      ),
    }),

  async confine(app: App, { repo = app.cwd(), profile }) {
    return { profile, repo: await app.files.realPath(repo), hosts: [] };
  },

  async run(app: App, { repo = app.cwd(), profile, outside, host, program }) {
    const root = repo;
    const targets = {
      outsideFile: outside,
      outsideFolder: outside.slice(0, outside.lastIndexOf("/")),
      repo: root,
      repoLink: `${root}/link`,
      program,
      host,
    };
    const attempts = [
      ...await probeConfinement(targets, profile),
      ...(profile === "observer" ? await throughBroker(app, root) : []),
    ];
    return { profile, escaped: attempts.filter(({ refused }) => !refused).length, attempts };
  },

  exit: ({ escaped }) => escaped === 0 ? 0 : 1,

  show({ attempts, escaped, profile }, page) {
    page.table(
      ["attempt", "outcome", "detail"],
      attempts.map(({ name, refused, detail }) => [
        name,
        page.tone(refused ? "good" : "bad", refused ? "refused" : "ESCAPED"),
        detail,
      ]),
    );
    page.line(`${profile}: ${attempts.length - escaped} refused, ${escaped} escaped`);
  },
});
