import { command } from "svc/cli/command.ts";
import { choice, otherwise } from "svc/cli/flags.ts";
import { evalLine, EXPORT_SHELLS, exportLine } from "svc/core/shell_export.ts";
import type { Entrance } from "svc/platform/entrance.ts";

const NAME = "SVC_DASHBOARD_CONTROL_SECRET";

/** Bytes of randomness; their text is longer than the 32 bytes that the contract asks for. */
const RANDOM_BYTES = 32;

export default command({
  about: "Print the line that sets a new control secret of the dashboard in your shell",
  details:
    `The line sets ${NAME} for the shell that evaluates it, and for programs started there. svc stores ` +
    "the secret nowhere: it is only on standard output, and each call makes a new one. Start svc in " +
    "the same shell, and log in with the value of the variable.",
  examples: [
    { line: 'eval "$(svc dashboard secret)"', about: "in bash, zsh, sh or ksh" },
    { line: "svc dashboard secret --shell fish | source", about: "in fish" },
    {
      line: "svc dashboard secret --shell powershell | Invoke-Expression",
      about: "in PowerShell",
    },
  ],
  effect: "none",
  givenBy: { who: "anyone", because: "it only prints something new, and keeps nothing" },
  modes: ["json"],
  flags: {
    shell: otherwise(choice(EXPORT_SHELLS, "Shell that evaluates the line"), "sh"),
  },
  result: (z) =>
    z.strictObject({
      variable: z.string(),
      shell: z.enum(EXPORT_SHELLS),
      /** Holds the secret. */
      line: z.string(),
    }),

  run({ stdout, stderr }: Pick<Entrance, "stderr" | "stdout">, { shell, json }) {
    const value = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    // To a terminal the line is shown and nobody evaluates it; else it is, and the person sits at stderr.
    if (stdout.terminal) {
      stderr.write(`to use it: ${evalLine(shell, "svc dashboard secret")}\n`);
    } else if (stderr.terminal && !json) {
      const shown = shell === "powershell" ? `$env:${NAME}` : `echo $${NAME}`;
      stderr.write(`svc start or svc serve here; log in with what this shows: ${shown}\n`);
    }
    return Promise.resolve({ variable: NAME, shell, line: exportLine(shell, NAME, value) });
  },

  show({ line }, page) {
    page.line(line);
  },
});
