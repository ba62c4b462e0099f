/** Ruby. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language, NOWHERE } from "svc/features/code_intel/language.ts";

/** What comes with Ruby (docs.ruby-lang.org/en/master/standard_library_rdoc.html); files of a gem are often called alike. */
const STANDARD: ReadonlySet<string> = new Set(
  ("English abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate did_you_mean digest " +
    "drb erb etc fcntl fiddle fileutils find forwardable getoptlong io/console ipaddr irb json logger matrix " +
    "minitest monitor net/http net/imap net/smtp nkf objspace observer open-uri open3 openssl optparse " +
    "ostruct pathname pp prettyprint prime pstore psych pty racc rake rbconfig rdoc readline reline resolv " +
    "rexml ripper rss ruby2_keywords rubygems securerandom set shellwords singleton socket stringio strscan " +
    "syslog tempfile test/unit time timeout tmpdir tracer tsort un unicode_normalize uri weakref yaml zlib")
    .split(" "),
);

export const ruby: Language = {
  name: "Ruby",
  grammar: "ruby",
  files: [".rb", ".rake", "rakefile", "gemfile"],
  definitions: `
(class (body_statement (method name: (_) @name) @method))
(module (body_statement (method name: (_) @name) @method))
(singleton_class (body_statement (method name: (_) @name) @method))
(singleton_method name: (_) @name) @method
(method name: (_) @name) @function
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
`,
  imports: `
(call method: (identifier) @call arguments: (argument_list . (string) @from)
  (#any-of? @call "require" "require_relative" "load"))
`,
  importNodes: [],
  targets(from, specifier, _member, call) {
    const file = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
    const joined = joinPath(folderPrefix(from), file);
    const beside = joined === undefined ? [] : [joined];
    if (call === "require_relative") return { exact: beside, ends: [] };
    if (STANDARD.has(specifier)) return NOWHERE;
    // Test runners add their folder to the path where `require` looks.
    const folders = ["lib", "app", "test", "spec"].map((folder) => `${folder}/${file}`);
    return {
      exact: [...folders, ...beside],
      ends: file.startsWith(".") ? [] : [`lib/${file}`, ...(file.includes("/") ? [file] : [])],
    };
  },
};
