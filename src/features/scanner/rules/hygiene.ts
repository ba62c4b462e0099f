/** Rules on files that should not be in git, and on leftovers in code. */
import { shellWord } from "svc/core/shell_word.ts";
import { nameOf } from "svc/core/path_parts.ts";
import { isProduct } from "svc/features/scanner/path_facts.ts";
import { CHURN_DAYS, DAY_MS, type FileRule, type RepoRule } from "svc/features/scanner/rule.ts";

const JUNK =
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|npm-debug\.log|yarn-error\.log|[^/]+\.(?:pyc|pyo|orig|rej|swp|swo|class|o)|__pycache__|node_modules|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.venv|\.terraform|\.idea\/workspace\.xml)(?:\/|$)/;

export const junkTracked: RepoRule = {
  id: "junk-tracked",
  severity: "medium",
  type: "hygiene",
  about: "Files of editors, systems and builds are tracked",
  why: "They differ on each machine, so they fill diffs and conflict for nothing.",
  fix: "git rm -r --cached them, and add their names to .gitignore",
  scope: "repo",
  examples: {
    bad: [{ files: { "src/.DS_Store": "x", "src/a.py": "", "lib/__pycache__/a.pyc": "x" } }],
    good: [{ files: { "src/a.py": "", ".DS_Store": "x" }, untracked: [".DS_Store"] }],
  },
  *check(repo) {
    const tops = new Map<string, number>();
    for (const [path, { untracked }] of repo.files) {
      const match = untracked ? null : JUNK.exec(path);
      if (match === null || /(?:^|\/)(?:tests?|testdata|fixtures?)\//.test(path)) continue;
      const top = path.slice(0, match.index + match[0].length).replace(/\/$/, "");
      tops.set(top, (tops.get(top) ?? 0) + 1);
    }
    for (const [path, count] of tops) {
      const many = count > 1 ? ` (${count} files)` : "";
      yield {
        path,
        title: `"${nameOf(path)}" is tracked${many}`,
        key: path,
        fix: `git rm -r --cached ${shellWord(path)}`,
      };
    }
  },
};

export const environmentTracked: RepoRule = {
  id: "env-file-tracked",
  severity: "high",
  type: "bug",
  about: "A .env file is tracked",
  why: "Settings of one machine reach everybody, and sooner or later a password among them.",
  fix: "git rm --cached it, name it in .gitignore, and track a .env.example without values",
  scope: "repo",
  examples: {
    bad: [{ files: { ".env": "DATABASE_URL=x\n" } }],
    good: [
      { files: { ".env.example": "DATABASE_URL=\n", "tests/fixtures/.env": "A=1\n" } },
      { files: { ".env": "DATABASE_URL=x\n" }, untracked: [".env"] },
    ],
  },
  *check(repo) {
    for (const [path, { untracked, bytes }] of repo.files) {
      if (
        untracked || bytes === 0 ||
        !/^\.env(?:\.(?:local|production|prod|staging))?$/.test(nameOf(path))
      ) continue;
      if (/(?:^|\/)(?:tests?|__tests__|testdata|fixtures?|examples?|samples?)\//.test(path)) {
        continue;
      }
      yield {
        path,
        title: `"${nameOf(path)}" is tracked`,
        key: path,
        fix: `git rm --cached ${shellWord(path)}`,
      };
    }
  },
};

export const caseClash: RepoRule = {
  id: "case-clash",
  severity: "medium",
  type: "bug",
  about: "Two paths differ in case only",
  why: "On macOS and Windows one of them overwrites the other at each checkout.",
  fix: "Rename one of them with git mv",
  scope: "repo",
  examples: {
    bad: [{ files: { "src/Api.ts": "", "src/api.ts": "" } }],
    good: [{ files: { "src/Api.ts": "", "lib/api.ts": "" } }],
  },
  *check(repo) {
    const seen = new Map<string, string>();
    for (const path of repo.files.keys()) {
      const low = path.toLowerCase();
      const other = seen.get(low);
      if (other === undefined) seen.set(low, path);
      else yield { path, title: `It differs from "${other}" in case only`, key: path };
    }
  },
};

export const todoOld: RepoRule = {
  id: "todo-old",
  severity: "low",
  type: "debt",
  about: `TODO, FIXME, XXX or HACK that stands for over ${CHURN_DAYS} days`,
  why: "By now it is a bug that somebody knew of, or a plan that nobody has.",
  fix: "Do it, make it a ticket, or delete the comment",
  scope: "repo",
  examples: {
    bad: [{ files: { "src/a.ts": "// TODO: handle errors\n" }, daysOld: 400 }],
    good: [
      { files: { "src/a.ts": "// TODO: handle errors\n" }, daysOld: 3 },
      { files: { "src/a.ts": 'const word = "TODO";\n' }, daysOld: 400 },
    ],
  },
  *check(repo) {
    const before = repo.now - CHURN_DAYS * DAY_MS;
    for (const [path, { todos, todoTimes }] of repo.files) {
      for (const [at, { line, tag, text }] of (todos ?? []).entries()) {
        const time = todoTimes?.[at];
        if (time === undefined || (time !== null && time >= before)) continue;
        yield {
          path,
          line,
          title: `${tag}${text === "" ? "" : `: ${text.slice(0, 120)}`}`,
          key: `${tag} ${text}`,
        };
      }
    }
  },
};

export const conflictMarkers: FileRule = {
  id: "conflict-markers",
  severity: "high",
  type: "bug",
  about: "Merge conflict markers are left in",
  why: "The file holds both sides of a merge that was never settled.",
  fix: "Settle the conflict and take the markers away",
  scope: "file",
  examples: {
    bad: [{
      files: { "src/a.ts": "<<<<<<< HEAD\nlet a = 1;\n=======\nlet a = 2;\n>>>>>>> side\n" },
    }],
    good: [{ files: { "docs/merge.md": "Title\n=======\n", "src/a.ts": "// =======\n" } }],
  },
  *check({ text, lines, place }) {
    if (!text.includes("<<<<<<< ") || place.sample || place.test) return;
    const from = lines.findIndex((line) => line.startsWith("<<<<<<< "));
    const middle = lines.findIndex((line, at) => at > from && line.trimEnd() === "=======");
    const to = lines.findIndex((line, at) => at > middle && line.startsWith(">>>>>>> "));
    if (from === -1 || middle === -1 || to === -1) return;
    yield { line: from + 1, title: "A merge conflict was committed", key: "conflict" };
  },
};

const STOPS: Readonly<Record<string, RegExp>> = {
  typescript: /^\s*debugger\s*(?:;\s*)?$/,
  python: /^\s*(?:breakpoint\(\)|(?:import\s+i?pdb\s*;\s*)?i?pdb\.set_trace\(\))/,
  ruby: /^\s*(?:binding\.(?:pry|irb)|byebug)\s*$/,
  rust: /^\s*dbg!\(.*\);\s*$/,
  php: /^\s*(?:var_dump|dd)\(.*\);\s*$/,
};

export const debuggerLeft: FileRule = {
  id: "debugger-left",
  severity: "medium",
  type: "bug",
  about: "A debugger stop is left in the code",
  why: "The program halts there, or prints what nobody should see.",
  fix: "Take the line away",
  scope: "file",
  examples: {
    bad: [
      { files: { "src/a.ts": "export function a() {\n  debugger;\n}\n" } },
      { files: { "src/a.py": "def a():\n    import pdb; pdb.set_trace()\n" } },
    ],
    good: [{
      files: { "src/a.ts": 'const debugger_ = "debugger;";\n', "src/a.py": "# breakpoint()\n" },
    }],
  },
  *check({ place, lines, text }) {
    const stop = isProduct(place) ? STOPS[place.language ?? ""] : undefined;
    if (
      stop === undefined || !/debugger|breakpoint|pdb|binding|byebug|dbg!|var_dump|dd\(/.test(text)
    ) return;
    for (const [at, line] of lines.entries()) {
      if (line.length < 500 && stop.test(line)) {
        yield {
          line: at + 1,
          title: `"${line.trim().slice(0, 60)}" is left in`,
          key: line.trim().slice(0, 60),
        };
      }
    }
  },
};

export const imageUnpinned: FileRule = {
  id: "image-unpinned",
  severity: "low",
  type: "hygiene",
  about: "A container is built on whatever is newest",
  why: "The same Dockerfile builds something else tomorrow, and nobody sees what changed.",
  fix: 'Name a version, such as "node:24-slim"',
  scope: "file",
  examples: {
    bad: [{ files: { Dockerfile: "FROM node:latest\n" } }, {
      files: { "app/Dockerfile": "FROM debian\n" },
    }],
    good: [{
      files: {
        Dockerfile: "ARG BASE=x\nFROM node:24 AS Build\nFROM build\nFROM scratch\nFROM $BASE\n",
      },
    }],
  },
  *check({ path, lines, place }) {
    if (
      !/^(?:Dockerfile|Containerfile)(?:\.\w+)?$/.test(nameOf(path)) || place.sample || place.test
    ) return;
    const stages = new Set(["scratch"]);
    for (const [at, line] of lines.entries()) {
      const [, image, stage] =
        /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i.exec(line.slice(0, 300)) ?? [];
      if (image === undefined) continue;
      // Names of stages have no case.
      const open = !/[$@]/.test(image) && !stages.has(image.toLowerCase()) &&
        (/:latest$/.test(image) || !/:./.test(image.slice(image.lastIndexOf("/") + 1)));
      if (stage !== undefined) stages.add(stage.toLowerCase());
      if (open) yield { line: at + 1, title: `"${image}" names no version`, key: image };
    }
  },
};
