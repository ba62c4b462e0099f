/** Lists the candidates for each check of a project, by preference, and chooses one when nothing is tried. */
import { ECOSYSTEMS } from "svc/features/harness/ecosystems.ts";
import { commandName } from "svc/features/harness/command_name.ts";
import type { RootFiles } from "svc/features/harness/root_files.ts";
import { type Candidate, isHere, type Offer } from "./candidate.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { type CiCommand, ciCommands } from "./ci.ts";

export interface CandidateGroup {
  /** The name of the check. */
  readonly name: string;
  /** By preference, never empty. */
  readonly candidates: readonly Candidate[];
}

interface DraftGroup {
  readonly check: string;
  readonly language: string;
  readonly offers: Offer[];
}

/** The first language keeps the plain check name; others prefix theirs. */
function groupsByName(root: RootFiles, programs: Programs): Map<string, DraftGroup> {
  const groups = new Map<string, DraftGroup>();
  let wrapped = false;
  for (const { language, applies, offers: offersOf } of ECOSYSTEMS) {
    if (!applies(root)) continue;
    for (const [check, offers] of Object.entries(offersOf(root, programs))) {
      if (offers.length === 0) continue;
      const there = groups.get(check);
      // The project's own Makefile runs the tools below it, and may itself stand beside CMake.
      const same = wrapped || there?.language === language ||
        (language === "make" && there?.language === "c");
      if (there !== undefined && same) there.offers.push(...offers);
      else {
        const name = there === undefined ? check : commandName(`${language}-${check}`);
        if (!groups.has(name)) groups.set(name, { check, language, offers: [...offers] });
      }
    }
    wrapped ||= language === "make" && groups.has("test");
  }
  return groups;
}

/** One of several spellings; tools whose further words are options count by their first two. */
function normal(line: string): string {
  const plain = line.replace(/^env (?:\w+=\S* )+/, "")
    .replace(/^(?:\.venv\/bin\/|bundle exec |\.\/(?=vendor\/bin\/))/, "")
    .replace(/^composer (?:run(?:-script)? )/, "composer ")
    .replace(/^(npm|pnpm|yarn|bun) run(?:-script)? /, "$1 ").replace(/^npm t$/, "npm test");
  if (/^(?:npm|pnpm|yarn|bun|corepack|npx|make|deno) /.test(plain)) return plain;
  const module = /(?:^|\s)(pytest|unittest|tox|nox|mypy|ruff|flake8|busted|luacheck)\b/.exec(plain)
    ?.[1];
  return module ?? plain.split(" ").slice(0, 2).join(" ");
}

const lineOf = ({ run }: Pick<Offer, "run">) => run.join(" ");

/** Scripts and targets that only CI names; for other tools its options may need what is not there. */
function onlyInCi(commands: readonly CiCommand[], group: DraftGroup): Offer[] {
  const known = new Set(group.offers.map((one) => normal(lineOf(one))));
  return commands.filter(({ line }) => !known.has(normal(line)))
    .map(({ line, source }) => ({ run: line.split(" "), source }));
}

/** Commands that CI runs come first, then those that only CI names; doubtful ones come last. */
function ordered(group: DraftGroup, commands: readonly CiCommand[]): Offer[] {
  const confirmed = new Map(commands.map(({ line, source }) => [normal(line), source]));
  /** CI may run the parts of a command one by one: one of them is less than all. */
  const inParts = ({ runs = [] }: Offer) => {
    const parts = runs.map((line) => confirmed.get(normal(line))).filter((one) =>
      one !== undefined
    );
    return parts.length > 1 ? parts[0] : undefined;
  };
  const own = group.offers.map((one) => ({
    one,
    ci: confirmed.get(normal(lineOf(one))) ?? inParts(one),
  }));
  const sound = own.filter(({ one }) => one.doubt === undefined);
  const said = ({ one, ci }: typeof own[number]) =>
    ci === undefined ? one : { ...one, source: `${one.source}, ${ci}` };
  return [
    ...sound.filter(({ ci }) => ci !== undefined).map(said),
    ...onlyInCi(commands, group),
    ...sound.filter(({ ci }) => ci === undefined).map(said),
    ...own.filter(({ one }) => one.doubt !== undefined).map(said),
  ];
}

export function checkGroups(root: RootFiles, programs: Programs): CandidateGroup[] {
  const groups = groupsByName(root, programs);
  const commands = ciCommands(root);
  const tested = [...groups.values()].some(({ check }) => check === "test");
  if (!tested && commands.some(({ check }) => check === "test")) {
    groups.set("test", { check: "test", language: "", offers: [] });
  }
  const taken = new Set<string>();
  return [...groups].flatMap(([name, group]) => {
    const fits = ({ check, language, line }: CiCommand) =>
      check === group.check &&
      (group.offers.length === 0 || language === group.language ||
        group.offers.some((one) => normal(lineOf(one)) === normal(line)));
    const fresh = ordered(group, commands.filter(fits))
      .filter((one) => !taken.has(lineOf(one)));
    if (fresh.length === 0) return [];
    fresh.forEach((one) => taken.add(lineOf(one)));
    return [{ name, candidates: fresh.map((one) => ({ ...one, name })) }];
  });
}

/** Without running anything: the first that PATH can start. */
export function untried({ candidates }: CandidateGroup, programs: Programs): Candidate {
  const here = candidates.filter((one) => isHere(one, programs));
  return here.find(({ doubt }) => doubt === undefined) ?? here[0] ?? candidates[0]!;
}
