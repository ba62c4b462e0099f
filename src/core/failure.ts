/** The one error type: a code, a text that is safe to show, and the way out. */

/**
 * The ways svc can fail, each with the exit status of the command line (domain.md section 11) and
 * the HTTP status of the control surface (spec section 7).
 */
export const FAILURES = {
  failed: { exit: 1, http: 500 },
  not_found: { exit: 1, http: 404 },
  too_busy: { exit: 1, http: 429 },
  not_offered: { exit: 1, http: 501 },
  locked: { exit: 1, http: 503 },
  usage: { exit: 2, http: 400 },
  refused: { exit: 3, http: 403 },
  login_needed: { exit: 3, http: 401 },
  answer_needed: { exit: 4, http: 400 },
  environment: { exit: 5, http: 500 },
  conflict: { exit: 6, http: 400 },
  internal: { exit: 70, http: 500 },
  interrupted: { exit: 130, http: 500 },
} as const;

export type FailureCode = keyof typeof FAILURES;

export interface FailureDetail extends ErrorOptions {
  /** The next thing the user can do, as a sentence or a command line. */
  readonly remedy?: string;
  readonly retryAfterSecs?: number;
}

/** A failure whose text is safe to show to the user; the raw cause is for the log only. */
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

  /** Wraps anything thrown; never throws. */
  static from(thrown: unknown): Failure {
    if (thrown instanceof Failure) return thrown;
    return new Failure("internal", "Unexpected failure", { cause: thrown });
  }
}
