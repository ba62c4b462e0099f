/** Who commits: the user as git itself would name them; svc where git would have to ask. */
import { withoutEnding } from "svc/core/text_ends.ts";
import type { CallGit } from "./call.ts";
import { type EnvVariables, settingsIn, userSettings } from "./user.ts";
import type { Processes } from "svc/platform/process/process.ts";

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Those of one role come before those of the user (git-config(1), user.name). */
const NAMES = "^(user|author|committer)\\.(name|email)$";

/** Nobody: svc itself. */
export const NOBODY: Person = { name: "svc", email: "svc@localhost" };

/** As ident.c strips them: the commit's line could not be read back otherwise. */
function plain(text: string | undefined): string | undefined {
  // deno-lint-ignore no-control-regex -- control bytes are what is taken out
  const printable = (text ?? "").replaceAll(/[<>\x00-\x1f\x7f]/g, "");
  const clean = withoutEnding(printable.replace(/^[\s.,:;"\\']+/, ""), " \u00a0.,:;\"\\'");
  return clean === "" ? undefined : clean;
}

/** Variables, then the repo's settings, then the user's (git-commit(1), COMMIT INFORMATION). */
export async function committer(
  git: CallGit,
  processes: Processes,
  env: EnvVariables,
): Promise<{ readonly author: Person; readonly committer: Person }> {
  const { stdout } = await git({
    doing: "read who commits",
    args: ["config", "--local", "--includes", "-z", "--get-regexp", NAMES],
    answers: [0, 1],
  });
  const own = settingsIn(stdout);
  const [ownName, ownEmail] = [plain(own.get("user.name")), plain(own.get("user.email"))];
  const whole = ownName !== undefined && ownEmail !== undefined;
  const users = whole ? own : await userSettings(processes, env, NAMES);
  const set = (key: string) => plain(own.get(key)) ?? plain(users.get(key));
  const person = (role: "author" | "committer"): Person => {
    const from = (what: "name" | "email") =>
      plain(env[`GIT_${role}_${what}`.toUpperCase()]) ?? set(`${role}.${what}`) ??
        set(`user.${what}`);
    const [named, reached] = [from("name"), from("email")];
    // One without the other would join two people in one line.
    return named === undefined || reached === undefined ? NOBODY : { name: named, email: reached };
  };
  return { author: person("author"), committer: person("committer") };
}
