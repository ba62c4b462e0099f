/** The histories that hints are learned on and judged on: data alone. What they name is fetched when it is used. */

interface Named {
  readonly name: string;
  readonly kind: string;
  /** Built or vendored: neither searched nor expected. */
  readonly dropped?: RegExp;
}

/** Published versions one after the other; their entries of the changelog are the words. */
export interface NpmHistory extends Named {
  readonly npm: string;
  /** The newest of these majors and older. */
  readonly upTo?: number;
}

/** Releases of Debian that hold a version each, oldest first; then the patches of the last. */
export interface DebianHistory extends Named {
  readonly debian: string;
  readonly suites: readonly string[];
}

export type HistorySource = NpmHistory | DebianHistory | (Named & { readonly own: true });

const BUILT = /^(?:dist|build|umd|docs|node_modules|components?)\//;

/** No weight was learned on these. */
export const JUDGED: readonly HistorySource[] = [
  { name: "svc", kind: "its own commits", own: true },
  { name: "cors", kind: "npm versions", npm: "cors" },
  { name: "yargs-parser", kind: "npm versions", npm: "yargs-parser" },
  { name: "devalue", kind: "npm versions", npm: "devalue", dropped: BUILT },
  {
    name: "toml",
    kind: "Debian versions and patches",
    debian: "golang-toml",
    suites: ["bookworm", "sid"],
  },
  {
    name: "cJSON",
    kind: "Debian versions and patches",
    debian: "cjson",
    suites: ["bookworm", "trixie", "sid"],
  },
  { name: "qs", kind: "npm versions", npm: "qs", dropped: BUILT },
  { name: "tape", kind: "npm versions", npm: "tape" },
  { name: "django", kind: "Debian patches", debian: "python-django", suites: ["bookworm"] },
  { name: "netty", kind: "Debian patches", debian: "netty", suites: ["bookworm"] },
  { name: "curl", kind: "Debian patches", debian: "curl", suites: ["bookworm"] },
  { name: "openssh", kind: "Debian patches", debian: "openssh", suites: ["bookworm"] },
];

/** The weights of `src/features/code_intel/weights.ts` come from these. */
export const LEARNED: readonly HistorySource[] = [
  { name: "object-inspect", kind: "npm versions", npm: "object-inspect" },
  { name: "superagent", kind: "npm versions", npm: "superagent", upTo: 3, dropped: BUILT },
  { name: "less", kind: "npm versions", npm: "less", upTo: 3, dropped: BUILT },
  { name: "stylus", kind: "npm versions", npm: "stylus" },
  { name: "eslint-plugin-react", kind: "npm versions", npm: "eslint-plugin-react", upTo: 7 },
  { name: "validator", kind: "npm versions", npm: "validator", upTo: 10 },
  { name: "vim", kind: "Debian patches", debian: "vim", suites: ["bookworm"] },
  { name: "mutter", kind: "Debian patches", debian: "mutter", suites: ["bookworm"] },
  { name: "rails", kind: "Debian patches", debian: "rails", suites: ["bookworm"] },
  { name: "exim4", kind: "Debian patches", debian: "exim4", suites: ["bookworm"] },
  { name: "grub2", kind: "Debian patches", debian: "grub2", suites: ["bookworm"] },
  { name: "python3.11", kind: "Debian patches", debian: "python3.11", suites: ["bookworm"] },
  { name: "libvirt", kind: "Debian patches", debian: "libvirt", suites: ["bookworm"] },
];
