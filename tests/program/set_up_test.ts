/**
 * `svc start` on a project that nobody here wrote: npm `concat-map` 0.0.1 with its own test, which needs
 * npm `tape` in `node_modules`. Skipped, and counted so, where npm or its registry cannot be reached.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { npm, published } from "tests/kit/npm_package.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { call, CEO, finish, ORCHESTRATOR, turns } from "tests/unit/runtime/team.ts";

const PUBLISHED = "if (isArray(x)) res.push.apply(res, x);\n        else res.push(x);";
/** Without the branch, the package's tests "scalars" and "undefs" are red. */
const BROKEN = "res.push.apply(res, x);";

/** How npm reaches its registry on this machine; no key is among it. Certificates may stand in a variable. */
async function registry(): Promise<string> {
  const keys = ["registry", "cafile"];
  const values = await Promise.all(keys.map((key) => npm("/", "config", "get", key)));
  const certificates = Deno.env.get("NODE_EXTRA_CA_CERTS");
  if (values[1] === "null" && certificates !== undefined) values[1] = certificates;
  return keys.map((key, at) => [key, values[at]]).filter(([, value]) => value !== "null")
    .map(([key, value]) => `${key}=${value}\n`).join("");
}

const files = await published("concat-map", "0.0.1", ["index.js", "test/map.js"]);

Deno.test({
  name:
    "a project with dependencies goes from backlog to done: npm ci runs once for engineer and qa",
  ignore: files === undefined,
  async fn() {
    const engineer = turns(
      call("check_run", { name: "test" }),
      call("file_edit", { path: "index.js", old: BROKEN, new: PUBLISHED }),
      call("check_run", { name: "test" }),
      call("git_commit", { message: "fix: scalars are kept" }),
      finish("submitted"),
    );
    const qa = turns(call("check_run", { name: "test" }), finish("approved"));
    const broken = files!["index.js"]!.replace(PUBLISHED, BROKEN);
    assert.notEqual(broken, files!["index.js"]);
    await using site = await runSite({
      files: { ...files, "index.js": broken },
      scenario: { roles: { ceo: CEO, orchestrator: ORCHESTRATOR, engineer, qa } },
    });
    await Deno.writeTextFile(`${site.env.HOME}/.npmrc`, await registry());
    // The person's own dependencies, of which svc never touches one.
    await site.repo.write("node_modules/mine.txt", "mine\n");
    assert.equal(await site.repo.git("status", "--porcelain"), "");
    const ticket = ["--title", "Keep scalars", "--acceptance", "npm test passes"];
    await site.svc("tickets", "new", ...ticket);

    await using svc = serving({
      cwd: site.repo.path,
      env: site.env,
      args: [
        ...["start", "--json", "--model-endpoint", site.model.url, ...HOST],
        ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
      ],
    });
    const { database } = await svc.first;
    assert.match(await svc.said(/T-0001 moved: .* → (?:done|blocked)/), /done$/);
    svc.signal("SIGTERM");
    const { code, stderr } = await svc.ended;
    assert.equal(code, 0, stderr);

    using db = new DatabaseSync(database, { readOnly: true });
    const ran = db.prepare("SELECT name, role, outcome FROM checks ORDER BY started_at, id").all();
    assert.deepEqual(ran.map(({ name, role, outcome }) => `${role} ${name} ${outcome}`), [
      "engineer set-up npm passed",
      "engineer test checks_failed",
      "engineer test passed",
      "engineer test passed",
      "qa test passed",
      "qa test passed",
    ]);
    assert.equal(await site.repo.read("index.js"), files!["index.js"]);
    assert.deepEqual(
      [...Deno.readDirSync(`${site.repo.path}/node_modules`)].map(({ name }) => name),
      [
        "mine.txt",
      ],
    );
    assert.equal(await site.repo.git("status", "--porcelain"), "");
  },
});
