/** Findings in the ten npm packages of the bench that a person looked at, each with what it is. */

export interface Reviewed {
  readonly rule: string;
  /** Below `node_modules`. */
  readonly path: string;
  readonly count: number;
  readonly reason: string;
}

export const REVIEWED: readonly Reviewed[] = [
  {
    rule: "generic-secret",
    path: "@aws-sdk/nested-clients/dist-types/submodules/sso-oidc/commands/CreateTokenCommand.d.ts",
    count: 2,
    reason: "a sample client secret of the vendor's documentation, drawn but invented",
  },
  {
    rule: "generic-token",
    path: "enhanced-resolve/README.md",
    count: 1,
    reason: "a real token in the address of a coverage badge, made public on purpose",
  },
];
