/** Every migration, oldest first. One that was released is never edited: files hold its checksum. */
import { statements as reposAndChecks } from "./0001_repos_and_checks.ts";

export interface Migration {
  /** Its file's name, which sorts after all that came before. */
  readonly name: string;
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_repos_and_checks", statements: reposAndChecks },
];
