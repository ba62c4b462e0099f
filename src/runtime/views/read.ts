/** The declaration of a dashboard read, from which its route, its documents and its entry in `Reads` derive. */
import { Failure } from "svc/core/failure.ts";
import type { TraceIndexes } from "svc/features/agent/trace_index.ts";
import type { RepoOpener } from "svc/features/repos/repo.ts";
import type { HarnessHistories } from "./harness_histories.ts";
import type { BoardSources } from "./repo_boards.ts";
import type { AnswerShape, ShapeOf } from "./shape.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

/** Query parameters: required, optional, or optional and one of these words. Unknown and repeated ones are refused. */
export type QueryKind = Readonly<Record<string, "needed" | "optional" | readonly string[]>>;

type OptionalName<Q extends QueryKind> = {
  [Name in keyof Q]: Q[Name] extends "needed" ? never : Name;
}[keyof Q];

export type QueryOf<Q extends QueryKind> =
  & { readonly [Name in Exclude<keyof Q, OptionalName<Q>>]: string }
  & {
    readonly [Name in OptionalName<Q>]?: Q[Name] extends readonly (infer Word)[] ? Word : string;
  };

interface MissingAnswer {
  readonly status: 400 | 404;
  readonly error: string;
}

/** A read throws this to say why something no longer exists; it is sent as 404. */
export class NoLongerThere extends Failure {
  constructor(message: string) {
    super("not_found", message);
  }
}

export const UNKNOWN_REPO = { status: 400, error: "unknown repo" } as const;

/** Those that a read is about: all, or one that was named. @throws Failure `usage` for an unknown one */
export function chosenRepos({ repos }: Pick<Scope, "repos">, id: string | undefined) {
  const chosen = repos.filter((repo) => id === undefined || repo.id === id);
  if (id !== undefined && chosen.length === 0) throw new Failure("usage", UNKNOWN_REPO.error);
  return chosen;
}

export interface ReadSources {
  readonly ports: ViewPorts;
  readonly board: BoardSources;
  readonly scope: Scope;
  readonly opener: RepoOpener;
  readonly traces: TraceIndexes;
  readonly harness: HarnessHistories;
  /** Redacts a text in the same way as every answer; for texts that are cut before they are sent. */
  discreet<T>(answer: T): T;
}

interface DashboardRead<
  Name extends string,
  Q extends QueryKind,
  S extends AnswerShape | "text/markdown",
  M extends MissingAnswer | undefined,
> {
  readonly name: Name;
  readonly about: string;
  readonly query: Q;
  readonly shape: S;
  /** Sent where `read` returns undefined. */
  readonly missing?: M;
  /** What a 409 means: `read` throws a TicketFault for what somebody must mend in the repo first. */
  readonly conflict?: string;
  read(
    sources: ReadSources,
    query: QueryOf<Q>,
  ): Promise<
    (S extends AnswerShape ? ShapeOf<S> : string) | (M extends MissingAnswer ? undefined : never)
  >;
}

export type AnyRead = DashboardRead<
  string,
  QueryKind,
  AnswerShape | "text/markdown",
  MissingAnswer | undefined
>;

export function dashboardRead<
  const Name extends string,
  const Q extends QueryKind,
  S extends AnswerShape | "text/markdown",
  const M extends MissingAnswer | undefined = undefined,
>(declaration: DashboardRead<Name, Q, S, M>): DashboardRead<Name, Q, S, M> {
  return declaration;
}
