/** Checks of projects that Meson or the GNU build system configures. */
import type { RootFiles } from "svc/features/harness/root_files.ts";
import type { Offer, Offers } from "./candidate.ts";
import { buildFolder } from "./native.ts";

const shell = (source: string, body: string, ...needs: string[]): Offer[] => [
  { run: ["sh", "-c", body], source, needs },
];

const MESON = "meson.build";
export const MESON_FILES = /(?:^|\/)meson\.build$/;

const anyOf = (root: RootFiles, files: RegExp, words: RegExp): boolean =>
  root.paths(files).some((path) => words.test(root.text(path).replaceAll(/#.*/g, "")));

/** `meson setup` ends well in a folder that it has set up before. Without tests `meson test` ends well too. */
export function mesonOffers(root: RootFiles): Offers {
  const folder = buildFolder(root);
  const build = `meson setup ${folder} && meson compile -C ${folder}`;
  if (!anyOf(root, MESON_FILES, /(?:^|[^\w.])test\s*\(/)) {
    return { build: shell(MESON, build, "meson", "ninja") };
  }
  const line = `meson setup ${folder} && meson test -C ${folder} --print-errorlogs`;
  return { test: shell(MESON, line, "meson", "ninja") };
}

/** The folder that a command of `mesonOffers` fills. */
export function mesonFills(run: readonly string[]): string | undefined {
  return run[0] === "sh" ? /^meson setup ([\w-]+)/.exec(run[2] ?? "")?.[1] : undefined;
}

export const AUTOCONF = /^configure\.(?:ac|in)$/;
export const AUTOMAKE_FILES = /(?:^|\/)(?:GNUm|M)akefile\.am$/;

/** What leads to a `Makefile`, by preference: the project's own files, else autoconf. */
function waysToConfigure(root: RootFiles) {
  const own = ["autogen.sh", "bootstrap"].find((name) => root.has(name));
  const begin = own === undefined ? "autoreconf --force --install" : `NOCONFIGURE=1 ./${own}`;
  const automake = root.has("Makefile.am") ? ["automake"] : [];
  const made = { line: `${begin} && ./configure`, needs: ["make", "autoreconf", ...automake] };
  if (!root.has("configure")) return [made];
  // In a clone the times of files say nothing, and make may want to write a committed one anew.
  return [{ line: "./configure", needs: ["make"] }, made];
}

/** Where autoconf alone makes the Makefile, its targets stand in the template. */
const TEMPLATE = "Makefile.in";

export const isConfigured = (root: RootFiles): boolean =>
  root.matches(AUTOCONF) && (root.has("Makefile.am") || root.has(TEMPLATE));

/** `make check` ends well where no Makefile.am names tests (automake manual, "Support for test suites"). */
function testTarget(root: RootFiles): string | undefined {
  if (root.has("Makefile.am")) {
    const tested = anyOf(root, AUTOMAKE_FILES, /^(?:TESTS|check-local|check_PROGRAMS)\b/m);
    return tested ? "check" : undefined;
  }
  const text = root.text(TEMPLATE);
  return ["check", "test"].find((target) => new RegExp(`^${target}[ \\t]*:(?!=)`, "m").test(text));
}

export function autotoolsOffers(root: RootFiles): Offers {
  const [source = "configure.ac"] = root.paths(AUTOCONF);
  const target = testTarget(root);
  const offers = (target: string) =>
    waysToConfigure(root).flatMap(({ line, needs }) =>
      shell(source, `${line} && ${target}`, ...needs)
    );
  return target === undefined ? { build: offers("make") } : { test: offers(`make ${target}`) };
}
