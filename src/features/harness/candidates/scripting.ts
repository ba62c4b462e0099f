/** Checks of Perl, Ruby, PHP and Elixir projects. */
import { entriesAt } from "svc/features/harness/json_text.ts";
import type { RootFiles } from "svc/features/harness/root_files.ts";
import { type Offer, offer, type Offers } from "./candidate.ts";

const PERL_TESTS = /^t\/(?:[^/]+\/)*[^/]+\.t$/;

/** What is compiled is tested as its Makefile builds it; Perl alone needs no build (prove(1)). */
export function perlOffers(root: RootFiles): Offers {
  if (!root.matches(PERL_TESTS)) return {};
  const [source, line] = root.has("Makefile.PL")
    ? ["Makefile.PL", "perl Makefile.PL && make test"]
    : ["Build.PL", "perl Build.PL && ./Build test"];
  const built: Offer = {
    ...{ run: ["sh", "-c", line], source },
    needs: source === "Makefile.PL" ? ["perl", "make"] : ["perl"],
  };
  if (root.matches(/\.xs$/)) return { test: [built] };
  return { test: [...offer("t", "prove -lr t"), built] };
}

const RAKEFILES = ["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"];

/** A task may have a name: `Rake::TestTask.new(:units)`. */
const NAMED = "(?:[ \\t]{0,9}\\(?[ \\t]{0,9}[:\"'](\\w+))?";
const RUBY_TASKS = new RegExp(`\\b(?:Rake|Minitest)::TestTask\\.(?:new|create)\\b${NAMED}`);
const SPEC_TASKS = new RegExp(`\\bRSpec::Core::RakeTask\\.new\\b${NAMED}`);

/** With a Gemfile the project's own gems come first; they may also be those of the machine. */
const rubyTool = (root: RootFiles, source: string, line: string): Offer[] => [
  ...root.has("Gemfile") ? offer(source, `bundle exec ${line}`) : [],
  ...offer(source, line),
];

export function rubyOffers(root: RootFiles): Offers {
  const file = RAKEFILES.find((name) => root.has(name)) ?? "Rakefile";
  const rakefile = root.text(file);
  const task = (names: RegExp, otherwise: string) => {
    const found = names.exec(rakefile);
    return found === null ? [] : rubyTool(root, file, `rake ${found[1] ?? otherwise}`);
  };
  const rails = root.has("bin/rails") && root.has("test")
    ? offer("bin/rails", "bin/rails test")
    : [];
  const specs = root.matches(/^spec\/.*_spec\.rb$/) ? rubyTool(root, "spec", "rspec") : [];
  return {
    test: [
      ...rails,
      ...task(RUBY_TASKS, "test"),
      ...task(SPEC_TASKS, "spec"),
      ...specs,
    ],
    lint: root.has(".rubocop.yml") ? rubyTool(root, ".rubocop.yml", "rubocop") : [],
  };
}

/** A failing command of a script does not count (getcomposer.org/doc/articles/scripts.md). */
const goesOn = (script: unknown): boolean =>
  [script].flat().some((line) => typeof line === "string" && /\|\|\s*(?:true|:)\s*$/.test(line));

export function phpOffers(root: RootFiles): Offers {
  const scripts = entriesAt(root.text("composer.json"), "scripts");
  const script = (name: string): Offer[] =>
    offer("composer.json", name in scripts ? `composer run-script ${name}` : undefined)
      .map((one) =>
        goesOn(scripts[name]) ? { ...one, doubt: `"${name}" goes on after a failure` } : one
      );
  const [unit] = root.paths(/^phpunit\.xml(?:\.dist)?$/);
  const needed = entriesAt(root.text("composer.json"), "require-dev");
  // Its tests are no classes that PHPUnit finds; Symfony's bridge brings PHPUnit by a command of its own.
  const runner = "pestphp/pest" in needed
    ? "pest"
    : "symfony/phpunit-bridge" in needed && !("phpunit/phpunit" in needed)
    ? "simple-phpunit"
    : "phpunit";
  const [stan] = root.paths(/^phpstan\.neon(?:\.dist)?$/);
  return {
    test: [
      ...script("test"),
      ...unit === undefined ? [] : [
        ...offer(unit, `vendor/bin/${runner}`),
        ...runner === "phpunit" ? offer(unit, "phpunit") : [],
      ],
    ],
    lint: script("lint"),
    typecheck: [
      ...script("phpstan"),
      ...stan === undefined ? [] : offer(stan, "vendor/bin/phpstan analyse"),
    ],
  };
}

export function elixirOffers(root: RootFiles): Offers {
  return {
    test: root.matches(/^test\/.*_test\.exs$/) ? offer("mix.exs", "mix test") : [],
    lint: root.has(".formatter.exs") ? offer(".formatter.exs", "mix format --check-formatted") : [],
    build: offer("mix.exs", "mix compile"),
  };
}
