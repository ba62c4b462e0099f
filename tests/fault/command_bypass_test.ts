/** Command lines that got past the lists of other agents; an observer starts none of them. */
import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { manifest } from "tests/unit/features/tools/session_site.ts";
import { sessionAt, sessionPorts } from "tests/unit/runtime/session_ports.ts";

/** Programs that look harmless and run, write or send something by their arguments. */
const LINES = [
  "find . -exec touch fired ;",
  "find . -fprintf fired x",
  "find . -delete",
  "sed -n 1e\\ touch\\ fired a",
  "sed -n w\\ fired a",
  "sed -i s/1/2/ a",
  "git -c core.pager=touch\\ fired log",
  "git -c alias.x=!touch\\ fired x",
  "git --exec-path=. status",
  "git diff --output=fired",
  "git log --output=fired",
  "git grep --open-files-in-pager=touch\\ fired x",
  "git clone ext::touch\\ fired x",
  "git fetch --upload-pack=touch\\ fired .",
  "git config core.fsmonitor touch\\ fired",
  "git submodule foreach touch fired",
  "git rebase --exec touch\\ fired HEAD",
  "rg --pre ./touch x",
  "rg --hostname-bin ./touch x",
  "tar --to-command=touch\\ fired -xf a.tar",
  "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=touch\\ fired a",
  "tar -I ./touch -xf a",
  "sort -o fired a",
  "sort --compress-program=./touch a",
  "xargs -a a touch",
  'awk BEGIN{system("touch\\ fired")}',
  'awk BEGIN{print>"fired"}',
  "man -P ./touch ls",
  "less +!touch\\ fired a",
  "env touch fired",
  "nice touch fired",
  "nohup touch fired",
  "timeout 1 touch fired",
  "time touch fired",
  "setsid touch fired",
  "stdbuf -o0 touch fired",
  "tee fired",
  "dd if=a of=fired",
  "cp a fired",
  "mv a fired",
  "ln -s a fired",
  "install a fired",
  "split -b 1 a fired",
  "split --filter=./touch a",
  "curl -o fired file:///etc/hostname",
  "wget -O fired http://127.0.0.1",
  'python3 -c open("fired","w")',
  'perl -e open(F,">fired")',
  "node -e 1",
  "deno eval 1",
  "make -f a",
  "ed a",
  "vim -c !touch\\ fired a",
  "ssh -o ProxyCommand=touch\\ fired x",
  "rsync -e ./touch a x:b",
  "zip -T -TT ./touch fired.zip a",
  "date -s 2020-01-01",
  "echo 1",
  "cat a",
  "ls",
  "true",
  "pwd",
  "cd .",
  "export GIT_DIR=x",
];

/** Ways to say the same line. */
const FORMS: readonly ((line: string) => Record<string, unknown>)[] = [
  (line) => ({ argv: line.split(/(?<!\\) /).map((word) => word.replaceAll("\\ ", " ")) }),
  (line) => ({ argv: [line], shell: true }),
  (line) => ({ argv: ["bash", "-c", `cat a\n${line} # read only`] }),
  (line) => ({ argv: ["echo", `$(${line})`, ";", "`touch fired`", "&&", "touch$IFS'fired'"] }),
];

Deno.test("an observer starts no process, however the command is put", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.write("touch", '#!/bin/sh\n: >"$(dirname "$0")/fired"\n', { executable: true });
  await using ports = await sessionPorts();
  const roles = {
    engineer: { prompt: "x.md", trust: "contributor", tools: ["command_run", "check_run"] },
  };
  const checks = [{ name: "test", run: ["touch", "fired"] }];
  using session = await sessionAt(ports, {
    ...{ repo: repo.path, role: "engineer", profile: "observer", job: uuidV7(Date.now()) },
    manifest: manifest({ roles, project: { name: "app", checks } }),
  });
  const context = { signal: new AbortController().signal };
  let rows = 0;
  for (const form of FORMS) {
    for (const line of LINES) {
      const { status, deniedBy } = await session.toolbox.call("command_run", form(line), context);
      assert.deepEqual([status, deniedBy], ["denied", "profile"], line);
      rows++;
    }
  }
  const check = await session.toolbox.call("check_run", { name: "test" }, context);
  assert.equal(check.status, "denied");
  assert.ok(rows >= 200, String(rows));
  assert.equal(ports.started.length, 0);
  assert.deepEqual((await session.toolbox.offered()).map((one) => one.function.name), ["finish"]);
  await assert.rejects(Deno.stat(`${repo.path}/fired`), Deno.errors.NotFound);
});
