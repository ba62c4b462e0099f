/** `svc setup` from an empty home, at a terminal, with model servers where people have them. */
import assert from "node:assert/strict";
import { onOwnNetwork } from "tests/kit/own_network.ts";
import { cannotContain } from "tests/kit/sandboxes.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const ignore = await cannotContain();

const FILES = { files: { "README.md": "# x\n" }, commit: true } as const;
const CONFIG = "home/.svc/config.yaml";
const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

/** What follows a choice, with no flag at all. */
const ON = ["svc init", "svc start", "svc jobs list --plain"];

verifies(
  "7:cli:model-preflight-remedy",
  "with Ollama running one Enter is enough: then svc init and svc start as they are",
  { ignore },
  async () => {
    await using folder = await tempFolder();
    await using repo = await tempRepo(FILES);
    const servers = ["ollama", "web"];
    const lines = ["svc setup", ...ON, "svc models list --plain", "svc doctor --plain"];
    await using terminal = await onOwnNetwork({ folder, repo, servers, lines });
    await terminal.seen(/Which model should every role use\?/);
    await terminal.seen(
      /qwen3-coder:30b \(ollama at 127\.0\.0\.1:11434, calls tools, 4096 tokens\)/,
    );
    await terminal.type("\r");
    await terminal.seen(/model: +qwen3-coder:30b \(ollama at .*, calls tools, 4096 tokens\)/);
    await terminal.seen(/passed over: http:\/\/127\.0\.0\.1:8000\/v1: it is no OpenAI-compat/);
    await terminal.seen(/next: svc init/);
    await terminal.seen(/Write \d+ files into/);
    await terminal.type("y\r");
    await terminal.seen(/q stop/);
    await terminal.type("q");
    await terminal.seen(/ceo .*no_work/);
    await terminal.seen(/all over/);
    assert.ok(!terminal.printed.includes("refused:"));
    const { mode } = await Deno.stat(`${folder.path}/home/.svc`);
    assert.equal((mode ?? 0) & 0o777, 0o700);
  },
);

Deno.test(
  "with a cloud's key two answers are enough, and the key goes to that cloud alone",
  { ignore },
  async () => {
    await using folder = await tempFolder();
    await using repo = await tempRepo(FILES);
    const env = { OPENAI_API_KEY: "sk-zoo-key" };
    const lines = ["svc setup", ...ON];
    await using terminal = await onOwnNetwork({ folder, repo, servers: ["openai"], lines, env });
    await terminal.seen(/A model of openai \(your code goes to api\.openai\.com; the key is read/);
    await terminal.type("\r");
    await terminal.seen(/Which model of openai\?/);
    await terminal.type("\r");
    await terminal.seen(/model: +gpt-5\.3-codex \(openai at https:\/\/api\.openai\.com\/v1, calls/);
    await terminal.seen(/Write \d+ files into/);
    await terminal.type("y\r");
    await terminal.seen(/q stop/);
    await terminal.type("q");
    await terminal.seen(/ceo .*no_work/);
    await terminal.seen(/all over/);
    assert.ok(!terminal.printed.includes("refused:"));
    assert.ok(!terminal.printed.includes("sk-zoo"));
    assert.match(await folder.read(CONFIG), /^ {4}api_key_env: OPENAI_API_KEY$/m);
  },
);

Deno.test({
  name:
    "with nothing there it says what to do, prepares the home, and the next command says it again",
  ignore,
  async fn() {
    await using folder = await tempFolder();
    await using repo = await tempRepo(FILES);
    const lines = ["svc setup --plain", "svc init --yes --plain", "svc start --plain"];
    await using terminal = await onOwnNetwork({ folder, repo, servers: [], lines });
    await terminal.seen(/model: +not chosen/);
    await terminal.seen(
      /next: start a model server on this machine, such as: ollama serve; then: svc setup --plain/,
    );
    await terminal.seen(
      /next: or export the key of a provider: OPENAI_API_KEY=…; then: svc setup --plain/,
    );
    await terminal.seen(/svc: Cannot ask the model .*nothing listens there/);
    await terminal.seen(/try: .*run svc setup, or give a real --model-endpoint/);
    await terminal.seen(/all over/);
  },
});

verifies(
  ["4.5:setup:skip-download", "4.5:setup:no-acknowledgement-without-download"],
  "a set-up that downloads nothing needs no answer: with no model there one is chosen later",
  { ignore },
  async () => {
    await using folder = await tempFolder();
    await using repo = await tempRepo(FILES);
    const skip = "svc setup --skip-download --yes";
    const lines = [
      `${skip}; echo status $?`,
      `${skip} --inference local --json | grep -c '"ok":true'`,
    ];
    await using terminal = await onOwnNetwork({ folder, repo, servers: [], lines });
    await terminal.seen(/model: +not chosen/);
    await terminal.seen(/next: start a model server on this machine/);
    await terminal.seen(/status 0/);
    await terminal.seen(/^1\r?$/m);
    await terminal.seen(/all over/);
    assert.match(await folder.read(CONFIG), /^# svc on this machine/);
    assert.equal(await exists(`${folder.path}/home/.svc/models`), false);
  },
);

for (const [how, keys] of [["Ctrl-C", "\x03"], ["Escape", "\x1b"]] as const) {
  Deno.test({
    name: `${how} at the question leaves nothing behind`,
    ignore,
    async fn() {
      await using folder = await tempFolder();
      await using repo = await tempRepo(FILES);
      const lines = ["svc setup; echo status $?"];
      await using terminal = await onOwnNetwork({ folder, repo, servers: ["ollama"], lines });
      await terminal.seen(/Which model should every role use\?/);
      await terminal.type(keys);
      await terminal.seen(/no answer was given/);
      await terminal.seen(/status 130/);
      await terminal.seen(/all over/);
      assert.equal(await exists(`${folder.path}/${CONFIG}`), false);
      assert.equal(await exists(`${folder.path}/home/.svc/machine.json`), false);
    },
  });
}

verifies(
  "4.5:setup:plain",
  "a dumb, a narrow and a plain terminal get numbers to type, and no escape",
  {
    ignore,
  },
  async () => {
    await using folder = await tempFolder();
    await using repo = await tempRepo(FILES);
    const lines = [
      "TERM=dumb svc setup; echo another terminal; stty cols 30; svc setup; stty cols 120; echo another terminal; svc setup --plain",
    ];
    await using terminal = await onOwnNetwork({ folder, repo, servers: ["ollama"], lines });
    await terminal.seen(/1\) qwen3-coder:30b \(ollama at .*\)\s+2\) Decide later/);
    await terminal.type("7\r");
    await terminal.seen(/"7" is none of 1 to 2/);
    await terminal.type("2\r");
    await terminal.seen(/model: +not chosen/);
    await terminal.seen(/Number, or Enter for 1:/);
    await terminal.type("\r");
    await terminal.seen(/model: +qwen3-coder:30b/);
    await terminal.seen(/1\) Keep qwen3-coder:30b \(ollama at 127\.0\.0\.1:11434\)/);
    await terminal.type("\x03");
    await terminal.seen(/svc: Cannot set up svc: no answer was given/);
    await terminal.seen(/all over/);
    const [dumb, narrow, plain] = terminal.printed.split("another terminal\r\n");
    for (const text of [dumb!, plain!]) assert.ok(!text.includes("\x1b"), JSON.stringify(text));
    // deno-lint-ignore no-control-regex -- what a terminal is sent
    assert.ok(!/\x1b\[(?:\?25|\d+[ABCD])/.test(narrow!), "nothing is drawn over");
  },
);
