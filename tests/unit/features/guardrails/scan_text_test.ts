import { SECRET_RULE_MS, SECRET_TRIES_PER_CLOCK } from "svc/features/guardrails/scan_budget.ts";
import assert from "node:assert/strict";
import { decodeFile } from "svc/features/guardrails/decode_text.ts";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import { scanText, type SecretHit } from "svc/features/guardrails/scan_text.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

const RULES = allRules();
const draw = new Draw(42);
const GITHUB = `ghp_${draw.base62(36)}`;
const PASSWORD = `k${draw.base62(14)}7Q`;

const found = (text: string, path = "app.env"): readonly SecretHit[] =>
  scanText(text, RULES, { path }).hits;
const ids = (text: string, path?: string) => found(text, path).map(({ rule }) => rule.id);

function utf16(text: string, order: "le" | "be", mark: boolean): Uint8Array {
  const units = [...(mark ? "\ufeff" : ""), ...text].map((char) => char.charCodeAt(0));
  const view = new DataView(new ArrayBuffer(units.length * 2));
  units.forEach((unit, i) => view.setUint16(i * 2, unit, order === "le"));
  return new Uint8Array(view.buffer);
}

Deno.test("scanText gives line, column, span and value", () => {
  const text = `A=1\r\nTOKEN=${GITHUB}\r\n`;
  const [hit] = found(text);
  assert.ok(hit);
  assert.deepEqual([hit.rule.id, hit.line, hit.column, hit.secret], ["github-pat", 2, 7, GITHUB]);
  assert.equal(text.slice(hit.start, hit.end), GITHUB);
});

Deno.test("scanText counts columns in UTF-16 units behind other alphabets", () => {
  const [hit] = found(`schlüssel="😀 ${GITHUB}"`);
  assert.equal(hit?.column, `schlüssel="😀 `.length + 1);
});

Deno.test("scanText keeps offsets right over many characters of several bytes", () => {
  const line = `é漢😀 ${GITHUB} é漢😀 DB_PASSWORD=${PASSWORD}\n`;
  const hits = found(line.repeat(50));
  assert.equal(hits.length, 100);
  for (const { secret } of hits) assert.ok(secret === GITHUB || secret === PASSWORD);
  assert.equal(hits.at(-1)?.line, 50);
});

Deno.test("scanText reports one finding where several rules agree, the most telling one", () => {
  assert.deepEqual(ids(`GITHUB_TOKEN=${GITHUB}`), ["github-pat"]);
  assert.deepEqual(ids(`https://bot:${GITHUB}@git.internal/x.git`), ["github-pat"]);
});

Deno.test("scanText finds every one of several secrets on a line", () => {
  const other = `glpat-${draw.base62(20)}`;
  assert.deepEqual(ids(`${GITHUB} ${other} ${GITHUB}`), ["github-pat", "gitlab-pat", "github-pat"]);
});

Deno.test("scanText obeys svc:allow on the line and the line above, and counts it", () => {
  const same = scanText(`TOKEN=${GITHUB} # svc:allow\n`, RULES);
  assert.deepEqual([same.hits.length, same.allowed], [0, 1]);
  const above = scanText(`# svc:allow: a test account\nTOKEN=${GITHUB}\n`, RULES);
  assert.deepEqual([above.hits.length, above.allowed], [0, 1]);
  const far = scanText(`# svc:allow\n\nTOKEN=${GITHUB}\n`, RULES);
  assert.deepEqual([far.hits.length, far.allowed], [1, 0]);
  const off = scanText(`TOKEN=${GITHUB} # svc:allow\n`, RULES, { allow: false });
  assert.deepEqual([off.hits.length, off.allowed], [1, 0]);
});

Deno.test("scanText decodes base64 once, wherever the keyword stands in it", () => {
  for (const plain of [GITHUB, `=${GITHUB}`, `a=${GITHUB}`, `{"token":"${GITHUB}"}`]) {
    const encoded = btoa(plain);
    const [hit] = found(`data: ${encoded}\n`, "blob.txt");
    assert.equal(hit?.secret, GITHUB, plain.slice(0, 4));
    assert.equal(found(`data: ${btoa(btoa(plain))}\n`, "blob.txt").length, 0, "twice");
  }
  const wrapped = btoa(`some text before the token, long enough to wrap ${GITHUB} and after`)
    .match(/.{1,64}/g)!.join("\n");
  assert.equal(found(wrapped, "blob.txt")[0]?.secret, GITHUB);
});

Deno.test("scanText joins a token that is cut in two literals", () => {
  const [a, b] = [GITHUB.slice(0, 20), GITHUB.slice(20)];
  for (
    const text of [
      `const t = "${a}" + "${b}";`,
      `const t = '${a}' +\n  '${b}';`,
      `t = ("${a}"\n     "${b}")`,
      `$t = '${a}' . '${b}';`,
      `T=${a}\\\n${b}\n`,
    ]
  ) {
    const [hit] = found(text, "a.txt");
    assert.equal(hit?.secret, GITHUB, text);
    assert.equal(text.slice(hit.start, hit.start + 4), "ghp_");
    assert.equal(text.slice(hit.end - 4, hit.end), GITHUB.slice(-4));
  }
  assert.equal(found(`f("${a}", "${b}")`, "a.txt").length, 0, "two arguments are no token");
});

Deno.test("scanText takes typographic quotes for quotes", () => {
  assert.deepEqual(ids(`password = \u201c${PASSWORD}\u201d`), ["generic-password"]);
});

Deno.test("scanText reads UTF-16 with and without a mark, and Windows-1252", () => {
  const text = `DB_PASSWORD=${PASSWORD}\r\nTOKEN=${GITHUB}\r\n`;
  for (const order of ["le", "be"] as const) {
    for (const mark of [true, false]) {
      const decoded = decodeFile(utf16(text, order, mark));
      assert.equal(decoded.binary, false, `${order} ${mark}`);
      assert.equal(scanText(decoded.text, RULES).hits.length, 2, `${order} ${mark}`);
    }
  }
  const latin = new Uint8Array([...`caf\xe9 TOKEN=${GITHUB}`].map((char) => char.charCodeAt(0)));
  const [hit] = scanText(decodeFile(latin).text, RULES).hits;
  assert.deepEqual([hit?.secret, hit?.column], [GITHUB, 12]);
});

Deno.test("decodeFile takes a NUL in the first 8 KiB for a binary file, and later ones not", () => {
  assert.equal(decodeFile(new Uint8Array([80, 75, 3, 4, 0, 0, 8, 8])).binary, true);
  const late = new Uint8Array(9000).fill(97);
  late[8500] = 0;
  assert.equal(decodeFile(late).binary, false);
  assert.equal(decodeFile(new Uint8Array(0)).text.text(), "");
});

Deno.test("scanText keeps generic rules silent in lock files, maps and minified code", () => {
  const line = `{"password": "${PASSWORD}"}`;
  assert.deepEqual(ids(line, "config.json"), ["generic-password"]);
  for (const path of ["package-lock.json", "web/yarn.lock", "dist/app.min.js", "dist/app.js.map"]) {
    assert.deepEqual(ids(line, path), [], path);
    assert.deepEqual(ids(`{"x": "${GITHUB}"}`, path), ["github-pat"], path);
  }
});

Deno.test("scanText takes a bare name in program text for an expression, and a literal not", () => {
  assert.deepEqual(ids("const password = readProxyPassword2;", "a.ts"), []);
  assert.deepEqual(ids(`const password = "${PASSWORD}";`, "a.ts"), ["generic-password"]);
  assert.deepEqual(ids(`password: ${PASSWORD}`, "a.yaml"), ["generic-password"]);
});

// Lines of Debian's linux-source-6.1.
Deno.test("scanText takes constants and functions of a driver for what they are", () => {
  for (
    const line of [
      "\t.bypass_reg = AS3722_SD23_CONTROL_REG,",
      "\t.pwd = &sifive_fu540_prci_corepll_data,",
      "\twar_pass = K_SYS_REVISION_BCM1250_PASS2_2;",
      '\t{ RPC_AUTH_GSS_KRB5I, "RPC_AUTH_GSS_KRB5I" },',
      '\tSOC_ENUM("ADC 0+1 High-Pass-Filter", adau1372_hpf0_1_enum),',
      "\tauth_mode = NDIS_80211_AUTH_WPA2_PSK;",
      "\tnfp_tunnel_offloaded_macs_inc_ref_and_link(entry, netdev, mod);",
    ]
  ) assert.deepEqual(found(line, "drivers/one.c"), [], line);
  // What differs from these by its value alone is one.
  assert.equal(found(`\t.root_pwd = "${PASSWORD}",`, "drivers/one.c").length, 1);
});

Deno.test("scanText knows names and values whatever writes the pair", () => {
  const pairs: readonly (readonly [path: string, text: string])[] = [
    ["Dockerfile", `ENV DB_PASSWORD ${PASSWORD}`],
    ["app.config", `<add key="DbPassword" value="${PASSWORD}" />`],
    ["strings.xml", `<string name="db_password">${PASSWORD}</string>`],
    ["Info.plist", `<key>DbPassword</key>\n\t<string>${PASSWORD}</string>`],
    ["vars.tf", `variable "db_password" {\n  type    = string\n  default = "${PASSWORD}"\n}`],
    ["deploy.yaml", `- name: DB_PASSWORD\n  value: "${PASSWORD}"`],
    ["stack.json", `{"Name": "DB_PASSWORD", "Value": "${PASSWORD}"}`],
    ["a.yaml", `db_password: >-\n    ${PASSWORD}\n`],
    ["a.py", `os.environ["DB_PASSWORD"] = "${PASSWORD}"`],
    ["a.rb", `{ :db_password => '${PASSWORD}' }`],
    ["a.go", `dbPassword := "${PASSWORD}"`],
    ["a.rs", `const DB_PASSWORD: &str = "${PASSWORD}";`],
    ["a.java", `client.setPassword("${PASSWORD}");`],
    ["a.json", JSON.stringify({ body: JSON.stringify({ dbPassword: PASSWORD }) })],
    ["a.md", `| DB_PASSWORD | ${PASSWORD} |`],
    ["a.sh", `tool --db-password ${PASSWORD} --verbose`],
    ["a.csv", `db_password,${PASSWORD}`],
  ];
  for (const [path, text] of pairs) {
    const hits = found(text, path);
    assert.deepEqual(hits.map(({ secret }) => secret), [PASSWORD], path);
  }
});

Deno.test("scanText gives a rule up when its time is over, and says so", () => {
  const tries = SECRET_TRIES_PER_CLOCK * 12;
  const many = `${GITHUB}\n`.repeat(tries);
  let time = 0;
  // Each look at the clock costs more than a rule may take.
  const slow = scanText(many, RULES, { now: () => time += SECRET_RULE_MS + 1 });
  assert.ok(slow.timedOut.includes("github-pat"));
  assert.ok(slow.hits.length < tries);
  // One pause of the machine, however long, is no fault of the rule.
  let looks = 0;
  const paused = scanText(many, RULES, { now: () => looks++ > 3 ? 1e6 : 0 });
  assert.deepEqual([paused.timedOut, paused.hits.length], [[], tries]);
  const calm = scanText(many, RULES, { now: () => 0 });
  assert.deepEqual([calm.timedOut, calm.hits.length], [[], tries]);
});

Deno.test("scanText finds a key in each of the layouts that files give it", () => {
  const lines = ["MII" + draw.base64(61), ...Array.from({ length: 11 }, () => draw.base64(64))];
  const name = "RSA PRIVATE" + " KEY";
  const block = [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`];
  const layouts = [
    block.join("\n"),
    block.join("\r\n"),
    JSON.stringify({ private_key: block.join("\n") }),
    `key: |\n${block.map((line) => `    ${line}`).join("\n")}`,
    block.map((line) => `+${line}`).join("\n"),
    block.map((line) => `"${line}\\n"`).join(" +\n  "),
    `KEY_B64=${btoa(block.join("\n"))}`,
  ];
  for (const text of layouts) assert.deepEqual(ids(text, "x"), ["private-key"], text.slice(0, 60));
});
