/** The one error type: a code, a text that is safe to show, and the way out. */

/** Exit status, HTTP status (spec section 7), and the way out where a failure names none. */
export const FAILURES = {
  failed: { exit: 1, http: 500, remedy: "Mend what is named above, then run the command again" },
  not_found: { exit: 1, http: 404, remedy: "Check the name for typing errors" },
  too_busy: { exit: 1, http: 429, remedy: "Wait a moment, then try again" },
  not_offered: { exit: 1, http: 501, remedy: "Use the command line instead" },
  locked: { exit: 1, http: 503, remedy: "Set SVC_DASHBOARD_CONTROL_SECRET, then start svc again" },
  usage: { exit: 2, http: 400, remedy: "svc --help" },
  refused: { exit: 3, http: 403, remedy: "Ask for something that the profile and trust allow" },
  login_needed: { exit: 3, http: 401, remedy: "Log in again" },
  answer_needed: { exit: 4, http: 400, remedy: "Pass the answer as a flag; see svc --help" },
  environment: { exit: 5, http: 500, remedy: "Check that it exists and that you may use it" },
  conflict: { exit: 6, http: 400, remedy: "Look at the state that is named above, and settle it" },
  internal: { exit: 70, http: 500, remedy: "See the command log for the cause" },
  interrupted: { exit: 130, http: 500, remedy: "Run the command again to finish" },
} as const;

export type FailureCode = keyof typeof FAILURES;

export interface FailureDetail extends ErrorOptions {
  readonly remedy?: string;
  readonly retryAfterSecs?: number;
  /** The cause passes by itself, such as a full disk: try again later. */
  readonly waits?: boolean;
  /** A budget that jobs share is used up: a person raises it, or its day turns. */
  readonly budget?: boolean;
}

/** The message is safe to show to the user; the raw cause is for the log only. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly detail: FailureDetail;

  constructor(code: FailureCode, message: string, detail: FailureDetail = {}) {
    super(message, detail);
    this.code = code;
    this.detail = detail;
  }

  get exit(): number {
    return FAILURES[this.code].exit;
  }

  get http(): number {
    return FAILURES[this.code].http;
  }

  get remedy(): string {
    return this.detail.remedy ?? FAILURES[this.code].remedy;
  }

  /** Wraps anything thrown; never throws. */
  static from(thrown: unknown): Failure {
    if (thrown instanceof Failure) return thrown;
    return new Failure("internal", "Unexpected failure", { cause: thrown });
  }
}
