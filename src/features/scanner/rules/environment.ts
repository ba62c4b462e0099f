/** The rule on environment variables that the code reads and no page documents. */
import type { RepoRule } from "svc/features/scanner/rule.ts";

const KNOWN =
  /^(?:PATH|HOME|USER|USERNAME|LOGNAME|SHELL|PWD|OLDPWD|LANG|LC_\w+|TZ|TERM\w*|TMPDIR|TEMP|TMP|EDITOR|VISUAL|PAGER|HOSTNAME|DISPLAY|COLUMNS|LINES|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLOR|MSYSTEM|ACTIONS_\w+|ARCHFLAGS|POSIXLY_CORRECT|PIP_\w+|CI|DEBUG|PORT|HOST|NODE_\w+|NPM_\w+|PYTHON\w*|VIRTUAL_ENV|CONDA_\w+|GO[A-Z]+|CGO_\w+|CARGO\w*|RUST\w*|OUT_DIR|TARGET|PROFILE|JAVA_HOME|XDG_\w+|APPDATA|LOCALAPPDATA|PROGRAMFILES\w*|PROGRAMDATA|USERPROFILE|HOMEDRIVE|HOMEPATH|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|HTTPS?_PROXY|NO_PROXY|ALL_PROXY|SSH_\w+|GIT_\w+|GITHUB_\w+|GITLAB_\w+|RUNNER_\w+|CIRCLE\w*|TRAVIS\w*|BUILDKITE\w*|JENKINS\w*|TEAMCITY\w*|APPVEYOR\w*|DENO_\w+|BUN_\w+|KUBERNETES_\w+|AWS_\w+|GOOGLE_\w+|AZURE_\w+|WSL_\w+|SUDO_\w+|INVOCATION_ID|JOURNAL_STREAM|NOTIFY_SOCKET|LISTEN_\w+|DEV|PROD|MODE|SSR|BASE_URL|VITEST\w*|JEST_\w+|PYTEST_\w+|VERCEL\w*|NETLIFY\w*|RAILS_ENV|RACK_ENV|BUNDLE_\w+|MAKE\w*|CC|CXX|CFLAGS|LD_\w+|DYLD_\w+|NIX_\w+|PROMPT\w*|PS1|ZDOTDIR|BASH\w*|FISH\w*|ZSH\w*)$/;

export const environmentUndocumented: RepoRule = {
  id: "env-undocumented",
  severity: "low",
  type: "docs",
  about: "Environment variables that no page names",
  why: "Whoever installs it learns of the setting from the code, or from the failure.",
  fix: "Name it in the README or in .env.example, with what it does and its default",
  scope: "repo",
  examples: {
    bad: [{
      files: {
        "README.md": "A.\n",
        "src/a.ts": 'const key = process.env.STRIPE_MODE ?? "test";\n',
      },
    }],
    good: [
      {
        files: {
          "README.md": "`STRIPE_MODE` is test or live.\n",
          "src/a.ts": "const key = process.env.STRIPE_MODE;\n",
        },
      },
      { files: { "src/a.py": 'import os\nhome = os.environ["HOME"]\n' } },
      { files: { "tests/a_test.py": 'import os\nx = os.getenv("ONLY_IN_TESTS")\n' } },
    ],
  },
  *check(repo) {
    const spoken = new Set<string>();
    for (const facts of repo.files.values()) {
      for (const name of facts.spoken ?? []) spoken.add(name);
    }
    const seen = new Set<string>();
    for (const [path, { environment }] of repo.files) {
      for (const [name, line] of environment ?? []) {
        if (seen.has(name) || spoken.has(name) || KNOWN.test(name)) continue;
        seen.add(name);
        yield { path, line, title: `"${name}" is documented nowhere`, key: name };
      }
    }
  },
};
