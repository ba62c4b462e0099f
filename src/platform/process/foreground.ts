/** Whether the terminal is this process's to use: one that its shell put in the background is stopped when it
 * reads from the terminal or changes its mode (SIGTTIN and SIGTTOU, POSIX.1-2024 section 11.1.4). */

/** Fields of proc(5)'s stat, from the third on. */
function statFields(): readonly (string | undefined)[] {
  const stat = Deno.readTextFileSync(`/proc/${Deno.pid}/stat`);
  // The name in parentheses may hold anything, also ") ".
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Own process group and that of the terminal's foreground: fields 5 and 8. */
function groupsOfProc(): readonly (string | undefined)[] {
  const fields = statFields();
  return [fields[2], fields[5]];
}

/** False where no terminal can signal this process: field 7, its controlling terminal. True where Linux does not tell. */
export function hasTerminal(): boolean {
  try {
    return statFields()[4] !== "0";
  } catch {
    return true;
  }
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
