import assert from "node:assert/strict";
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { redactor } from "svc/core/redact.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { type AnyTool, tool, type ToolAnswer } from "svc/features/tools/tool.ts";
import type { PolicyQuestion } from "svc/features/trust/policy_question.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { verifies } from "tests/kit/verifies.ts";

const context = () => ({ signal: new AbortController().signal });

/** A tool that answers, or throws, as it is told. */
function saying(answer: () => ToolAnswer | Promise<ToolAnswer>): AnyTool {
  return tool({
    name: "say",
    about: "Says it.",
    capability: "read",
    args: () =>
      z.strictObject({
        word: z.string().optional(),
        many: z.array(z.int().min(1).max(9)).optional(),
        kind: z.enum(["a", "b"]).optional(),
      }),
    run: async () => await answer(),
  });
}

const fine = saying(() => ({ ok: true, text: "fine" }));

Deno.test("toolbox runs a tool and tells what came of it", async () => {
  await using at = await toolPlace();
  const box = at.box([saying(() => ({ ok: true, text: "fine", facts: { exit: 0 } }))]);
  const outcome = await box.call("say", { word: "x" }, context());
  const { durationMs, hash, ...rest } = outcome;
  assert.deepEqual(rest, { tool: "say", status: "ok", text: "fine", facts: { exit: 0 } });
  assert.ok(durationMs >= 0);
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.equal((await box.call("say", '{"word": "y"}', context())).hash, hash, "same result");
  const failed = at.box([saying(() => ({ ok: false, text: "fine" }))]);
  const other = await failed.call("say", "", context());
  assert.equal(other.status, "failed");
  assert.notEqual(other.hash, hash, "the status counts");
});

Deno.test("toolbox names the nearest tool, and all, for one that there is not", async () => {
  await using at = await toolPlace();
  const { status, text } = await at.box([fileRead, fine]).call("dance", {}, context());
  assert.equal(status, "unknown");
  assert.equal(text, 'There is no tool "dance". The tools are: file_read, say.');
  const near = await at.box([fileRead, fine]).call("file_reed", {}, context());
  assert.match(near.text, /Did you mean "file_read"\?/);
});

Deno.test("toolbox tells of wrong arguments what is wrong and what is right", async () => {
  await using at = await toolPlace();
  const box = at.box([fine]);
  const cases: readonly (readonly [unknown, RegExp])[] = [
    ['{"word": "a" } so', /not valid JSON: .*position 15.*near.*its commas and braces are wrong/],
    ['{"word": "a', /not valid JSON.*; it ends within a text, so the call was cut off/],
    ["[1]", /a JSON object is needed, not "\[1\]" \(list\)/],
    [7, /a JSON object is needed, not "7" \(number\)/],
    [{ word: 0.5 }, /- "word" is "0.5" \(number\): .*expected string/],
    [{ wrod: "a" }, /- "wrod" is no argument\. Did you mean "word"\?/],
    [{ many: [0] }, /- "many\.0" is "0" \(number\)/],
    [{ kind: "c" }, /- "kind" is "c" \(string\): .*"a"\|"b"/],
    ['{"__proto__": {"word": "a"}}', /- "__proto__" is no argument/],
  ];
  for (const [args, wanted] of cases) {
    const { status, text } = await box.call("say", args, context());
    assert.equal(status, "invalid", text);
    assert.match(text, wanted);
    assert.match(
      text,
      /say takes \{"word"\?: string, "many"\?: \[integer from 1 to 9, …\], "kind"\?: "a" \| "b"\}$/,
    );
  }
  const missing = await at.call(fileRead, {});
  assert.match(
    missing.text,
    /- "path" is missing\nfile_read takes \{"path": string, "offset"\?: integer from 1/,
  );
});

Deno.test("toolbox takes a null for a field left out", async () => {
  await using at = await toolPlace();
  assert.equal((await at.call(fine, { word: null, kind: null })).status, "ok");
  assert.equal((await at.call(fine, undefined)).status, "ok");
});

Deno.test("toolbox asks the policy for all that a call needs and touches, each time anew", async () => {
  const redact = (text: string) => text.replaceAll("hush-hush", "[redacted]");
  await using at = await toolPlace({ session: { redact } });
  const asked: PolicyQuestion[] = [];
  const two = tool({
    name: "two",
    about: "Does two things.",
    capability: "exec",
    args: () => z.strictObject({ net: z.boolean() }),
    needs: ({ net }) => net ? "net" : undefined,
    touches: () => ({ writes: ["out"], argv: ["npm", "test"] }),
    run: () => Promise.resolve({ ok: true, text: "" }),
  });
  let trust: "observer" | "contributor" = "contributor";
  const box = at.box([two], {
    policy: {
      profile: "host",
      now: () =>
        Promise.resolve({
          roleTrust: trust,
          sourceTrust: "contributor",
          roleTools: ["two"],
          guardrails: { denyPaths: ["x"], denyCommands: [] },
        }),
    },
    decide(question) {
      asked.push(question);
      return question.roleTrust === "contributor" ? { allowed: true } : {
        allowed: false,
        by: "role_trust",
        reason: "no trust in hush-hush",
        remedy: "svc trust set",
      };
    },
  });
  assert.equal((await box.call("two", { net: true }, context())).status, "ok");
  const { capabilities, writes, argv, role, tool: name, repo, guardrails } = asked[0]!;
  assert.deepEqual(capabilities, ["exec", "net"]);
  assert.deepEqual([writes, argv, role, name], [["out"], ["npm", "test"], "engineer", "two"]);
  assert.deepEqual([repo, guardrails.denyPaths], [at.repo.path, ["x"]]);
  trust = "observer";
  const denied = await box.call("two", { net: false }, context());
  assert.deepEqual([denied.status, denied.deniedBy], ["denied", "role_trust"]);
  assert.match(
    denied.text,
    /^Denied: no trust in \[redacted\]\nWhat would change it: svc trust set\n.*do not look for a way around it/,
  );
  const invalid = await box.call("two", { net: "?" }, context());
  assert.equal(invalid.status, "denied", "who may not call it is not taught how to");
  assert.equal(at.denials.length, 2);
  const { at: when, ...denial } = at.denials[0]!;
  assert.ok(when > 0);
  assert.deepEqual(denial, {
    tool: "two",
    role: "engineer",
    job: "J-1",
    by: "role_trust",
    reason: "no trust in [redacted]",
  });
});

Deno.test("toolbox denies also when the denial cannot be recorded", async () => {
  await using at = await toolPlace();
  const box = at.box([fine], {
    decide: () => ({ allowed: false, by: "profile", reason: "no", remedy: "yes" }),
    recordDenial: () => Promise.reject(new Error("database is busy")),
  });
  assert.equal((await box.call("say", {}, context())).status, "denied");
  assert.match(at.logged.join(), /Cannot record a denied tool call.*database is busy/s);
});

verifies(
  "1:execution-profile:observer-blocks-mutating-tools",
  "toolbox offers an observer no tool that changes anything, and runs none",
  async () => {
    await using at = await toolPlace({ files: { a: "1" } });
    const observer = at.box(TOOLS, {
      policy: {
        profile: "observer",
        now: () =>
          Promise.resolve({
            roleTrust: "contributor",
            sourceTrust: "contributor",
            roleTools: undefined,
            guardrails: { denyPaths: [], denyCommands: [] },
          }),
      },
    });
    const offered = (await observer.offered()).map(({ function: { name } }) => name);
    const allowed = TOOLS.filter(({ capability }) =>
      capability === "read" || capability === "finish"
    );
    assert.deepEqual(offered, allowed.map(({ name }) => name));
    for (const { name, capability } of TOOLS) {
      assert.equal(observer.readsOnly(name), capability === "read");
      if (allowed.some((one) => one.name === name)) continue;
      assert.equal(
        (await observer.call(name, { path: "a", content: "2" }, context())).status,
        "denied",
      );
    }
    assert.equal(await at.repo.read("a"), "1");
  },
);

Deno.test("toolbox.offered gives the same objects while the set is the same", async () => {
  await using at = await toolPlace();
  let trusted = true;
  const box = at.box([fileRead, fileWrite, fine], {
    decide: ({ tool }) =>
      trusted || tool !== "file_write"
        ? { allowed: true }
        : { allowed: false, by: "role_trust", reason: "no", remedy: "yes" },
  });
  const first = await box.offered();
  assert.deepEqual(first.map((one) => one.function.name), ["file_read", "file_write", "say"]);
  assert.equal(await box.offered(), first);
  trusted = false;
  const second = await box.offered();
  assert.deepEqual(second.map((one) => one.function.name), ["file_read", "say"]);
  assert.equal(second[0], first[0]);
});

Deno.test("definitions are small, flat and strict", async () => {
  await using at = await toolPlace();
  const offered = await at.box(TOOLS).offered();
  for (const { type, function: { name, parameters } } of offered) {
    const { type: object, additionalProperties, $schema, properties } = parameters;
    assert.deepEqual([type, object, additionalProperties, $schema], [
      "function",
      "object",
      false,
      undefined,
    ]);
    for (const [field, schema] of Object.entries(properties as Record<string, { type?: string }>)) {
      assert.match(
        schema.type ?? "",
        /^(string|integer|number|boolean|array)$/,
        `${name}.${field}`,
      );
    }
  }
  const files = offered.filter((one) => /^(file_|glob|grep)/.test(one.function.name));
  assert.equal(files.length, 6);
  assert.ok(JSON.stringify(files).length < 4096, `${JSON.stringify(files).length} characters`);
  assert.doesNotMatch(JSON.stringify(offered), /9007199254740991/);
});

Deno.test("toolbox turns what is thrown into an answer, and hides what is not meant to be seen", async () => {
  await using at = await toolPlace();
  const refused = await at.call(
    saying(() => {
      throw new Failure("refused", 'Cannot do "it": no', { remedy: "Do that" });
    }),
    {},
  );
  assert.deepEqual([refused.status, refused.text], ["failed", 'Cannot do "it": no\nDo that']);
  const broken = await at.call(
    saying(() => {
      throw new TypeError("secret cause");
    }),
    {},
  );
  assert.equal(broken.status, "failed");
  assert.doesNotMatch(broken.text, /secret cause/);
  assert.match(at.logged.join(), /secret cause/);
});

Deno.test("toolbox rethrows the reason of its signal, and starts nothing after it", async () => {
  await using at = await toolPlace();
  const controller = new AbortController();
  const reason = new Error("stopped");
  let runs = 0;
  const box = at.box([saying(() => {
    runs++;
    controller.abort(reason);
    throw new Failure("interrupted", "Cannot say it: cancelled");
  })]);
  const call = () => box.call("say", {}, { signal: controller.signal });
  await assert.rejects(call(), reason);
  await assert.rejects(call(), reason);
  assert.equal(runs, 1);
});

Deno.test("toolbox strips sequences, redacts, then bounds; and keeps the whole, redacted", async () => {
  const secret = "hunter2-hunter2";
  await using at = await toolPlace({ session: { redact: redactor([secret]) } });
  const lines = Array.from({ length: 5000 }, (_, line) => `line ${line + 1}`);
  // A sequence in the middle would hide the secret from the redactor.
  lines[0] = "\x1b]0;title\x07hunter2-\x1b[31mhunter2\x1b[0m";
  const { text, artefact, hash } = await at.call(
    saying(() => ({
      ok: true,
      text: lines.join("\n"),
      readOn: (shown) => `Go on at ${shown + 1}`,
    })),
    {},
  );
  const shown = text.split("\n");
  assert.equal(shown[0], "[redacted]");
  assert.equal(shown[1999], "line 2000");
  assert.equal(shown.length, 2002);
  assert.match(
    shown[2000]!,
    /^\[cut: 5000 lines, \d+ bytes in all; the whole is in .*1-say\.txt\]$/,
  );
  assert.equal(shown[2001], "[Go on at 2001]");
  const whole = await Deno.readTextFile(artefact!);
  assert.equal(whole, ["[redacted]", ...lines.slice(1)].join("\n"));
  assert.equal((await Deno.stat(artefact!)).mode! & 0o777, 0o600);
  assert.equal(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`ok\n${whole}`)))
      .toHex(),
    hash,
  );
});

Deno.test("toolbox gives what fits also when the whole cannot be kept", async () => {
  await using at = await toolPlace({
    session: {
      artefacts: {
        folder: "/proc/none",
        files: (await import("svc/platform/files/files.ts")).denoFiles(),
      },
    },
  });
  const { status, text, artefact } = await at.call(
    saying(() => ({ ok: true, text: "x\n".repeat(3000) })),
    {},
  );
  assert.deepEqual([status, artefact], ["ok", undefined]);
  assert.match(text, /the whole could not be kept\]\n\[Ask for less at a time/);
  assert.match(at.logged.join(), /Cannot keep the whole output/);
});

Deno.test("toolbox shows progress redacted", async () => {
  await using at = await toolPlace({ session: { redact: redactor(["hunter2-hunter2"]) } });
  const told: string[] = [];
  const chatty = tool({
    name: "chatty",
    about: "Talks.",
    capability: "read",
    args: () => z.strictObject({}),
    run(_place, _args, call) {
      call.progress?.("\x1b[1mhunter2-hunter2");
      return Promise.resolve({ ok: true, text: "" });
    },
  });
  await at.box([chatty]).call("chatty", {}, { ...context(), progress: (text) => told.push(text) });
  assert.deepEqual(told, ["[redacted]"]);
});
