/** Every text argument of every tool with values that mean something else to git, paths or terminals. */
import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { treeHash } from "tests/kit/script.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { sessionAt, sessionPorts } from "tests/unit/runtime/session_ports.ts";

const values = (outside: string) => [
  `--output=${outside}/x`,
  `--upload-pack=touch ${outside}/x`,
  `ext::sh -c touch% ${outside}/x`,
  `-c core.pager=touch\\ ${outside}/x`,
  "HEAD@{1}",
  "../outside/x",
  `${outside}/x`,
  "link/x",
  ".git/hooks/pre-commit",
  ".GIT\u200c/config",
  "GIT~1/config",
  "a\nb\x1b[2J\x07",
  "\0",
  "$(touch x)`touch x`;touch x",
];

interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
  readonly minimum?: number;
}

/** A value that the shape takes; texts are the given one. */
function filled(shape: Shape, text: string): unknown {
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.type === "array") return [filled(shape.items ?? {}, text)];
  if (shape.type === "integer") return shape.minimum ?? 1;
  return shape.type === "boolean" ? false : text;
}

Deno.test("no argument of a tool reaches outside the work tree, git's settings or a terminal", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using outside = await tempFolder();
  await outside.write("keep", "1\n");
  await Deno.symlink(outside.path, `${repo.path}/link`);
  await using ports = await sessionPorts();
  using session = await sessionAt(ports, {
    ...{ repo: repo.path, role: undefined, manifest: undefined, trust: "contributor" },
    ...{ profile: "host", job: uuidV7(Date.now()) },
  });
  const git = async () =>
    [await repo.read(".git/config"), await treeHash(`${repo.path}/.git/hooks`)].join("\n");
  const before = [await treeHash(outside.path), await git()];
  let calls = 0;
  // command_run starts what it is told to: that is its purpose, and the policy's business.
  for (const tool of TOOLS.filter(({ name }) => name !== "command_run")) {
    const { properties = {} } = definitionOf(tool).function.parameters;
    const fields = Object.entries(properties as Record<string, Shape>);
    for (const [hit] of fields.filter(([, { type }]) => type === "string" || type === "array")) {
      for (const value of values(outside.path)) {
        const args = fields.map((
          [name, shape],
        ) => [name, filled(shape, name === hit ? value : "a")]);
        const outcome = await session.toolbox.call(tool.name, Object.fromEntries(args), {
          signal: AbortSignal.timeout(60_000),
        });
        // deno-lint-ignore no-control-regex -- what must not come out
        assert.doesNotMatch(outcome.text, /[\x00-\x08\x0b-\x1f\x7f]/, `${tool.name} ${hit}`);
        calls++;
      }
    }
  }
  assert.ok(calls > 200, String(calls));
  assert.deepEqual([await treeHash(outside.path), await git()], before);
  assert.equal(ports.started.length, 0);
});
