/** Checks of projects that CMake or make builds. */
import type { RootFiles } from "svc/features/harness/root_files.ts";
import { type Offer, offer, type Offers } from "./candidate.ts";

export const MAKEFILE = /^(?:GNUm|m|M)akefile$/;

/** In the order in which GNU make looks for them. */
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** A failing command of the target does not count: "-" before it (POSIX make), or a shell's `|| true`. */
function doubtOf(text: string, target: string): string | undefined {
  const recipe = new RegExp(`^${target}\\s*:(?!=)[^\\n]*\\n((?:\\t[^\\n]*\\n?|\\n)*)`, "m").exec(
    text,
  );
  const lines = (recipe?.[1] ?? "").split("\n").map((line) => line.trim());
  const ignores = lines.some((line) =>
    /^[@+]*-/.test(line) || /(?:\|\||;)\s*(?:true|:|exit 0)\s*$/.test(line)
  );
  return ignores ? `the recipe of "${target}" goes on after a failure` : undefined;
}

export function makeOffers(root: RootFiles): Offers {
  const file = MAKEFILES.find((name) => root.has(name)) ?? "Makefile";
  const text = root.text(file);
  const has = (target: string) => new RegExp(`^${target}\\s*:(?!=)`, "m").test(text);
  const found = (target: string): Offer[] => {
    const doubt = doubtOf(text, target);
    const needed = new RegExp(`^${target}\\s*:([^=\\n][^\\n;#]*)`, "m").exec(text)?.[1] ?? "";
    const runs = needed.split(/\s+/).filter((word) => /^[\w-]+$/.test(word))
      .map((word) => `make ${word}`);
    return offer(file, has(target) ? `make ${target}` : undefined)
      .map((one) => ({ ...one, runs, ...(doubt !== undefined && { doubt }) }));
  };
  const [test, check] = [found("test"), found("check")];
  const others = { lint: found("lint"), build: found("build") };
  // GNU's name for the target that runs the tests (GNU Coding Standards, 7.2.6).
  return test.length > 0 ? { test, check, ...others } : { test: check, ...others };
}

const CMAKE = "CMakeLists.txt";

const TURNS_ON = /^(?:BUILD|ENABLE|WITH|RUN)$/i;
const TURNS_OFF = /^(?:WITHOUT|NO|DISABLE|SKIP|EXCLUDE)$/i;

/**
 * `X_BUILD_TESTS`, `ENABLE_TESTING`, `X_TEST`. Any other word makes it an option of some tests, which may need
 * what is not there (`FMT_CUDA_TEST`), of how they run (`X_TEST_WITH_VALGRIND`), or of their absence.
 */
function turnsTestsOn(name: string, project: string): boolean {
  const own = name.toUpperCase().startsWith(`${project.toUpperCase()}_`);
  const words = (own ? name.slice(project.length + 1) : name).split("_");
  if (!/^(?:UNIT)?TEST(?:S|ING)?$/i.test(words.pop()!)) return false;
  if (/^UNIT$/i.test(words.at(-1) ?? "")) words.pop();
  if (words.some((word) => TURNS_OFF.test(word))) return false;
  return TURNS_ON.test(words.at(-1) ?? "") || words.length <= (own ? 0 : 1);
}

/** Options that turn tests on, and are off unless asked for. */
function testOptions(text: string): string {
  const project = /\bproject\s*\(\s*"?(\w+)/i.exec(text)?.[1] ?? "";
  const off = /\boption\s*\(\s*(\w{0,60}TEST\w{0,60})\s+"[^"]*"\s*(?:(?:OFF|FALSE|0)\s*)?\)/gi;
  return [...text.matchAll(off)].map(([, name]) => name!)
    .filter((name) => turnsTestsOn(name, project)).map((name) => ` -D${name}=ON`).join("");
}

const BUILD_FOLDERS = ["build", "cmake-build", "build-for-svc"];

/** The first that holds no files of the project. */
export function buildFolder(root: RootFiles): string {
  return BUILD_FOLDERS.find((name) => !root.has(name)) ?? "build-for-svc";
}

/** The folder that a command of `cmakeOffers` fills. */
export function cmakeFills(run: readonly string[]): string | undefined {
  return run[0] === "sh" ? /^cmake -S \. -B ([\w-]+)/.exec(run[2] ?? "")?.[1] : undefined;
}

/** Without tests `ctest` says so and ends well, unless told otherwise (ctest(1), `--no-tests`). */
export function cmakeOffers(root: RootFiles): Offers {
  const text = root.text(CMAKE).replaceAll(/#.*/g, "");
  const folder = buildFolder(root);
  const build = `cmake -S . -B ${folder}${testOptions(text)} && cmake --build ${folder}`;
  const tested = /\b(?:enable_testing|add_test)\s*\(|\binclude\s*\(\s*CTest\s*\)/i.test(text);
  const line = (body: string, ...needs: string[]): Offer[] => [
    { run: ["sh", "-c", body], source: CMAKE, needs: ["cmake", ...needs] },
  ];
  if (!tested) return { build: line(build) };
  const run = `ctest --test-dir ${folder} --output-on-failure --no-tests=error`;
  return { test: line(`${build} && ${run}`, "ctest") };
}
