/** git of a newer Debian (`tools/newer_git.sh`), which knows reftables (git 2.45). */
const folder = new URL("../../.deno/newer-git/bin", import.meta.url).pathname;

/** Undefined where it could not be fetched. */
export const NEWER_GIT_PATH: string | undefined = await Deno.stat(`${folder}/git`).then(
  () => `${folder}:/usr/local/bin:/usr/bin:/bin`,
  () => undefined,
);
