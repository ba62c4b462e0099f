/** Everything that a person may decide about what needs them. The page and the command line offer the same list. */

interface GivenAct {
  /** Names one act: a second request under the same name does not repeat it. */
  readonly request?: string | undefined;
}

interface TicketAct extends GivenAct {
  readonly repo: string;
  readonly ticket: string;
}

interface NextJobChoice {
  /** `updated` of the ticket that the person saw; without it, the ticket as it is. */
  readonly seen?: string | undefined;
  readonly note?: string | undefined;
  readonly role?: string | undefined;
  /** `URL#name`, of a model that svc has asked before. */
  readonly model?: string | undefined;
}

export type PersonAct =
  /** What a blocked ticket waited for has happened. */
  | ({ readonly act: "unblock" } & TicketAct & NextJobChoice)
  /** Its next job begins now, with this role and model. */
  | ({ readonly act: "assign" } & TicketAct & NextJobChoice)
  /** @param commit that was seen */
  | (
    & { readonly act: "approve"; readonly commit: string; readonly note?: string | undefined }
    & TicketAct
  )
  | ({ readonly act: "send-back"; readonly commit: string; readonly note: string } & TicketAct)
  | ({ readonly act: "resume-role"; readonly repo: string; readonly role: string } & GivenAct)
  | ({ readonly act: "resume-model"; readonly repo: string; readonly lane: string } & GivenAct)
  | (
    & { readonly act: "waive-checks"; readonly repo: string; readonly note?: string | undefined }
    & GivenAct
  )
  /** Looks at once whether what is waited for has come. */
  | ({ readonly act: "recheck"; readonly repo: string } & GivenAct)
  | ({ readonly act: "undo"; readonly decision: string } & GivenAct);

export interface PersonActed {
  /** Undefined for a look, which decides nothing. */
  readonly decision: string | undefined;
  /** The same request was carried out before. */
  readonly existed: boolean;
  /** The outcome, in one sentence. */
  readonly said: string;
  /** Such as "until its next job begins"; undefined where it cannot be undone. */
  readonly undo: string | undefined;
}

/** The part of a living service that carries out what people decide. */
export interface InboxService {
  /**
   * As the person whose service it is. @throws Failure `refused` for an observer; `conflict` where somebody
   * settled it before, or it changed since it was seen; `not_found`, `usage`
   */
  decide(act: PersonAct): Promise<PersonActed>;
}
