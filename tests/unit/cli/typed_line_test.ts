import assert from "node:assert/strict";
import { many, on, otherwise, path, text, whole } from "svc/cli/flags.ts";
import { typedLine } from "svc/cli/typed_line.ts";

const FLAGS = {
  repo: path("path", ""),
  modelEndpoint: text("url", ""),
  force: on(""),
  port: otherwise(whole("n", "", { min: 1, max: 9 }), 5),
  role: many(text("role", "")),
};

Deno.test("a line keeps each flag that was given, quoted where a shell needs it", () => {
  const given = {
    repo: "/tmp/my repo",
    modelEndpoint: "http://127.0.0.1:1/v1#a:b",
    force: true,
    port: 5,
    role: ["qa", "it's"],
    yes: true,
    json: false,
    plain: false,
    dryRun: true,
    rest: [],
  };
  assert.equal(
    typedLine("setup", FLAGS, given),
    `svc setup --repo '/tmp/my repo' --model-endpoint 'http://127.0.0.1:1/v1#a:b' --force --role qa ` +
      `--role 'it'\\''s' --yes`,
  );
  assert.equal(
    typedLine("setup", FLAGS, given, ["repo", "role", "modelEndpoint"]),
    "svc setup --force --yes",
  );
  assert.equal(typedLine("setup", FLAGS, { port: 6, role: [] }), "svc setup --port 6");
});
