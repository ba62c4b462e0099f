/** Breaks of what the nodes of a team share. */
import type { Break } from "./break.ts";

export const TEAM_BREAKS: readonly Break[] = [
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/repos/shared_repo.ts",
    find: "if (!await renewRepoLease(db, lease, clock.now())) {",
    put: "if (!await renewRepoLease(db, lease, clock.now()) && false) {",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/repos/shared_repo.ts",
    find: "if (!landed && await this.#tip() !== before) await this.#reset(before);",
    put: "if (!landed && await this.#tip() === before) await this.#reset(before);",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/repos/shared_repo.ts",
    find: "if (!same) await this.#reset(tip);",
    put: "if (same) await this.#reset(tip);",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/platform/git/remote_repo.ts",
    find: "if (now !== expected) return false;",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/features/repos/lease_store.ts",
    find: "generation: sql`repo_leases.generation + 1`,",
    put: "",
  },
  {
    ids: ["4.5:register:db"],
    file: "src/features/repos/repo_store.ts",
    find: "return { ...row, path: cloneRoot(clones, { id: row.id, url: row.url }) };",
    put: "return row;",
  },
  {
    ids: ["4.5:register:db"],
    file: "src/runtime/start/refresh_clones.ts",
    find: "const AT_ONCE = 4;",
    put: "const AT_ONCE = 400;",
  },
  {
    ids: ["4.5:register:db"],
    file: "src/runtime/start/refresh_clones.ts",
    find: "return message;",
    put: "throw thrown;",
  },
  {
    ids: ["4.5:register:db"],
    file: "src/platform/git/remote_repo.ts",
    find: "if (await isThere(next)) await Deno.remove(next, { recursive: true });",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/job/hand_over.ts",
    find: "if (clock.now() - newest.at > UNPUSHED_WAIT_MS) {",
    put: "if (clock.now() - newest.at > 0) {",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/platform/git/remote_refs.ts",
    find: "...(mine === undefined ? [] : [`update refs/svc/aside/${name}/${mine} ${mine}\\n`]),",
    put: "",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/job/work_elsewhere.ts",
    find: "else if (at !== undefined && at !== here) worked = at;",
    put: "else if (at !== undefined && at === here) worked = at;",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/runtime/service/place_status.ts",
    find: "isOurs(repo, node)",
    put: "isOurs(repo, undefined)",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/platform/git/remote_repo.ts",
    find: "return await lineOf(git, doing, below, [0, 1]) === undefined ? undefined : theirs;",
    put: "return theirs;",
  },
  {
    ids: ["2.1:shared-database:holds-serve-state"],
    file: "src/platform/git/remote_repo.ts",
    find: '!message.some((line) => line.startsWith("Svc-Unfinished: "))',
    put: "message.length === 0",
  },
];
