/** Several homes on this machine that are nodes of one team: PostgreSQL, a bare remote behind git-http-backend(1), and a
 * scripted model. */
import { gitHttpBackend } from "./git_http_backend.ts";
import { type ModelEndpoint, modelEndpoint, type Scenario } from "./model_endpoint.ts";
import { addressOf, type Cluster, startCluster } from "./postgres.ts";
import { BUGGY, HOST, type Ran } from "./run_site.ts";
import { DEAD_PROXY, denoDir, svcCommand } from "./script.ts";
import { type Serving, serving } from "./service_site.ts";
import { plainGit, type TempFolder, tempFolder, type TempRepo, tempRepo } from "./temp_repo.ts";
import { within } from "./within.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

export interface TeamNode {
  readonly home: string;
  svc(...args: string[]): Promise<Ran>;
  /** `svc serve` as host on the team's database. */
  serve(...args: string[]): Serving;
}

/** What the remote is asked, before it answers. */
export type RemoteWatch = (request: Request) => void | Promise<void>;

export interface TeamSite extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly db: string;
  readonly model: ModelEndpoint;
  /** What nodes clone from. */
  readonly url: string;
  readonly bare: string;
  /** A person's clone, with the harness; `origin` is the bare repo. */
  readonly person: TempRepo;
  /** @param more of its environment */
  node(name: string, more?: Readonly<Record<string, string>>): Promise<TeamNode>;
  watch(look: RemoteWatch): void;
  /** Rows of the team's database, a line each. */
  rows(sql: string): Promise<string[]>;
}

async function nodeIn(
  folder: string,
  name: string,
  { db, model }: Pick<TeamSite, "db" | "model">,
  serves: Serving[],
  more: Readonly<Record<string, string>> = {},
): Promise<TeamNode> {
  const user = `${folder}/${name}`;
  await Deno.mkdir(user);
  await Deno.writeTextFile(
    `${user}/.gitconfig`,
    `[user]\nname = ${name}\nemail = ${name}@example.org\n`,
  );
  const home = `${user}/.svc`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    ...{ HOME: user, SVC_HOME: home, DENO_DIR: denoDir(), USER: name, ...DEAD_PROXY },
    ...more,
  };
  await Deno.mkdir(home, { recursive: true });
  const record = { version: 1, id: crypto.randomUUID(), name };
  await Deno.writeTextFile(`${home}/node.json`, JSON.stringify(record));
  return {
    home,
    async svc(...args) {
      const [program, ...first] = svcCommand();
      const running = new Deno.Command(program, {
        ...{ args: [...first, ...args], cwd: user, env, clearEnv: true, stdin: "null" },
      }).output();
      const ended = await within(running, () => `no end of svc ${args.join(" ")}`);
      const [stdout, stderr] = [ended.stdout, ended.stderr].map((b) => new TextDecoder().decode(b));
      return {
        ...{ code: ended.code, stdout: stdout!, stderr: stderr! },
        json: () => JSON.parse(stdout!),
      };
    },
    serve(...args) {
      const one = serving({
        ...{ cwd: user, env },
        args: [
          ...["serve", "--json", "--db", db, "--model-endpoint", model.url],
          ...[...ANYWHERE, ...HOST, ...args],
        ],
      });
      serves.push(one);
      return one;
    },
  };
}

async function bareRemote(folder: TempFolder): Promise<{ bare: string; person: TempRepo }> {
  const bare = `${folder.path}/remote/acme/app.git`;
  await Deno.mkdir(bare, { recursive: true });
  await plainGit(bare, ["init", "--quiet", "--bare", "--initial-branch=main"]);
  await plainGit(bare, ["config", "uploadpack.allowFilter", "true"]);
  const person = await tempRepo({ files: BUGGY, commit: true });
  await person.git("remote", "add", "origin", bare);
  await person.git("config", "user.name", "Ada");
  await person.git("config", "user.email", "ada@example.org");
  return { bare, person };
}

/** With the harness and the tickets of `titles` pushed, for role engineer. */
export async function teamSite(
  scenario: Scenario,
  titles: readonly string[] = ["Mend add"],
): Promise<TeamSite> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder("svc-team-"));
  const cluster = parts.use(await startCluster());
  const db = addressOf(await cluster.database());
  const model = parts.use(await modelEndpoint(scenario));
  const { bare, person } = await bareRemote(folder);
  parts.use(person);
  let look: RemoteWatch = () => {};
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await look(request);
    return await gitHttpBackend(request, `${folder.path}/remote`);
  });
  parts.defer(() => server.shutdown());
  const serves: Serving[] = [];
  parts.defer(async () => {
    for (const one of serves) await one[Symbol.asyncDispose]();
  });
  const known = { db, model };
  const first = await nodeIn(folder.path, "person", known, serves);
  const mustDo = async (...args: string[]) => {
    const { code, stdout, stderr } = await first.svc(...args);
    if (code !== 0) throw new Error(`svc ${args.join(" ")}: ${stdout}${stderr}`);
  };
  await mustDo("init", "--yes", "--repo", person.path);
  await person.commit("harness");
  for (const title of titles) {
    await mustDo("tickets", "new", "--title", title, "--role", "engineer", "--repo", person.path);
  }
  await person.git("push", "--quiet", "origin", "main");
  const url = `http://127.0.0.1:${server.addr.port}/acme/app.git`;
  await mustDo("register", "--url", url, "--db", db);
  const held = parts.move();
  return {
    ...{ cluster, db, model, url, bare, person },
    node: (name, more) => nodeIn(folder.path, name, known, serves, more),
    watch(next) {
      look = next;
    },
    async rows(sql) {
      const text = await cluster.psql(sql, db.slice(db.lastIndexOf("/") + 1));
      return text.trim().split("\n").filter((line) => line !== "");
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
