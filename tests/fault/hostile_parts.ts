/** What hostile repos are made of: a program that tells when it ran, and ways to have git run it. */
import { type TempFolder, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

/** A program that leaves a marker when it runs, and does nothing else. */
export interface Evil extends AsyncDisposable {
  /** Absolute path of the program. */
  readonly program: string;
  readonly folder: TempFolder;
  fired(): Promise<boolean>;
  forget(): Promise<void>;
}

export interface Hostile {
  readonly name: string;
  /** Gives the folder to open, where it is not the repo's root. */
  plant(repo: TempRepo, evil: Evil): Promise<string | void>;
  /** Plain git runs the program with one of these; empty where that takes a terminal or a network. */
  readonly triggers: readonly (readonly string[])[];
  /** Opening it is refused with a text that matches. */
  readonly refused?: RegExp;
  /** Its history is damaged, so that verbs may fail. */
  readonly damaged?: true;
}

export async function evil(): Promise<Evil> {
  const folder = await tempFolder("svc-evil-");
  const marker = `${folder.path}/fired`;
  await folder.write("evil", `#!/bin/sh\n: >"${marker}"\n`, { executable: true });
  return {
    program: `${folder.path}/evil`,
    folder,
    fired: () => Deno.stat(marker).then(() => true, () => false),
    forget: () => Deno.remove(marker).catch(() => {}),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

export const HOOKS = [
  ...["pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-auto-gc"],
  ...["post-index-change", "reference-transaction", "post-rewrite", "fsmonitor-watchman"],
];

/** Sets configuration only. */
export function config(
  name: string,
  settings: (evil: Evil) => Readonly<Record<string, string>>,
  triggers: Hostile["triggers"] = [],
): Hostile {
  return {
    name,
    async plant(repo, evil) {
      for (const [key, value] of Object.entries(settings(evil))) {
        await repo.git("config", key, value);
      }
    },
    triggers,
  };
}

/** Gives every file the attributes, and sets configuration. */
export function attributes(
  name: string,
  line: string,
  settings: (evil: Evil) => Readonly<Record<string, string>>,
  triggers: Hostile["triggers"],
): Hostile {
  return {
    name,
    async plant(repo, evil) {
      await repo.write(".gitattributes", `* ${line}\n`);
      await config(name, settings).plant(repo, evil);
    },
    triggers,
  };
}

/** A branch "side" whose merge into main conflicts in the file `a`. */
export async function conflictingBranch(repo: TempRepo) {
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { a: "side\n" });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("main", { a: "main\n" });
}

/** A commit on main that claims to be signed. */
export async function signedCommit(repo: TempRepo) {
  const signature =
    "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AA==\n -----END PGP SIGNATURE-----\n";
  const [head, ...message] = (await repo.git("cat-file", "commit", "HEAD")).split("\n\n");
  await repo.write("commit", `${head}\n${signature}\n${message.join("\n\n")}`);
  const oid = await repo.git("hash-object", "-t", "commit", "-w", "commit");
  await repo.git("update-ref", "refs/heads/main", oid.trim());
  await Deno.remove(`${repo.path}/commit`);
}

/** A nested repo that the outer one records as a submodule. */
export async function submodule(repo: TempRepo): Promise<string> {
  const sub = `${repo.path}/sub`;
  await repo.git("init", "--quiet", "sub");
  await repo.write("sub/f", "one\n");
  await repo.git("-C", "sub", "add", "f");
  await repo.git("-C", "sub", "commit", "--quiet", "--message", "sub");
  await repo.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ext::touch\n');
  await repo.git("-c", "advice.addEmbeddedRepo=false", "add", "sub", ".gitmodules");
  await repo.git("commit", "--quiet", "--message", "submodule");
  return sub;
}

/** Another repo, in the evil folder, whose settings run the program. */
export async function otherRepo(repo: TempRepo, evil: Evil): Promise<string> {
  const other = `${evil.folder.path}/other`;
  await repo.git("init", "--quiet", other);
  await repo.git("-C", other, "commit", "--quiet", "--allow-empty", "--message", "other");
  await repo.git("-C", other, "config", "core.fsmonitor", evil.program);
  return `${other}/.git`;
}

export async function cleanInFile(repo: TempRepo, evil: Evil) {
  await repo.write(".gitattributes", "* filter=x\n");
  await repo.write("settings", `[filter "x"]\n\tclean = ${evil.program}\n`);
}

/** One commit with the file `a`, which the work tree then changes. */
export async function victim(): Promise<TempRepo> {
  const repo = await tempRepo({ files: { a: "one\n" }, commit: true });
  await repo.write("a", "two\n");
  await repo.write("new", "new\n");
  return repo;
}
