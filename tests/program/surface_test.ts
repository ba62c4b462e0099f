/** Every command, alias and flag of the table in section 4.5 of the specification, asked of the program. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const UPDATE_TOOL = "version install-dir source dry-run json";
const UPDATE_HARNESS = "repo";
const EJECT = "repo db apply confirm keep-db delete-shared-db";
const PROFILE = "execution-profile acknowledge-host-execution";
const TELEMETRY = "repo db";

/** Flags without their dashes, as the specification names them. */
const SURFACE: Readonly<Record<string, string>> = {
  "setup": "skip-download download skip-github github test-mode dry-run install-dir inference " +
    "local-bundle yes json plain",
  "path setup": "install-dir shell dry-run json",
  "auth github check": "config json",
  "auth github setup": "config token json",
  "auth github clear-local": "config json",
  "update check": "repo latest-release-url skip-remote json",
  "update tool": UPDATE_TOOL,
  "update binary": UPDATE_TOOL,
  "update cli": UPDATE_TOOL,
  "init": "repo force model-routing local-bundle cloud-provider cloud-model cloud-endpoint " +
    "api-key-env yes json plain",
  "update harness": UPDATE_HARNESS,
  "update target": UPDATE_HARNESS,
  "update bundle": UPDATE_HARNESS,
  "upgrade": UPDATE_HARNESS,
  "scan": "repo tickets",
  "eject": EJECT,
  "uninstall": EJECT,
  "kill-switch": EJECT,
  "run":
    `repo model-endpoint trace debug log-file dry-run no-init code-intel budget max-turns ${PROFILE}`,
  "start":
    "repo concurrency db force new-lifecycle debug log-file code-intel model-endpoint addr " +
    `dashboard-addr dashboard-trusted-origin yes json plain ${PROFILE}`,
  "register": "repo remote branch db",
  "serve": `addr concurrency db debug log-file code-intel ${PROFILE}`,
  "doctor": "repo db config skip-remote json",
  "checks run": "repo name role db",
  "guardrails secret-scan": "repo staged json",
  "guardrails install-hooks": "repo json",
  "completion": "no-descriptions",
  "models eligible": "json",
  "models list": "provider",
  "models evaluate": "endpoint model provider api-key-env repo report-dir save-report revision " +
    "sha256 source cloud timeout json",
  "models override": "repo tier role provider endpoint model",
  "models credentials write-local-env": "repo api-key-env yes json",
  "tools list": "json",
  "tools run": "repo args-json",
  "mcp serve": "repo trust",
  "scores": "repo db",
  "scores export": "repo db window-days create-intervention-debt",
  "trust": "repo db",
  "trust set": "reason",
  "telemetry status": TELEMETRY,
  "telemetry preview": TELEMETRY,
  "telemetry send": TELEMETRY,
  "telemetry export": "anonymous",
  "telemetry collect": "addr storage db",
  "telemetry triage-foundation": "repo db window-days",
  "code-intel metrics": "repo db window-days json",
  "code-intel benchmark":
    "case trials changed-paths expected-files expected-tests expected-docs report",
  "release notes": "repo bump dry-run",
  "release backfill-notes": "repo check dry-run min-version max-version",
  "docsync audit": "",
  "validation agent-smoke": "",
  "version": "",
};

verifies(
  "1:surface:every-command-known",
  "each command and alias of the specification has help, which names its flags",
  async () => {
    await using home = await tempFolder();
    const [program, ...before] = svcCommand();
    const helpOf = async (name: string): Promise<string> => {
      const { code, stdout, stderr } = await new Deno.Command(program, {
        args: [...before, ...name.split(" "), "--help"],
        cwd: home.path,
        env: { HOME: home.path, SVC_HOME: `${home.path}/.svc` },
      }).output();
      assert.equal(code, 0, `${name}: ${new TextDecoder().decode(stderr)}`);
      return new TextDecoder().decode(stdout);
    };
    for (const [name, flags] of Object.entries(SURFACE)) {
      const help = await helpOf(name);
      for (const flag of flags.split(" ").filter((word) => word !== "")) {
        assert.match(help, new RegExp(`^ +(?:-\\w, )?--${flag}\\b(?!-)`, "m"), `${name} --${flag}`);
      }
    }
  },
);
