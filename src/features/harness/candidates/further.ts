/** Checks of Haskell, OCaml, Erlang, Lua and shell projects, and of those that Ant builds. */
import type { RootFiles } from "svc/features/harness/root_files.ts";
import { type Offer, offer, type Offers } from "./candidate.ts";

export const CABAL = /^[^/]+\.cabal$/;

/** `cabal test` ends well where no package has a test suite. */
export function haskellOffers(root: RootFiles): Offers {
  if (root.has("stack.yaml")) {
    return { test: offer("stack.yaml", "stack test"), build: offer("stack.yaml", "stack build") };
  }
  const [source = "cabal.project"] = root.paths(CABAL);
  const tested = root.paths(CABAL).some((path) => /^test-suite\b/im.test(root.text(path)));
  return {
    test: offer(source, tested ? "cabal test" : undefined),
    build: offer(source, "cabal build"),
  };
}

export const DUNE_FILES = /(?:^|\/)dune$/;

/** `dune test` ends well where no file attaches anything to it (dune.readthedocs.io, "Running tests"). */
export function ocamlOffers(root: RootFiles): Offers {
  const tested = root.matches(/\.t$/) ||
    root.paths(DUNE_FILES).some((path) =>
      /\((?:tests?|cram|inline_tests)\b|\bruntest\b/.test(root.text(path))
    );
  return {
    test: offer("dune-project", tested ? "dune test" : undefined),
    build: offer("dune-project", "dune build"),
  };
}

export function erlangOffers(root: RootFiles): Offers {
  const source = "rebar.config";
  return {
    test: [
      ...offer(source, root.matches(/_tests\.erl$/) ? "rebar3 eunit" : undefined),
      ...offer(source, root.matches(/_SUITE\.erl$/) ? "rebar3 ct" : undefined),
    ],
    build: offer(source, "rebar3 compile"),
  };
}

export const LUA = /^(?:\.busted|\.luacheckrc|[^/]+\.rockspec)$/;
const LUA_SPECS = /^spec\/.*_spec\.(?:lua|moon)$/;

/** busted looks for `spec` (lunarmodules.github.io/busted). */
export function luaOffers(root: RootFiles): Offers {
  const tested = root.has(".busted") || root.matches(LUA_SPECS);
  return {
    test: offer(root.has(".busted") ? ".busted" : "spec", tested ? "busted" : undefined),
    lint: offer(".luacheckrc", root.has(".luacheckrc") ? "luacheck ." : undefined),
  };
}

export const BATS = /^(tests?)\/(?:[^/]+\/)*[^/]+\.bats$/;

/** The project's own bats stands beside its tests, as bats-core.readthedocs.io tells. */
export function shellOffers(root: RootFiles): Offers {
  const folder = root.paths(BATS).map((path) => BATS.exec(path)![1]!)[0];
  if (folder === undefined) return {};
  const flat = root.matches(new RegExp(`^${folder}/[^/]+\\.bats$`));
  const words = flat ? folder : `--recursive ${folder}`;
  const own = root.has(`${folder}/bats`) ? offer(folder, `${folder}/bats/bin/bats ${words}`) : [];
  return { test: [...own, ...offer(folder, `bats ${words}`)] };
}

/** Targets of a build file, as `ant test`. */
export function antOffers(root: RootFiles): Offers {
  const text = root.text("build.xml").replaceAll(/<!--[\s\S]*?-->/g, "");
  const target = (name: string): Offer[] =>
    new RegExp(`<target\\b[^>]*\\sname="${name}"`).test(text)
      ? offer("build.xml", `ant ${name}`)
      : [];
  const compile = target("compile");
  return {
    test: ["test", "check", "junit"].flatMap(target),
    build: compile.length > 0 ? compile : target("build"),
  };
}
