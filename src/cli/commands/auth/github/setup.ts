import type { App } from "svc/app.ts";
import { asksHere } from "svc/cli/ask.ts";
import { command, type CommonOptions } from "svc/cli/command.ts";
import { path, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { checkedToken, storeCredential } from "svc/features/settings/stored_credential.ts";

const NO_TOKEN = new Failure("answer_needed", "Cannot store a credential: none was given", {
  remedy: "Pipe it in, such as: gh auth token | svc auth github setup; or type it at a terminal",
});

/** From the flag, else the pipe, else the keyboard, where it is not shown. @throws Failure `answer_needed` */
async function givenToken(
  app: App,
  given: CommonOptions & { readonly token: string | undefined },
): Promise<string> {
  if (given.token !== undefined && given.token !== "-") return given.token;
  if (!app.stdinTerminal) {
    const piped = await app.readInput();
    if (piped.trim() === "") throw NO_TOKEN;
    return piped;
  }
  if (given.yes || !asksHere(app, given)) throw NO_TOKEN;
  app.progress.done();
  app.stderr.write("Token for reading the releases (it is not shown): ");
  const { hiddenLine } = await app.load("src/platform/hidden_line");
  const typed = await hiddenLine(app.signal);
  app.stderr.write("\n");
  if (typed === undefined || typed.trim() === "") throw NO_TOKEN;
  return typed;
}

export default command({
  about: "Store a credential for reading the releases of a private fork",
  details:
    "Stores codehost_token in the config, which only you can read, and changes nothing else " +
    "there. The token is used only to read releases, by `svc auth github check`, `svc update " +
    "check`, `svc doctor` and `svc setup --github`: pushes and pull requests use GITHUB_TOKEN or " +
    "your git credential helper. Everyone on this machine can see the value of --token while the " +
    "command runs, and your shell keeps it in its history; pipe it in or type it to keep it " +
    "hidden.",
  examples: [
    { line: "svc auth github setup", about: "asks for the token, and does not show it" },
    { line: "gh auth token | svc auth github setup", about: "takes it from another program" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it stores a credential in the user's config" },
  modes: ["json", "plain", "yes"],
  flags: {
    token: text("token", 'The credential; "-" reads it from standard input'),
    config: path("file", "Config file to write (default: ~/.svc/config.yaml)"),
  },
  result: (z) =>
    z.strictObject({
      config: z.string(),
      change: z.enum(["created", "changed", "unchanged"]),
      stored: z.literal(true),
    }),

  async run(app: App, asked) {
    const token = checkedToken(await givenToken(app, asked));
    const change = await storeCredential(app.files, asked.config ?? app.home.config, token);
    return { ...change, stored: true as const };
  },

  show({ config, change }, page) {
    page.line(
      change === "unchanged" ? `${config} holds it already` : `Stored as codehost_token: ${config}`,
    );
    page.next("svc auth github check");
  },
});
