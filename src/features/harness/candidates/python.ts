/** Checks and set-up of a Python project: its own environment manager, a venv in the tree, or the Python on PATH. */
import type { RootFiles } from "svc/features/harness/root_files.ts";
import { type DetectedCommand, offer, type Offers } from "./candidate.ts";
import type { Programs } from "svc/platform/process/program.ts";

const LOCKS = [
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["pdm.lock", "pdm"],
  ["Pipfile.lock", "pipenv"],
] as const;

export function pythonManager(root: RootFiles): string {
  return LOCKS.find(([file]) => root.has(file))?.[1] ??
    /^\[tool\.(uv|poetry|pdm)\b/m.exec(root.text("pyproject.toml"))?.[1] ??
    (root.has("Pipfile") ? "pipenv" : "pip");
}

/** Debian has only `python3` unless somebody installed more (packages.debian.org, python-is-python3). */
const pythonHere = (programs: Programs): string =>
  !programs.has("python") && programs.has("python3") ? "python3" : "python";

/** Lines of a key in a section of an ini file, without comments; a value may go on in indented lines. */
function iniLines(text: string, section: string, key: string): string[] {
  const lines: string[] = [];
  let [within, taken] = [false, false];
  for (const line of text.split(/\r?\n/)) {
    const head = /^\[([^\]]*)\]/.exec(line)?.[1];
    if (head !== undefined) [within, taken] = [head === section, false];
    else if (/^\S/.test(line)) {
      const [, name, value] = /^([\w.-]+)[ \t]*[=:](.*)$/.exec(line) ?? [];
      taken = within && name === key;
      if (taken) lines.push(value!);
    } else if (taken) lines.push(line);
  }
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

/** What tox itself would run, where that is Python's own runner with plain words. */
function unittestOfTox(root: RootFiles): string | undefined {
  const lines = iniLines(root.text("tox.ini"), "testenv", "commands");
  const line = lines.map((one) => one.replaceAll(/\{(?:posargs|toxinidir)[^}]*\}/g, "").trim())
    .find((one) => /^(?:\{envpython\}|python3?) -m unittest\b/.test(one));
  if (line === undefined) return undefined;
  const words = line.replace(/^\S+ /, "");
  return /[{}"'\\$]/.test(words) ? undefined : words.replaceAll(/\s+/g, " ");
}

/** Files that name what is installed for tests; of a folder or of one spelling the first that is there. */
const TEST_REQUIREMENTS = [
  ...["requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt"],
  ...["requirements-test.txt", "requirements-tests.txt", "test-requirements.txt"],
  ...["requirements/tests.txt", "requirements/test.txt", "requirements/testing.txt"],
  "requirements/dev.txt",
];

function requirementFiles(root: RootFiles): string[] {
  const tox = iniLines(root.text("tox.ini"), "testenv", "deps")
    .map((line) => /^-r *(?:\{toxinidir\}\/)?([\w./-]+\.txt)$/.exec(line)?.[1])
    .filter((path) => path !== undefined && root.has(path)) as string[];
  const named = TEST_REQUIREMENTS.find((path) => root.has(path));
  const tests = tox.length > 0 ? tox : named === undefined ? [] : [named];
  const own = root.has("requirements.txt") ? ["requirements.txt"] : [];
  return [...new Set([...own, ...tests])];
}

/** PEP 621, optional-dependencies; "" where there are none. */
function extrasTable(root: RootFiles): string {
  const text = root.text("pyproject.toml");
  const at = text.search(/^\[project\.optional-dependencies\]/m);
  return at === -1 ? "" : text.slice(at + 1).split(/^\[/m)[0]!;
}

/** `.[tests]`, of the extras that projects keep for tests. */
function ownExtras(root: RootFiles): string | undefined {
  const table = extrasTable(root);
  const name = ["test", "tests", "testing", "dev"]
    .find((one) => new RegExp(`^"?${one}"?\\s*=`, "m").test(table));
  return name === undefined ? undefined : `.[${name}]`;
}

const isInstallable = (root: RootFiles) =>
  root.has("setup.py") || /^\[(?:build-system|project)\]/m.test(root.text("pyproject.toml"));

export const VENV = ".venv";
const VENV_PYTHON = `${VENV}/bin/python`;

function allTexts(root: RootFiles): string {
  const files = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile"];
  return [...files, ...requirementFiles(root)].map((file) => root.text(file)).join("\n");
}

const usesPytest = (root: RootFiles) =>
  /\bpytest\b/.test(allTexts(root)) || root.has("pytest.ini") || root.has("conftest.py") ||
  root.has("tests/conftest.py");

/** Undefined where nothing says what to install. */
function installWords(root: RootFiles): string[] | undefined {
  const files = requirementFiles(root);
  const extras = ownExtras(root);
  if (files.length === 0 && extras === undefined) return undefined;
  const named = files.map((file) => root.text(file)).join("\n") +
    (extras === undefined ? "" : root.text("pyproject.toml"));
  return [
    ...files.flatMap((file) => ["-r", file]),
    // Tests see the tree's own files, as long as the install points to them.
    ...(extras !== undefined ? ["-e", extras] : isInstallable(root) ? ["-e", "."] : []),
    ...(usesPytest(root) && !/\bpytest\b/.test(named) ? ["pytest"] : []),
  ];
}

/** Whether the set-up of the venv brings a tool, as far as the files that name it tell. */
function isInstalled(root: RootFiles, tool: string): boolean {
  const texts = requirementFiles(root).map((file) => root.text(file));
  const extras = ownExtras(root) === undefined ? "" : extrasTable(root);
  return new RegExp(`(?:^|["'])\\s*${tool}(?![\\w-])`, "m").test([...texts, extras].join("\n"));
}

/** A venv in the tree: what a person does by hand after the clone, and what no other tree sees. */
export function venvSetup(root: RootFiles, programs: Programs): DetectedCommand[] {
  if (pythonManager(root) !== "pip") return [];
  const words = installWords(root);
  if (words === undefined) return [];
  const pip = [VENV_PYTHON, "-m", "pip", "install", "--disable-pip-version-check", ...words];
  return [
    { name: "venv", run: [pythonHere(programs), "-m", "venv", VENV] },
    { name: "pip", run: pip },
  ];
}

export const COMPILED_PYTHON = "__pycache__";

const RUNS_PYTHON = /(?:^|\/)(?:python[\d.]*|pytest)$/;

/** Python keeps what it compiled beside each file that it imports (docs.python.org, `-B`); setuptools writes the
 * last for `pip install -e` (setuptools.pypa.io, development mode). */
export function pythonFills(run: readonly string[]): string[] {
  if (run.includes("venv") && run.at(-1) === VENV) return [VENV];
  if (!run.some((word) => RUNS_PYTHON.test(word))) return [];
  return [COMPILED_PYTHON, ...(run[0] === VENV_PYTHON && run.includes("-e") ? ["*.egg-info"] : [])];
}

export function pythonOffers(root: RootFiles, programs: Programs): Offers {
  const manager = pythonManager(root);
  const project = root.text("pyproject.toml");
  const source = ["pyproject.toml", "tox.ini", "setup.cfg", "setup.py", "requirements.txt"]
    .find((file) => root.has(file)) ?? "pyproject.toml";
  const python = pythonHere(programs);
  const venv = venvSetup(root, programs).length > 0;
  const prefix = manager === "pip" ? "" : `${manager} run `;
  /** Ways to start a module: from the set-up's environment, then with the Python on PATH. */
  const module = (words: string) =>
    manager !== "pip"
      ? offer(source, `${manager} run ${words.startsWith("unittest") ? "python -m " : ""}${words}`)
      : [
        ...(venv ? offer(source, `${VENV_PYTHON} -m ${words}`) : []),
        ...offer(source, `${python} -m ${words}`),
      ];
  /** A tool that the set-up brings is not on PATH, and sees what the project imports. */
  const tool = (words: string) => [
    ...(venv && isInstalled(root, words.split(" ")[0]!)
      ? offer(source, `${VENV_PYTHON} -m ${words}`)
      : []),
    ...offer(source, `${prefix}${words}`),
  ];
  const slow = "it makes environments of its own in each work tree";
  const tox = root.has("tox.ini") || /^\[tool\.tox/m.test(project);
  const known = usesPytest(root) ? "pytest" : unittestOfTox(root)?.replace(/^-m /, "");
  const folder = ["tests", "test"].find((name) => root.has(name));
  const runner = known ?? (folder === undefined || tox ? undefined : "unittest");
  const ruff = /^\[tool\.ruff/m.test(project) || root.has("ruff.toml") || root.has(".ruff.toml");
  const mypy = /^\[tool\.mypy/m.test(project) || root.has("mypy.ini") || root.has(".mypy.ini");
  return {
    test: [
      ...(runner === undefined ? [] : module(runner)),
      ...offer("tox.ini", tox ? `${prefix}tox` : undefined).map((one) => ({ ...one, doubt: slow })),
    ],
    lint: ruff ? tool("ruff check .") : root.has(".flake8") ? tool("flake8") : [],
    typecheck: mypy ? tool("mypy .") : [],
  };
}
