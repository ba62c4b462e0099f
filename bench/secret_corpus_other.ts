/** A second corpus by other means: other spellings of the formats, and the file types the first leaves out. */
import type { Case } from "./secret_corpus.ts";
import { Dice } from "./secret_dice.ts";
import { drawn, parseShapes } from "./secret_other_formats.ts";

type Writer = (name: string, value: string, dice: Dice) => string;

const upper = (name: string) => name.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
const xml = (text: string) => text.replaceAll("&", "&amp;");

/** Every way to write a pair that the six first contexts do not have; `path` decides what a scanner assumes. */
const WRITERS: readonly (readonly [path: string, write: Writer])[] = [
  [
    "main.tf",
    (n, v) =>
      `resource "kubernetes_secret" "app" {\n  data = {\n    ${upper(n)} = "${v}"\n  }\n}\n`,
  ],
  ["variables.tf", (n, v) => `variable "${n}" {\n  type    = string\n  default = "${v}"\n}\n`],
  ["terraform.tfvars", (n, v) => `region = "eu-1"\n${n} = "${v}"\n`],
  ["Dockerfile", (n, v) => `FROM node:24\nENV ${upper(n)}=${v}\nRUN npm ci\n`],
  ["Dockerfile", (n, v) => `FROM node:24\nENV ${upper(n)} ${v}\nRUN npm ci\n`],
  [
    "application.properties",
    (n, v) => `server.port=8080\n${n.toLowerCase()}=${v}\nlogging.level=INFO\n`,
  ],
  [
    "app.config",
    (n, v) =>
      `<configuration>\n  <appSettings>\n    <add key="${n}" value="${
        xml(v)
      }" />\n  </appSettings>\n</configuration>\n`,
  ],
  [
    "settings.xml",
    (n, v) => `<settings><${n.replace(/\W/g, "")}>${xml(v)}</${n.replace(/\W/g, "")}></settings>\n`,
  ],
  [
    "strings.xml",
    (n, v) => `<resources>\n  <string name="${n}">${xml(v)}</string>\n</resources>\n`,
  ],
  ["Info.plist", (n, v) => `<dict>\n  <key>${n}</key>\n  <string>${xml(v)}</string>\n</dict>\n`],
  ["deploy.sh", (n, v) => `cat > app.env <<EOF\n${upper(n)}=${v}\nEOF\n`],
  ["run.sh", (n, v) => `#!/bin/sh\nset -eu\n${upper(n)}='${v}' ./server --port 80\n`],
  ["settings.py", (n, v) => `CONFIG = {\n    "${n}": "${v}",\n    "debug": False,\n}\n`],
  ["client.py", (n, v) => `os.environ["${upper(n)}"] = '${v}'\n`],
  ["conf.py", (n, v) => `${upper(n)} = os.environ.get("${upper(n)}", "${v}")\n`],
  [
    "secret.yaml",
    (n, v) => `apiVersion: v1\nkind: Secret\nstringData:\n  ${n.replace(/\W/g, "-")}: ${v}\n`,
  ],
  ["deployment.yaml", (n, v) => `env:\n  - name: ${upper(n)}\n    value: "${v}"\n`],
  [
    "cloudformation.json",
    (n, v) => `{"Environment": [{"Name": "${upper(n)}", "Value": ${JSON.stringify(v)}}]}\n`,
  ],
  ["config.ini", (n, v) => `[auth]\n${n} = ${v}\ntimeout = 30\n`],
  ["config.toml", (n, v) => `[auth]\n${n.replace(/\W/g, "_")} = "${v}"\n`],
  ["accounts.csv", (n, v) => `service,name,value\nbilling,${n},${v}\n`],
  ["table.md", (n, v) => `| Variable | Value |\n| --- | --- |\n| ${upper(n)} | ${v} |\n`],
  ["table.md", (n, v) => `| Variable | Value |\n|---|---|\n| \`${upper(n)}\` | \`${v}\` |\n`],
  ["min.json", (n, v) => `{"a":1,"${n}":${JSON.stringify(v)},"b":[true,null]}`],
  ["app.js", (n, v) => `// old: ${n} = "${v}"\nmodule.exports = {};\n`],
  ["app.py", (n, v) => `# ${n}: ${v}\nimport os\n`],
  ["main.go", (n, v) => `const ${n.replace(/\W/g, "")} = "${v}"\n\nfunc main() {}\n`],
  ["Main.java", (n, v) => `private static final String ${upper(n)} = "${v}";\n`],
  [
    "config.rb",
    (n, v) => `ENV["${upper(n)}"] ||= "${v}"\n`,
  ],
  ["hash.rb", (n, v) => `{ :${n.replace(/\W/g, "_")} => '${v}' }\n`],
  ["config.php", (n, v) => `<?php\n$cfg['${n}'] = '${v}';\n`],
  [
    "Program.cs",
    (n, v) => `var settings = new Dictionary<string, string> { ["${n}"] = "${v}" };\n`,
  ],
  ["lib.rs", (n, v) => `const ${upper(n)}: &str = "${v}";\n`],
  ["build.gradle.kts", (n, v) => `buildConfigField("String", "${upper(n)}", "\\"${v}\\"")\n`],
  [
    "requests.http",
    (n, v) => `POST https://api.internal/v1\n${n}: ${v}\nContent-Type: application/json\n`,
  ],
  ["call.sh", (n, v) => `curl -s https://api.internal -H "${n}: ${v}"\n`],
  ["log.txt", (n, v) => `2026-01-02T03:04:05Z INFO start ${n}=${v} pid=17\n`],
  ["dump.json", (n, v) => JSON.stringify({ body: JSON.stringify({ [n]: v }) }) + "\n"],
  ["nginx.conf", (n, v) => `location / {\n  set $${n.replace(/\W/g, "_")} "${v}";\n}\n`],
  ["notebook.ipynb", (n, v) => JSON.stringify({ cells: [{ source: [`${n} = "${v}"\n`] }] }) + "\n"],
  ["playbook.yml", (n, v) => `vars:\n  ${n.replace(/\W/g, "_")}: >-\n    ${v}\n`],
];

/** Names and values no vendor tells: generic secrets as other people name them. */
const LOOSE: readonly (readonly [names: string, shape: string])[] = [
  ["db_password", "{62:14}7"],
  ["mysql_root_password", "{62:9}!{62:6}3"],
  ["smtp.password", "{A:6}{d:3}#{62:5}"],
  ["rabbitmq_pass", "{l:18}9"],
  ["adminPassword", "{62:20}4"],
  ["keystore_password", "{62:16}1"],
  ["api_key", "{h:32}"],
  ["internal_api_key", "{62:31}8"],
  ["x-api-key", "{62:39}2"],
  ["client_secret", "{62:31}5"],
  ["jwt_secret", "{62:47}6"],
  ["session_secret", "{h:64}"],
  ["encryption_key", "{s:43}="],
  ["access_token", "{62:39}3"],
  ["auth_token", "{h:40}"],
  ["service_token", "{w:42}a7"],
  ["signing_secret", "{h:32}"],
  ["secret_key_base", "{h:128}"],
  ["refresh_token", "{62:63}9"],
  ["private_token", "{62:19}3"],
  ["webhook_secret", "{62:24}1"],
  ["storage_access_key", "{62:40}"],
];

/** `each` values of every shape, each in a writer of its own turn. */
export function otherPositives(seed: number, each: number): Case[] {
  const dice = new Dice(seed * 7 + 11);
  const cases: Case[] = [];
  let turn = 0;
  const plant = (format: string, kind: Case["kind"], name: string, value: string) => {
    const [path, write] = WRITERS[turn++ % WRITERS.length]!;
    const text = `${write(name, value, dice)}`;
    for (const spelled of [value, JSON.stringify(value).slice(1, -1), xml(value)]) {
      const start = text.indexOf(spelled);
      if (start < 0) continue;
      cases.push({ format, kind, context: path, path, text, start, end: start + spelled.length });
      return;
    }
  };
  for (let i = 0; i < each; i++) {
    for (const { id, names, needsName, shape } of parseShapes()) {
      const name = needsName || dice.int(2) === 0
        ? dice.one(names)
        : dice.one(["value", "x1", "setting", "param"]);
      plant(id, "structured", name, drawn(dice, shape));
    }
    for (const [name, shape] of LOOSE) {
      plant(`generic ${name}`, "generic", name, drawn(dice, shape));
    }
  }
  return cases;
}
