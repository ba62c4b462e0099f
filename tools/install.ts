/**
 * Builds svc and puts it into a folder, atomically: `deno run -A tools/install.ts <folder>`.
 * The binary that was there stays beside it as `svc.previous`.
 */
import { buildCompiled } from "./compile.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { buildPortable } from "./portable.ts";
import { root } from "./modules.ts";

const BROKEN = "an svc that does not run";

class DoesNotRun extends Error {}

async function versionOf(binary: string): Promise<string | undefined> {
  try {
    const { code, stdout } = await new Deno.Command(binary, { args: ["version"] }).output();
    const text = new TextDecoder().decode(stdout).trim();
    return code === 0 && text !== "" ? text : BROKEN;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    return BROKEN;
  }
}

async function build(): Promise<"compiled" | "portable"> {
  // Tests choose a build, since they must not wait for a download that cannot succeed.
  const wanted = Deno.env.get("SVC_BUILD");
  if (wanted !== "portable") {
    const trouble = await buildCompiled();
    if (trouble === undefined) return "compiled";
    console.error(
      "deno compile cannot be had here (no denort); building the portable file instead",
    );
  }
  await buildPortable();
  return "portable";
}

/**
 * Before the build, since a link may lead to what that writes over, such as the checkout's `dist/svc`.
 * @returns where the old program is, until it becomes `svc.previous`; undefined where there is none
 */
async function keepOld(target: string): Promise<string | undefined> {
  const kept = `${target}.previous-${Deno.pid}`;
  try {
    const { isSymlink } = await Deno.lstat(target);
    // FAT, exFAT and many shared folders know no hard links.
    const linked = !isSymlink && await Deno.link(target, kept).then(() => true, () => false);
    if (!linked) await Deno.copyFile(target, kept);
    return kept;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

/** What installs left that were killed: 45 MB each. One that runs has its process. */
async function dropLeft(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const pid = /^svc\.(?:new|previous)-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || await Deno.stat(`/proc/${pid}`).catch(() => undefined)) continue;
    await Deno.remove(`${folder}/${name}`).catch(() => {}); // another user's stays
  }
}

/** Also takes away what rename(2) leaves where `svc.previous` is the same file, as after an install that was killed. */
async function drop(kept: string | undefined): Promise<void> {
  if (kept !== undefined) await Deno.remove(kept).catch(() => {}); // mostly it is svc.previous by now
}

/** An svc that runs is replaced by one that runs alone, since its service and its jobs need it. */
async function mustRun(fresh: string): Promise<void> {
  if (before === undefined || before === BROKEN || await versionOf(fresh) !== BROKEN) return;
  throw new DoesNotRun(`what was built does not run; ${before} stays`);
}

/** Copies to the same file system, syncs, then renames twice, so that an svc can be run at any time. */
async function replace(built: string, target: string, kept: string | undefined): Promise<void> {
  const fresh = `${target}.new-${Deno.pid}`;
  try {
    await Deno.copyFile(built, fresh);
    await Deno.chmod(fresh, 0o755);
    using file = await Deno.open(fresh, { read: true });
    await file.sync();
    await mustRun(fresh);
    if (kept !== undefined) await Deno.rename(kept, `${target}.previous`);
    await Deno.rename(fresh, target);
  } catch (thrown) {
    await Deno.remove(fresh).catch(() => {}); // the rename may have taken it; the cause is thrown on
    throw thrown;
  } finally {
    await drop(kept);
  }
}

const [folder] = Deno.args;
if (folder === undefined || !folder.startsWith("/")) {
  console.error(`Cannot install svc into "${folder ?? ""}": not an absolute folder`);
  console.error("try: make install INSTALL_DIR=$HOME/.local/bin");
  Deno.exit(2);
}
const target = `${folder}/svc`;
const before = await versionOf(target);

function cannot(thrown: unknown): never {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  console.error(`Cannot install svc into "${folder}": ${why}`);
  const broken = thrown instanceof DoesNotRun;
  console.error(
    broken
      ? `try: ${shellWord(`${root}dist/svc`)} version, which says why`
      : "try: make install INSTALL_DIR=/a/folder/you/may/write",
  );
  Deno.exit(5);
}

const kept = await keepOld(target).catch(cannot);
const how = await build().catch(async (thrown) => {
  await drop(kept);
  throw thrown;
});
try {
  await Deno.mkdir(folder, { recursive: true });
  await dropLeft(folder);
  await replace(`${root}dist/svc`, target, kept);
} catch (thrown) {
  cannot(thrown);
}
/** Beside a folder `bin`, where man(1) looks for it (manpath(5)). @returns the page, if there is such a place */
async function installManual(): Promise<string | undefined> {
  if (!folder!.endsWith("/bin")) return undefined;
  const manuals = `${folder!.slice(0, -"/bin".length)}/share/man/man1`;
  const { success, stdout } = await new Deno.Command(target, { args: ["help", "--man"] }).output();
  if (!success) return undefined;
  try {
    await Deno.mkdir(manuals, { recursive: true });
    await Deno.writeFile(`${manuals}/svc.1`, stdout);
    return `${manuals}/svc.1`;
  } catch (thrown) {
    console.error(`no manual in ${manuals}: ${thrown instanceof Error ? thrown.message : thrown}`);
    return undefined; // svc itself is installed, and svc help --man prints the page
  }
}

const manual = await installManual();
console.log(
  `old: ${before ?? "none"}${before === undefined ? "" : ` (kept as ${target}.previous)`}`,
);
console.log(`new: ${await versionOf(target)} (${how}) at ${target}`);
if (manual !== undefined) console.log(`manual: ${manual}`);
const onPath = (Deno.env.get("PATH") ?? "").split(":").includes(folder);
const next = `next: ${shellWord(target)} path setup --install-dir ${shellWord(folder)}`;
console.log(onPath ? "next: svc --help" : next);
