/** Checks and set-up of a Python project: its own environment manager, a venv in the tree, or the Python on PATH. */
import { PYTHON_TESTS, type RootFiles } from "svc/features/harness/root_files.ts";
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

/** Text of a table of pyproject.toml, from its head to the next one's; "" where it has none. */
function tableOf(root: RootFiles, name: string): string {
  const text = root.text("pyproject.toml");
  const at = text.indexOf(`\n[${name}]`);
  if (at === -1 && !text.startsWith(`[${name}]`)) return "";
  return text.slice(at + 1).split(/^\[/m)[1] ?? "";
}

/** PEP 621, optional-dependencies, as a table or as dotted keys; "" where there are none. */
function extrasTable(root: RootFiles): string {
  const dotted = tableOf(root, "project").split(/^(?=[\w"-][\w".-]*[ \t]*=)/m)
    .filter((entry) => entry.startsWith("optional-dependencies."))
    .map((entry) => entry.slice("optional-dependencies.".length));
  return [tableOf(root, "project.optional-dependencies"), ...dotted].join("\n");
}

/** The name in such a table that projects keep for tests. */
const forTests = (table: string): string | undefined =>
  ["test", "tests", "testing", "dev"]
    .find((one) => new RegExp(`^"?${one}"?\\s*=`, "m").test(table));

/** `.[tests]`. */
function ownExtras(root: RootFiles): string | undefined {
  const name = forTests(extrasTable(root));
  return name === undefined ? undefined : `.[${name}]`;
}

/** PEP 735. */
const GROUPS = "dependency-groups";

const ownGroup = (root: RootFiles): string | undefined => forTests(tableOf(root, GROUPS));

const isInstallable = (root: RootFiles) =>
  root.has("setup.py") || /^\[(?:build-system|project)\]/m.test(root.text("pyproject.toml"));

export const VENV = ".venv";
const VENV_PYTHON = `${VENV}/bin/python`;

function allTexts(root: RootFiles): string {
  const files = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile"];
  return [...files, ...requirementFiles(root)].map((file) => root.text(file)).join("\n");
}

/** What unittest does not run: it finds no test there, and ends well (docs.python.org, before 3.12). */
const isForPytest = (test: string): boolean =>
  /^[ \t]{0,40}(?:import|from) pytest\b/m.test(test) ||
  (/^(?:async )?def test_/m.test(test) && !/\bunittest\b/.test(test));

const usesPytest = (root: RootFiles) =>
  /\bpytest\b/.test(allTexts(root)) || root.has("pytest.ini") || root.has("conftest.py") ||
  root.has("tests/conftest.py") ||
  root.paths(PYTHON_TESTS).some((path) => isForPytest(root.text(path)));

/** Tests of a package below `src` see it only once it is installed; so do others what it depends on. */
const needsInstall = (root: RootFiles): boolean =>
  isInstallable(root) &&
  (root.matches(/^src\/[^/]+\/__init__\.py$/) ||
    /^dependencies\s*=\s*\[\s*["']/m.test(tableOf(root, "project")) ||
    iniLines(root.text("setup.cfg"), "options", "install_requires").length > 0 ||
    /\binstall_requires *= *(?:\[\s*["']|[a-z_])/i.test(root.text("setup.py")));

/** Undefined where nothing says what to install. */
function installWords(root: RootFiles): string[] | undefined {
  const files = requirementFiles(root);
  const extras = ownExtras(root);
  const group = ownGroup(root);
  const named = files.map((file) => root.text(file)).join("\n") +
    (extras === undefined ? "" : extrasTable(root)) +
    (group === undefined ? "" : tableOf(root, GROUPS));
  if (named === "" && files.length === 0 && !needsInstall(root)) return undefined;
  return [
    ...files.flatMap((file) => ["-r", file]),
    ...(group === undefined ? [] : ["--group", group]),
    // Tests see the tree's own files, as long as the install points to them.
    ...(extras !== undefined ? ["-e", extras] : isInstallable(root) ? ["-e", "."] : []),
    ...(usesPytest(root) && !/\bpytest\b/.test(named) ? ["pytest"] : []),
  ];
}

/** Whether the set-up of the venv brings a tool, as far as the files that name it tell. */
function isInstalled(root: RootFiles, tool: string): boolean {
  const texts = requirementFiles(root).map((file) => root.text(file));
  const extras = ownExtras(root) === undefined ? "" : extrasTable(root);
  const groups = ownGroup(root) === undefined ? "" : tableOf(root, GROUPS);
  return new RegExp(`(?:^|["'])\\s*${tool}(?![\\w-])`, "m")
    .test([...texts, extras, groups].join("\n"));
}

/** A venv in the tree: what a person does by hand after the clone, and what no other tree sees. */
export function venvSetup(root: RootFiles, programs: Programs): DetectedCommand[] {
  if (pythonManager(root) !== "pip") return [];
  const words = installWords(root);
  if (words === undefined) return [];
  const pip = [VENV_PYTHON, "-m", "pip", "install", "--disable-pip-version-check", ...words];
  // pip knows groups from 25.1 on, which is newer than what many a system brings.
  const newest = words.includes("--group") ? ["--upgrade-deps"] : [];
  return [
    { name: "venv", run: [pythonHere(programs), "-m", "venv", ...newest, VENV] },
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

/** Without a file that makes them a package it finds no test in a folder below, and ends well (before 3.12). */
const unittestIn = (root: RootFiles, folder: string): string =>
  root.has(`${folder}/__init__.py`) ? "unittest" : `unittest discover -s ${folder}`;

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
  const runner = known ?? (folder === undefined || tox ? undefined : unittestIn(root, folder));
  const ruff = /^\[tool\.ruff/m.test(project) || root.has("ruff.toml") || root.has(".ruff.toml");
  const mypy = /^\[tool\.mypy/m.test(project) || root.has("mypy.ini") || root.has(".mypy.ini");
  // A path would take the place of those that the project names (mypy.readthedocs.io, config file).
  const named = ["mypy.ini", ".mypy.ini"].map((file) => root.text(file)).join("\n") +
    tableOf(root, "tool.mypy");
  const typed = /^(?:files|packages|modules)\s*=/m.test(named) ? "mypy" : "mypy .";
  return {
    test: [
      ...(runner === undefined ? [] : module(runner)),
      ...offer("tox.ini", tox ? `${prefix}tox` : undefined).map((one) => ({ ...one, doubt: slow })),
    ],
    lint: ruff ? tool("ruff check .") : root.has(".flake8") ? tool("flake8") : [],
    typecheck: mypy ? tool(typed) : [],
  };
}
