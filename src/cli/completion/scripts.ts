/** The completion script of each shell, kept as real shell files beside this one. */
import bash from "./svc.bash" with { type: "text" };
import fish from "./svc.fish" with { type: "text" };
import powershell from "./svc.ps1" with { type: "text" };
import zsh from "./svc.zsh" with { type: "text" };

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type CompletionShell = typeof SHELLS[number];

const SCRIPTS: Readonly<Record<CompletionShell, string>> = { bash, zsh, fish, powershell };

export function scriptOf(shell: CompletionShell, described: boolean): string {
  const script = SCRIPTS[shell];
  return described ? script : script.replace(/svc '?__complete'?/, "$& --no-descriptions");
}
