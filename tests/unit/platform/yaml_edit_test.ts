import assert from "node:assert/strict";
import fc from "fast-check";
import { parseDocument } from "svc/platform/yaml.ts";
import { withYaml, type YamlValue } from "svc/platform/yaml_edit.ts";

const CONFIG = `# mine

ports: {control: 9090}   # tight
models:
  # why these
  folders: [/a,/b]  # two

  default:   # set up
    provider: ollama   # keep me
    model:  "b"
    endpoint: http://127.0.0.1:11434/v1

  # before the prices
  prices:
    "*": {input: 1, output: 2}
telemetry:
  reporting: off
# tail
`;

const edited = (text: string, path: readonly string[], value: YamlValue | undefined) =>
  withYaml(text, path, value, "config.yaml");

Deno.test("a key that is set changes its own bytes alone", () => {
  const path = ["models", "default", "model"];
  assert.equal(edited(CONFIG, path, "c:1"), CONFIG.replace('"b"', "c:1"));
  assert.equal(edited(CONFIG, path, "b"), CONFIG);
  assert.equal(
    edited(CONFIG, ["install_dir"], "/home/ada/bin"),
    CONFIG.replace("# tail\n", "install_dir: /home/ada/bin\n# tail\n"),
  );
  assert.equal(
    edited(CONFIG, ["telemetry", "interval"], "12h"),
    CONFIG.replace("off\n", "off\n  interval: 12h\n"),
  );
});

Deno.test("a map is set key by key: comments beside its keys stay, keys that are not named go", () => {
  const value = { provider: "ollama", endpoint: "http://127.0.0.1:1234/v1", context_window: 8192 };
  assert.equal(
    edited(CONFIG, ["models", "default"], value),
    CONFIG.replace('    model:  "b"\n', "").replace(
      "11434/v1\n",
      "1234/v1\n    context_window: 8192\n",
    ),
  );
});

Deno.test("a key is taken out with its lines, and a map that it leaves empty", () => {
  assert.equal(
    edited(CONFIG, ["models", "default", "model"], undefined),
    CONFIG.replace('    model:  "b"\n', ""),
  );
  assert.equal(
    edited(CONFIG, ["telemetry", "reporting"], undefined),
    CONFIG.replace("telemetry:\n  reporting: off\n", ""),
  );
  assert.equal(edited(CONFIG, ["nothing", "here"], undefined), CONFIG);
});

Deno.test("what has no lines of its own is written by the library, comments and all", () => {
  const text = "# a\nmodels: {folders: [/a]}  # b\nports:\n";
  const after = edited(text, ["models", "default"], { provider: "x" });
  assert.deepEqual(parseDocument(after).toJS(), {
    models: { folders: ["/a"], default: { provider: "x" } },
    ports: null,
  });
  assert.match(after, /^# a$/m);
  assert.match(after, /# b/);
  assert.equal(
    edited(text, ["ports", "control"], 1),
    text.replace("ports:\n", "ports:\n  control: 1\n"),
  );
});

Deno.test("empty texts, comments alone, no last line end, Windows line ends", () => {
  const path = ["models", "default"];
  const lines = "models:\n  default:\n    provider: x\n";
  assert.equal(edited("", path, { provider: "x" }), lines);
  assert.equal(edited("# only this", path, { provider: "x" }), `# only this\n${lines}`);
  assert.equal(edited("a: 1", ["b"], 2), "a: 1\nb: 2\n");
  assert.equal(
    edited("a: 1\r\n# c\r\n", ["b"], 2),
    "a: 1\r\n# c\r\nb: 2\r\n".replace("# c\r\nb: 2\r\n", "b: 2\r\n# c\r\n"),
  );
});

Deno.test("a value that others share is refused, not changed for them too", () => {
  const text = "a: &x {k: 1}\nb: *x\n";
  assert.throws(() => edited(text, ["b", "k"], 2), { code: "conflict" });
});

const key = fc.constantFrom("a", "b", "c");
const scalar = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean());
const value = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

Deno.test("whatever is set in whatever text is read back, and nothing else changes", () => {
  fc.assert(fc.property(
    fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }),
    fc.array(key, { minLength: 1, maxLength: 3 }),
    value,
    fc.boolean(),
    (before, path, put, flow) => {
      const doc = parseDocument("");
      doc.contents = doc.createNode(before, { flow }) as never;
      const text = `# top\n${doc.toString()}# end\n`;
      const read = (text: string) => parseDocument(text).toJS() as Record<string, unknown> | null;
      const blocked = path.slice(0, -1).reduce<unknown>(
        (at, name) =>
          typeof at === "object" && at !== null && !Array.isArray(at)
            ? (at as Record<string, unknown>)[name] ?? {}
            : undefined,
        before,
      );
      if (blocked === undefined || typeof blocked !== "object" || Array.isArray(blocked)) return;
      const after = edited(text, path, put);
      assert.match(after, /^# top$/m);
      assert.match(after, /# end/);
      assert.deepEqual(path.reduce<unknown>((at, name) => (at as never)[name], read(after)), put);
      const gone = read(edited(after, path, undefined)) ?? {};
      const rest = read(edited(text, path, undefined)) ?? {};
      assert.deepEqual(gone, rest);
    },
  ));
});
