/** The shape of one promise of the specification. */

export interface Requirement {
  /** `section:subject:promise`, the last two in kebab-case; stable once tests cite it. */
  readonly id: string;
  /** Section of the specification, such as "4.5"; the id begins with it. */
  readonly section: string;
  /** One testable sentence in the present tense. */
  readonly promise: string;
  /** What is missing in the product; present exactly while no test proves the promise. */
  readonly deferred?: string;
}
