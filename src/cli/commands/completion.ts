import { command } from "svc/cli/command.ts";
import { choice, on, required } from "svc/cli/flags.ts";
import { scriptOf, SHELLS } from "svc/cli/completion/scripts.ts";

export default command({
  about: "Print the completion script of a shell",
  details:
    "The script asks svc itself at each TAB, so it knows the commands, flags and values of the " +
    "installed version, and the roles, tickets and repos here. The lines below load it into the " +
    "running shell; the script's first lines say how to keep it for every session.",
  examples: [
    { line: "source <(svc completion bash)", about: "Bash, with or without bash-completion" },
    { line: "source <(svc completion zsh)", about: "Zsh" },
    { line: "svc completion fish | source", about: "fish" },
    {
      line: "svc completion powershell | Out-String | Invoke-Expression",
      about: "PowerShell 7",
    },
    {
      line: "source <(svc completion bash --no-descriptions)",
      about: "names alone, without what they are about",
    },
  ],
  effect: "none",
  givenBy: { who: "anyone", because: "it only prints" },
  modes: [],
  args: { shell: required(choice(SHELLS, "Shell")) },
  flags: { noDescriptions: on("Offer names alone, without what they are about") },
  result: (z) => z.strictObject({ script: z.string() }),

  run(_: unknown, { shell, noDescriptions }) {
    return Promise.resolve({ script: scriptOf(shell, !noDescriptions) });
  },

  show({ script }, page) {
    page.text(script);
  },
});
