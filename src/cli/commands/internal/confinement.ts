import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, otherwise, path, repo, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import {
  type Attempt,
  probeConfinement,
  type ProbeTargets,
} from "svc/platform/confined/confinement_probe.ts";
import { LINK_OF_GROUND, OUTSIDE_OF_GROUND } from "svc/platform/confined/probe_ground.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

/** Codes that prove a refusal; an attempt that fails for another reason proves nothing. */
const REFUSALS: readonly string[] = ["refused", "usage"];

/** Calls of the broker that a hostile caller would make. */
async function throughBroker(
  app: App,
  { repo, outsideFolder, program }: ProbeTargets,
  profile: "observer" | "host",
): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  const ask = async (name: string, call: () => Promise<unknown>) => {
    const failure = await call().then(() => undefined, Failure.from);
    attempts.push({
      name: `broker: ${name}`,
      refused: failure !== undefined && REFUSALS.includes(failure.code),
      detail: failure === undefined ? "it succeeded" : `${failure.code}: ${failure.message}`,
    });
  };
  const maxBytes = 64;
  const opened = await app.git.open(repo);
  using folder = await app.folder(repo);
  const forged: GitRepo = { ...opened, root: outsideFolder, gitDir: `${outsideFolder}/.git` };
  const worktree = { doing: "probe", branch: "svc/probe", start: "HEAD" };
  const run = { program, args: [], cwd: "/", env: {} };
  await ask("climb out of the repo", () => folder.read("../outside", { maxBytes }));
  await ask("follow a symlink out", () => folder.read(LINK_OF_GROUND, { maxBytes }));
  await ask(
    "read a tree outside",
    () =>
      app.readTree({ root: repo, paths: ["../outside"], maxBytes, signal: app.signal }, () => {}),
  );
  await ask("open a repo that is not admitted", () => app.git.open(outsideFolder));
  await ask("open a folder that is not admitted", () => app.folder(outsideFolder));
  await ask("open a folder above the repo", () => app.folder(`${repo}/..`));
  await ask("name another root", () => app.commits.tip(forged));
  await ask(
    "lock another root",
    () =>
      app.lockRepo({ root: outsideFolder, commonDir: outsideFolder }, {
        doing: "probe",
        clock: app.clock,
      }),
  );
  await ask(
    "commit in another root",
    () => app.commits.commitPaths(forged, folder, { doing: "probe", message: "probe", paths: [] }),
  );
  await ask(
    "make a work tree outside",
    () => app.worktrees.add(opened, { ...worktree, path: `${outsideFolder}/svc-probe` }),
  );
  await ask(
    "remove a folder outside",
    () => app.worktrees.remove(opened, outsideFolder, { discard: true }),
  );
  await ask(
    "read git's settings as svc's state",
    () => app.files.readText(`${opened.gitDir}/config`, { maxBytes }),
  );
  await ask(
    "read state of another place",
    () => app.files.readText(`${outsideFolder}/svc-tickets.json`, { maxBytes }),
  );
  await ask("read a token from the user's settings", () => app.git.userSetting("http.extraHeader"));
  if (profile === "host") return attempts;
  const doing = "probe";
  await ask("write", () => folder.write("probe", new Uint8Array(1)));
  await ask("start a program", () => app.processes.run(run));
  await ask("end programs", () => app.processes.sweep("probe"));
  await ask("lock", () => app.lockRepo(opened, { doing, clock: app.clock }));
  await ask(
    "commit",
    () => app.commits.commitPaths(opened, folder, { doing, message: doing, paths: [] }),
  );
  await ask("finish a commit", () => app.commits.recover(opened, folder));
  await ask(
    "make a work tree",
    () => app.worktrees.add(opened, { ...worktree, path: `${app.home.worktrees}/probe` }),
  );
  await ask(
    "merge",
    () => app.worktrees.merge(opened, { doing, into: "main", from: "HEAD", message: doing }),
  );
  await ask("delete a branch", () => app.worktrees.deleteMerged(opened, "svc/probe", "main"));
  await ask(
    "write state",
    () => app.files.writeAtomic(`${opened.commonDir}/svc-tickets.json`, "{}"),
  );
  return attempts;
}

export default command({
  about: "Try to leave the confinement that agents run in, and report what was refused",
  details:
    "Makes a repo and a file beside it in a temporary folder, and removes them afterwards. With " +
    "--repo and --outside it tries to reach that file from that repo instead; the repo must then " +
    "contain a symlink named link to the file.",
  examples: [
    { line: "svc internal confinement", about: "every attempt must be refused" },
    { line: "svc internal confinement --profile host", about: "those that host refuses too" },
  ],
  effect: "runs_agents",
  givenBy: { who: "anyone", because: "it only tries what must be refused" },
  hidden: true,
  modes: ["json", "plain"],
  flags: {
    repo,
    profile: otherwise(choice(["observer", "host"], "Execution profile to try"), "observer"),
    outside: path("file", "A file outside the repo and the svc home"),
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

  async confine(app: App, { repo, outside, profile }) {
    if ((repo === undefined) !== (outside === undefined)) {
      throw new Failure("usage", "Cannot try a place of your own: it takes both its parts", {
        remedy: "Give --repo and --outside, or neither",
      });
    }
    if (repo !== undefined) {
      return { profile, repos: [await app.files.realPath(repo)], hosts: [] };
    }
    const { probeGround } = await app.load("src/platform/confined/probe_ground");
    const ground = await probeGround({ ...app, path: app.env.get("PATH") ?? "" });
    return { profile, repos: [ground.repo], hosts: [], held: ground };
  },

  async run(app: App, { profile, outside, host, program }) {
    const repo = app.confinement!.repos[0]!;
    const parent = repo.slice(0, repo.lastIndexOf("/"));
    const outsideFile = outside ?? `${parent}/${OUTSIDE_OF_GROUND}`;
    const targets = {
      outsideFile,
      outsideFolder: outsideFile.slice(0, outsideFile.lastIndexOf("/")),
      repo,
      repoLink: `${repo}/${LINK_OF_GROUND}`,
      program,
      host,
    };
    const attempts = [
      ...await probeConfinement(targets),
      ...await throughBroker(app, targets, profile),
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
