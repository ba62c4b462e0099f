/** The command that installs a program or a module which a check needs. */
import type { Programs } from "svc/platform/process/program.ts";

/** Debian's packages (packages.debian.org) of programs whose name is another. */
const DEBIAN: ReadonlyMap<string, string> = new Map([
  ["autoreconf", "autoconf"],
  ["bundle", "ruby-bundler"],
  ["busted", "lua-busted"],
  ["cabal", "cabal-install"],
  ["cc", "build-essential"],
  ["ctest", "cmake"],
  ["docker", "docker.io"],
  ["dune", "ocaml-dune"],
  ["erl", "erlang"],
  ["go", "golang"],
  ["java", "default-jdk"],
  ["javac", "default-jdk"],
  ["lein", "leiningen"],
  ["luacheck", "lua-check"],
  ["mix", "elixir"],
  ["mvn", "maven"],
  ["ninja", "ninja-build"],
  ["node", "nodejs"],
  ["php", "php-cli"],
  ["prove", "perl"],
  ["python", "python-is-python3"],
  ["rspec", "ruby-rspec"],
  ["stack", "haskell-stack"],
]);

/** Programs whose packages have their name, in Debian and elsewhere. */
const OWN_NAME: ReadonlySet<string> = new Set([
  ...[
    "ant",
    "autoconf",
    "automake",
    "bash",
    "bats",
    "bison",
    "cargo",
    "clang",
    "cmake",
    "composer",
  ],
  ...[
    "curl",
    "doxygen",
    "flex",
    "g++",
    "gcc",
    "ghc",
    "git",
    "gradle",
    "jq",
    "make",
    "meson",
    "nim",
  ],
  ...["npm", "ocaml", "opam", "perl", "phpunit", "pipx", "pre-commit", "python3", "rake", "rebar3"],
  ...["rubocop", "ruby", "rustc", "sbcl", "scons", "shellcheck", "sqlite3", "tmux", "zsh"],
]);

/** What Debian is known to have a package for. */
export const OF_DEBIAN: readonly string[] = [...DEBIAN.keys(), ...OWN_NAME];

const ownName = (program: string) => OWN_NAME.has(program) ? program : undefined;

/**
 * Package managers of Linux systems, and what they install a program by. dnf takes the path of a file, and apk the name
 * of a command, whatever its package is called (dnf(8); the APKINDEX of Alpine has `cmd:` for each).
 */
const SYSTEMS: readonly (readonly [string, string, (program: string) => string | undefined])[] = [
  ["apt-get", "sudo apt-get install", (program) => DEBIAN.get(program) ?? ownName(program)],
  ["dnf", "sudo dnf install", (program) => `/usr/bin/${program}`],
  ["apk", "sudo apk add", (program) => `cmd:${program}`],
  ["pacman", "sudo pacman -S", ownName],
  ["zypper", "sudo zypper install", ownName],
];

/** No system's own package, or one of that name that is something else. */
const FROM_MAKER: ReadonlySet<string> = new Set(["dotnet", "swift"]);

const OF_NPM: ReadonlySet<string> = new Set(["pnpm", "yarn", "bun", "deno"]);
const OF_COREPACK: ReadonlySet<string> = new Set(["pnpm", "yarn"]);

const OF_PYTHON: ReadonlySet<string> = new Set([
  ...["tox", "nox", "pytest", "ruff", "flake8", "mypy", "pyright", "pylint"],
  ...["uv", "poetry", "pdm", "pipenv"],
]);

/** Undefined where the system's package is not known, or there is none. */
function systemInstall(program: string, programs: Programs): string | undefined {
  const system = SYSTEMS.find(([name]) => programs.has(name));
  const name = system?.[2](program);
  return name && `${system![1]} ${name}`;
}

export function installHint(program: string, programs: Programs): string {
  if (OF_NPM.has(program)) {
    const corepack = programs.has("corepack") && OF_COREPACK.has(program);
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
