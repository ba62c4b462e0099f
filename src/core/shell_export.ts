/** A line by which a shell sets a variable for itself and for what it starts. Pure. */

/** All that speak as a POSIX shell does come first. */
export const EXPORT_SHELLS = [
  ...["sh", "bash", "zsh", "ksh"] as const,
  ...["fish", "csh", "tcsh", "powershell"] as const,
] as const;
export type ExportShell = typeof EXPORT_SHELLS[number];

/** @param value only `[A-Za-z0-9_-]`, so that no shell reads a sign in it */
export function exportLine(shell: ExportShell, name: string, value: string): string {
  switch (shell) {
    case "fish":
      return `set -gx ${name} ${value}`;
    case "csh":
    case "tcsh":
      return `setenv ${name} ${value}`;
    case "powershell":
      return `$env:${name} = "${value}"`;
    default:
      return `export ${name}=${value}`;
  }
}

/** What a person types to have the line of a command evaluated. */
export function evalLine(shell: ExportShell, command: string): string {
  if (shell === "fish") return `${command} --shell fish | source`;
  if (shell === "powershell") return `${command} --shell powershell | Invoke-Expression`;
  if (shell === "csh" || shell === "tcsh") return `eval \`${command} --shell ${shell}\``;
  return `eval "$(${command})"`;
}
