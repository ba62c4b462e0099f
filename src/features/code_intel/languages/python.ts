/** Python. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language, NOWHERE } from "svc/features/code_intel/language.ts";

/** A module is a file or a package (docs.python.org/3/reference/import.html). */
const spellings = (base: string) => [`${base}.py`, `${base}.pyi`, `${base}/__init__.py`];

/** What comes with Python 3 (sys.stdlib_module_names), without `test`: a project's own modules are often called alike. */
const STANDARD: ReadonlySet<string> = new Set(
  ("abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii " +
    "bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop " +
    "collections colorsys compileall concurrent configparser contextlib contextvars copy " +
    "copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils " +
    "doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput " +
    "fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib " +
    "grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress " +
    "itertools json keyword linecache locale logging lzma mailbox mailcap marshal math " +
    "mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath " +
    "nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle " +
    "pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats " +
    "pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline " +
    "reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil " +
    "signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile " +
    "sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau " +
    "symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap " +
    "threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty " +
    "turtle types typing unicodedata unittest urllib uu uuid venv warnings wave weakref " +
    "webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib " +
    "zoneinfo")
    .split(" "),
);

export const python: Language = {
  name: "Python",
  grammar: "python",
  files: [".py", ".pyi"],
  definitions: `
(class_definition body: (block (function_definition name: (_) @name) @method))
(class_definition body: (block (decorated_definition (function_definition name: (_) @name) @method)))
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name) @constant))
(type_alias_statement . (type (identifier) @name)) @type
`,
  imports: `
(import_from_statement module_name: (_) @from name: (dotted_name) @member)
(import_from_statement module_name: (_) @from name: (aliased_import name: (_) @member))
(import_from_statement module_name: (_) @from (wildcard_import))
(import_statement name: (dotted_name) @from)
(import_statement name: (aliased_import name: (_) @from))
`,
  importNodes: ["import_statement", "import_from_statement", "future_import_statement"],
  targets(from, specifier, member) {
    const [dots = ""] = /^\.*/.exec(specifier)!;
    const module = specifier.slice(dots.length).replaceAll(".", "/");
    const within = (base: string) => [
      ...(member === undefined ? [] : spellings(base === "" ? member : `${base}/${member}`)),
      ...(base === "" ? [] : spellings(base)),
    ];
    if (dots !== "") {
      const base = joinPath(folderPrefix(from), `${"../".repeat(dots.length - 1)}${module}`);
      return base === undefined ? NOWHERE : { exact: within(base), ends: [] };
    }
    // In a package such a name is never the file beside it, as `import typing` in flask/ is not.
    if (STANDARD.has(specifier.split(".", 1)[0]!)) {
      const roots = module.includes("/") ? ["", "src/"] : [];
      return { exact: roots.flatMap((folder) => within(folder + module)), ends: [] };
    }
    const beside = [folderPrefix(from), "", "src/"].flatMap((folder) => within(folder + module));
    return { exact: beside, ends: within(module).filter((path) => path.includes("/")) };
  },
};
