/** The command that installs a program or a module which a check needs. */
import type { Programs } from "svc/platform/process/program.ts";

/** Package managers of Linux systems, and how each installs. */
const SYSTEMS = [
  ["apt-get", "sudo apt-get install"],
  ["dnf", "sudo dnf install"],
  ["pacman", "sudo pacman -S"],
  ["apk", "sudo apk add"],
  ["zypper", "sudo zypper install"],
] as const;

/** Debian's names of packages (packages.debian.org), where the program has another. */
const PACKAGES: Readonly<Record<string, string>> = {
  autoreconf: "autoconf",
  bundle: "ruby-bundler",
  busted: "lua-busted",
  cabal: "cabal-install",
  cc: "build-essential",
  ctest: "cmake",
  dune: "ocaml-dune",
  go: "golang",
  luacheck: "lua-check",
  mix: "elixir",
  mvn: "maven",
  ninja: "ninja-build",
  node: "nodejs",
  prove: "perl",
  python: "python-is-python3",
  rspec: "ruby-rspec",
  stack: "haskell-stack",
};

/** No system's own package, or one of that name that is something else. */
const FROM_MAKER: ReadonlySet<string> = new Set(["dotnet", "swift"]);

const OF_NPM: ReadonlySet<string> = new Set(["pnpm", "yarn", "bun"]);

const OF_PYTHON: ReadonlySet<string> = new Set([
  ...["tox", "nox", "pytest", "ruff", "flake8", "mypy", "pyright", "pylint"],
  ...["uv", "poetry", "pdm", "pipenv"],
]);

function systemInstall(program: string, programs: Programs): string | undefined {
  const system = SYSTEMS.find(([name]) => programs.has(name));
  const name = Object.hasOwn(PACKAGES, program) ? PACKAGES[program] : program;
  return system && `${system[1]} ${name}`;
}

export function installHint(program: string, programs: Programs): string {
  if (OF_NPM.has(program)) {
    const corepack = programs.has("corepack") && program !== "bun";
    return corepack ? `corepack enable ${program}` : `npm install --global ${program}`;
  }
  if (OF_PYTHON.has(program)) {
    const tool = `pipx install ${program}`;
    if (programs.has("pipx")) return tool;
    // Where the system owns Python's packages, pip refuses (PEP 668).
    const system = systemInstall("pipx", programs);
    return system === undefined ? `pip install --user ${program}` : `${system} && ${tool}`;
  }
  if (FROM_MAKER.has(program)) return `Install ${program}`;
  return systemInstall(program, programs) ?? `Install ${program}`;
}

/** For the interpreter that lacked it. */
export const moduleHint = (python: string, module: string): string =>
  `${python} -m pip install ${module}`;
