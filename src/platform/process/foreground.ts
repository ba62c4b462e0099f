/** Whether the terminal is this process's to use: one that its shell put in the background is stopped when it
 * reads from the terminal or changes its mode (SIGTTIN and SIGTTOU, POSIX.1-2024 section 11.1.4). */

/** Own process group and that of the terminal's foreground: fields 5 and 8 of proc(5)'s stat. */
function groupsOfProc(): readonly (string | undefined)[] {
  const stat = Deno.readTextFileSync(`/proc/${Deno.pid}/stat`);
  // The name in parentheses may hold anything, also ") ".
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[2], fields[5]];
}

/** The same where there is no `/proc`, as on macOS. */
function groupsOfPs(): readonly (string | undefined)[] {
  const args = ["-o", "pgid=,tpgid=", "-p", String(Deno.pid)];
  const { stdout } = new Deno.Command("ps", { args, stdin: "null" }).outputSync();
  return new TextDecoder().decode(stdout).trim().split(/\s+/);
}

/** False where the system does not tell. */
export function inForeground(): boolean {
  try {
    const [own, front] = Deno.build.os === "linux" ? groupsOfProc() : groupsOfPs();
    return own !== undefined && own === front;
  } catch {
    return false;
  }
}
