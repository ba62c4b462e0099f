import assert from "node:assert/strict";
import { environmentFault, OutputTail } from "svc/features/checks/why_red.ts";

const exited = (exit_code: number) => ({ ending: "exited", exit_code, reason: null }) as const;

const fault = (code: number, words: string, tail = "") =>
  environmentFault(exited(code), words.split(" "), tail)?.why;

Deno.test("a command that cannot start is the machine's fault, and a red one is the work's", () => {
  const reason = 'Cannot run "tox": no such program on PATH. Install tox';
  const missing = { ending: "not_started", exit_code: null, reason } as const;
  const found = environmentFault(missing, ["tox"], "");
  assert.equal(found?.why, reason);
  assert.match(found!.remedy, /project\.setup of \.harness\/manifest\.yaml/);
  const shell = "sh: 1: tape: not found";
  assert.equal(fault(127, "npm test", shell), `exit status 127: ${shell}`);
  assert.match(fault(126, "sh -c ./x") ?? "", /^exit status 126$/);
  assert.equal(fault(1, "npm test", "not ok 1 adds"), undefined);
  for (const ending of ["timed_out", "signalled", "crowded"] as const) {
    const other = { ending, exit_code: null, reason: null };
    assert.equal(environmentFault(other, ["make"], ""), undefined);
  }
});

Deno.test("a tool's own module that is missing is the machine's fault, one that the work imports is not", () => {
  // As CPython 3.11 prints them (Debian's python3).
  const tool = "/usr/bin/python3: No module named pytest";
  assert.equal(fault(1, "python -m pytest", tool), 'Python has no module "pytest"');
  const line = ["sh", "-c", "cd api && python3 -m pytest"];
  assert.equal(environmentFault(exited(1), line, tool)?.why, 'Python has no module "pytest"');
  const work = "E   ModuleNotFoundError: No module named 'shop'";
  assert.equal(fault(1, "python -m pytest", work), undefined);
  assert.equal(fault(1, "pytest", tool), undefined);
});

Deno.test("the tail of an output is its last lines, plain and short", () => {
  const tail = new OutputTail();
  assert.equal(tail.text(), "");
  for (let line = 1; line <= 5000; line++) tail.push(`line ${line}\n`);
  tail.push("\x1b[31mnot ok\x1b[0m\n\n  at add.sh:3  \n");
  assert.equal(
    tail.text(),
    "line 4997 | line 4998 | line 4999 | line 5000 | not ok | at add.sh:3",
  );
  tail.push("x".repeat(100_000));
  assert.equal(tail.text().length, 401);
  tail.push(`😀${"y".repeat(399)}`);
  assert.equal(tail.text(), `…${"y".repeat(399)}`);
});

Deno.test("offers of an update and folders after a failure do not stand for its reason", () => {
  const make = new OutputTail();
  make.push(
    "FAIL: suites/api/run\nmake[2]: *** [Makefile:9: check] Error 1\n" +
      "make[2]: Leaving directory '/a/test'\nmake[1]: Leaving directory '/a'\n",
  );
  assert.equal(make.text(), "FAIL: suites/api/run | make[2]: *** [Makefile:9: check] Error 1");
  const npm = new OutputTail();
  // As npm 11.19 prints it.
  npm.push(
    "npm error code ETARGET\nnpm error notarget No matching version found for nope@^9.\nnpm notice\n" +
      "npm notice New minor version of npm available! 11.19.1 -> 11.21.2\n" +
      "npm notice Changelog: https://github.com/npm/cli/releases/tag/v11.21.2\n" +
      "npm notice To update run: npm install -g npm@11.21.2\nnpm notice\n" +
      "npm error A complete log of this run can be found in: /home/me/.npm/_logs/x.log\n",
  );
  assert.equal(
    npm.text(),
    "npm error code ETARGET | npm error notarget No matching version found for nope@^9.",
  );
  const pip = new OutputTail();
  pip.push(
    "ERROR: No matching distribution found for nope\n\n[notice] A new release of pip is available: 23.0 -> 25\n" +
      "[notice] To update, run: python -m pip install --upgrade pip\n",
  );
  assert.equal(pip.text(), "ERROR: No matching distribution found for nope");
  // As Maven 3.8 and Gradle 8 print them.
  const maven = new OutputTail();
  maven.push(
    "[ERROR] Failed to execute goal on project jzlib: Could not resolve dependencies -> [Help 1]\n[ERROR] \n" +
      "[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n" +
      "[ERROR] Re-run Maven using the -X switch to enable full debug logging.\n[ERROR] \n" +
      "[ERROR] For more information about the errors and possible solutions, please read the following articles:\n" +
      "[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/MojoFailureException\n",
  );
  assert.match(maven.text(), /^\[ERROR\] Failed to execute goal [^|]*$/);
  const gradle = new OutputTail();
  gradle.push(
    "> There were failing tests. See the report at: file:///a/index.html\n\n* Try:\n" +
      "> Run with --stacktrace option to get the stack trace.\n> Run with --scan to get full insights.\n" +
      "> Get more help at https://help.gradle.org.\n\nBUILD FAILED in 3s\n4 actionable tasks: 4 executed\n",
  );
  assert.match(gradle.text(), /^> There were failing tests\.[^|]*$/);
  const composer = new OutputTail();
  // As Composer 2.5 prints it, in part.
  composer.push(
    "In Git.php line 471:\n\n  fatal: Could not read from remote repository.\n\n\n" +
      "install [--prefer-source] [--prefer-install PREFER-INSTALL] [-v|vv|vvv|--verbose] [--] [<packages>...]\n\n",
  );
  assert.equal(
    composer.text(),
    "In Git.php line 471: | fatal: Could not read from remote repository.",
  );
  const only = new OutputTail();
  only.push("npm notice\nnpm notice Beware\n");
  assert.equal(only.text(), "npm notice | npm notice Beware");
});
