import assert from "node:assert/strict";
import { commandMatcher, startsOthers } from "svc/core/command_pattern.ts";

type Row = readonly [pattern: string, argv: readonly string[], shell?: boolean];

const STOPPED: readonly Row[] = [
  ["rm", ["rm"]],
  ["rm", ["/bin/rm", "-rf", "x"]],
  ["rm", ["/BIN/RM"]],
  ["  rm  -rf ", ["rm", "-rf", "x"]],
  ["git push", ["git", "push", "--force"]],
  ["git push", ["git", "-C", "/x", "push"]],
  ["git push", ["git", "--no-pager", "-c", "a=b", "push"]],
  ["git push", ["git", ...Array(40).fill("-v"), "pull"]],
  ["npm publish", ["npm", "--tag", "next", "publish"]],
  ["rm", ["sh", "-c", "cd x && rm -r y"]],
  ["rm", ["env", "A=1", "rm", "x"]],
  ["rm", ["xargs", "-0", "/bin/rm"]],
  ["rm", ["find", ".", "-exec", "rm", "{}", ";"]],
  ["rm", ["bash", "-c", 'r"m" x']],
  ["rm", ["bash", "-c", "r\\m x"]],
  ["rm", ["bash", "-c", "rm$IFS-rf${IFS}x"]],
  ["rm", ["bash", "-c", "echo `rm x`"]],
  ["git push", ["bash", "-c", "git\tpush"]],
  ["git push", ["true; git -C . push"], true],
  ["rm", ["timeout", "5", "sudo", "rm"]],
  ["rm", ["watch", "-n", "1", "rm", "x"]],
  ["rm", ["npx", "rm"]],
  ["rm", ["parallel", "rm", ":::", "x"]],
  ["rm", ["nsenter", "-m", "rm"]],
];

const FREE: readonly Row[] = [
  ["rm", ["ls", "rm"]],
  ["rm", ["rmdir", "x"]],
  ["rm", ["npm", "run", "rm"]],
  ["rm", ["sh", "-c", "rmdir x; farm"]],
  ["git push", ["git", "commit", "-m", "push"]],
  ["git push", ["git", "pull"]],
  ["git push", ["git"]],
  ["git push", ["git", ...Array(20).fill("-v")]],
  ["git push", ["git", ...Array(20).fill("-v"), "x", "pull", "push"]],
  ["rm -rf", ["rm", "-r", "x"]],
  ["git push", ["echo git push"]],
  ["", ["rm"]],
  ["  ", ["rm"]],
  ["rm", []],
];

Deno.test("commandMatcher stops what starts as the pattern says, also through other programs", () => {
  for (const [pattern, argv, shell = false] of STOPPED) {
    assert.ok(commandMatcher(argv, shell)(pattern), `${pattern} stops ${argv.join(" ")}`);
  }
});

Deno.test("commandMatcher leaves other commands alone", () => {
  for (const [pattern, argv, shell = false] of FREE) {
    assert.ok(!commandMatcher(argv, shell)(pattern), `${pattern} frees ${argv.join(" ")}`);
  }
});

Deno.test("startsOthers knows programs that take commands from their input", () => {
  const rows: readonly (readonly [string[], boolean, boolean])[] = [
    [["/bin/sh"], false, true],
    [["xargs", "-n1"], false, true],
    [["cat"], false, false],
    [["cat", "sh"], false, false],
    [["cat > a; timeout 5 bash"], true, true],
    [["cat > a"], true, false],
    [[], false, false],
  ];
  for (const [argv, shell, wanted] of rows) {
    assert.equal(startsOthers(argv, shell), wanted, argv.join(" "));
  }
});
