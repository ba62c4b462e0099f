/** Rules on pages: broken links, pages that no page links to, doc-sync headers. */
import { folderOf, nameOf } from "svc/core/path_parts.ts";
import type { NamedLine, ScannedFile } from "svc/features/scanner/facts.ts";
import { type LinkTarget, linkTarget } from "svc/features/scanner/link_target.ts";
import { plainAnchor } from "svc/features/scanner/page_facts.ts";
import { perRepo, type RepoRule, type ScannedRepo } from "svc/features/scanner/rule.ts";
import { gonePaths } from "./paths_named.ts";

/** Settings of site builders, which resolve links and list pages in their own ways. */
export const SITE =
  /(?:^|\/)(?:mkdocs\.ya?ml|docusaurus\.config\.\w+|sidebars?\.\w+|_config\.ya?ml|antora\.ya?ml|book\.toml|conf\.py|hugo\.\w+|astro\.config\.\w+|\.vitepress\/.*|_sidebar\.md|SUMMARY\.md|zensical\.toml)$/;
export const RECORD =
  /(?:^|\/)(?:changelog|changes|history|news|releases?|release[_-]notes|migrat\w*|upgrad\w*)[^/]*$|(?:^|\/)(?:decisions|adrs?|rfcs?|proposals|changelogs?|releases|archive|plans)\//i;

const hasSite = perRepo((repo) => [...repo.files.keys()].some((path) => SITE.test(path)));

/** An address of the site that is built, such as `../guide/install`: no file has that name. */
const isRoute = (target: string) => !/\.\w+$/.test(target.split(/[?#]/, 1)[0]!.replace(/\/$/, ""));

function isOwnPage(repo: ScannedRepo, path: string, facts: ScannedFile): boolean {
  const { page, foreign, sample, test, ticket } = repo.pathFacts(path);
  return page && !foreign && !sample && !test && !ticket && facts.noText === undefined;
}

/** By the record of the link or span itself, which is one page's. */
const aims = perRepo(() => new Map<NamedLine, LinkTarget>());

function aimOf(repo: ScannedRepo, page: string, link: NamedLine): LinkTarget {
  const known = aims(repo);
  let aim = known.get(link);
  if (aim === undefined) {
    aim = linkTarget((path) => repo.has(path), page, link[0]);
    known.set(link, aim);
  }
  return aim;
}

export const docsLinkBroken: RepoRule = {
  id: "docs-link-broken",
  severity: "medium",
  type: "docs",
  about: "Broken links in docs",
  why: "Readers and agents who follow the page end nowhere.",
  fix: "Point the link at where the file is now, or remove it",
  scope: "repo",
  examples: {
    bad: [
      { files: { "README.md": "See [the guide](docs/guide.md).\n" } },
      { files: { "README.md": "See [the guide](docs/guide).\n" } },
      { files: { "README.md": "See [the guide](docs/guide.md).\n", "mkdocs.yml": "" } },
    ],
    good: [{
      files: {
        "README.md": "See [the guide](docs/guide.md), [issues](../../issues) and `[x](y.md)`.\n",
        "docs/guide.md":
          "# Guide\n\n[up](..) [home](../README.md?plain=1) [web](https://example.org)\n",
      },
    }, {
      files: {
        "mkdocs.yml": "",
        "docs/async.md": "[a](../advanced/transports#http) [b](templates/introduction/)\n",
        "docs/advanced/transports.md": "# Transports\n",
      },
    }],
  },
  *check(repo) {
    for (const [path, facts] of repo.files) {
      if (facts.links === undefined || !isOwnPage(repo, path, facts)) continue;
      for (const link of facts.links) {
        const [target, line] = link;
        const { file, outside } = aimOf(repo, path, link);
        if (file !== undefined || outside || hasSite(repo) && isRoute(target)) continue;
        yield { path, line, title: `The link to "${target}" leads nowhere`, key: target };
      }
    }
  },
};

export const docsAnchorBroken: RepoRule = {
  id: "docs-anchor-broken",
  severity: "low",
  type: "docs",
  about: "Links to headings that are gone",
  why: "The link opens the page at its top, and the reader has to search.",
  fix: "Name the heading as it is now",
  scope: "repo",
  examples: {
    bad: [{ files: { "README.md": "See [set-up](a.md#set-up).\n", "a.md": "# Install\n" } }],
    good: [{
      files: {
        "README.md": "See [set-up](a.md#set-up) and [here](#the-end).\n\n## The End\n",
        "a.md": "Set up\n------\n",
      },
    }],
  },
  *check(repo) {
    if (hasSite(repo)) return;
    for (const [path, facts] of repo.files) {
      if (facts.links === undefined || !isOwnPage(repo, path, facts)) continue;
      for (const link of facts.links) {
        const [target, line] = link;
        const { file, anchor } = aimOf(repo, path, link);
        const anchors = repo.files.get(file ?? "")?.anchors;
        if (anchor === "" || !/\.(?:md|markdown)$/i.test(file ?? "")) continue;
        if (/^(?:top$|user-content-|L\d)/.test(anchor)) continue;
        if (anchors?.includes(plainAnchor(anchor))) continue;
        yield { path, line, title: `The link to "${target}" names no heading there`, key: target };
      }
    }
  },
};

export const docsPathGone: RepoRule = {
  id: "docs-path-gone",
  severity: "low",
  type: "docs",
  about: "Docs name files that are gone",
  why: "A page that describes what is no longer there is worse than none.",
  fix: "Bring the page up to date, or remove it",
  scope: "repo",
  examples: {
    bad: [{ files: { "docs/a.md": "The parser is `src/parse.ts`.\n", "src/a.ts": "" } }],
    good: [{
      files: {
        "docs/a.md": "The parser is `src/a.ts`; it writes `dist/a.js` and reads `text/html`.\n",
        "docs/b.md":
          "See `src/a.ts`. Tables are made by `src/NNNN_name.ts`, days are `src/YYYY-MM-DD.md`.\n",
        "src/a.ts": "",
        "CHANGELOG.md": "Removed `src/old.ts`.\n",
      },
    }],
  },
  *check(repo) {
    for (const [path, facts] of repo.files) {
      if (facts.spans === undefined || RECORD.test(path) || nameOf(path) === "AGENTS.md") continue;
      // Other pages are often data, such as prompts that describe other repos.
      const describes = !path.includes("/") || /^docs?\/|(?:^|\/)readme\./i.test(path);
      if (describes && isOwnPage(repo, path, facts)) yield* gonePaths(repo, path, facts);
    }
  },
};

const MANY = 5;

export const docsDead: RepoRule = {
  id: "docs-dead",
  severity: "low",
  type: "docs",
  about: "Pages that nothing leads to",
  why: "Nobody finds the page, so nobody notices when it becomes wrong.",
  fix: "Link it from a page that is read, or delete it",
  scope: "repo",
  examples: {
    bad: [{ files: { "README.md": "Hello.\n", "docs/old.md": "# Old\n" } }],
    good: [
      { files: { "README.md": "[docs](docs)\n", "docs/a.md": "# A\n" } },
      { files: { "README.md": "[a](docs/a.md)\n", "docs/a.md": "# A\n" } },
      { files: { "README.md": "Hello.\n", "docs/a.md": "# A\n", "mkdocs.yml": "site_name: x\n" } },
    ],
  },
  *check(repo) {
    if (hasSite(repo)) return;
    const reached = new Set<string>();
    for (const [path, { links, spans }] of repo.files) {
      for (const link of [...links ?? [], ...spans ?? []]) {
        reached.add(link[0].replace(/^\.\/|\/$/g, ""));
        const { file } = aimOf(repo, path, link);
        if (file !== undefined && file !== path) reached.add(file);
      }
    }
    const pages = [...repo.files].filter(([path, facts]) =>
      /^docs?\/.*\.(?:md|markdown)$/i.test(path) && isOwnPage(repo, path, facts) &&
      !facts.generated && !/^(?:readme|index)\./i.test(nameOf(path)) && !RECORD.test(path)
    ).map(([path]) => path);
    const dead = pages.filter((path) => {
      const parts = path.split("/");
      return !parts.some((_, at) => reached.has(parts.slice(0, at + 1).join("/")));
    });
    // When nothing links to most pages, some program unknown to svc probably lists them.
    if (dead.length >= MANY && dead.length * 2 > pages.length) return;
    for (const path of dead) yield { path, title: "No page leads here", key: path };
  },
};

export const docsyncMissing: RepoRule = {
  id: "docsync-header-missing",
  severity: "low",
  type: "docs",
  about: "No doc-sync header, where its neighbours have one",
  why: "The audit cannot tell which pages go stale when the file changes.",
  fix: "Add the header its neighbours have, naming the pages that describe the file",
  scope: "repo",
  examples: {
    bad: [{
      files: {
        "src/a.ts": "// doc-sync: docs/a.md\n",
        "src/b.ts": "// doc-sync: docs/b.md\n",
        "src/c.ts": "export {};\n",
      },
    }],
    good: [
      { files: { "src/a.ts": "// doc-sync: docs/a.md\n", "src/b.ts": "", "src/c.ts": "" } },
      { files: { "src/a.ts": "// doc-sync: docs/a.md\n", "src/b.ts": "// doc-sync: docs/b.md\n" } },
    ],
  },
  *check(repo) {
    if (repo.files.values().filter(({ docSync }) => docSync).take(2).toArray().length < 2) return;
    const groups = new Map<string, { have: number; lack: string[] }>();
    for (const [path, facts] of repo.files) {
      const { test, sample, foreign, ticket, language } = repo.pathFacts(path);
      if (facts.noText || facts.generated || test || sample || foreign || ticket || !language) {
        continue;
      }
      const kind = `${folderOf(path)}\0${language}`;
      const group = groups.get(kind) ?? { have: 0, lack: [] };
      groups.set(kind, group);
      if (facts.docSync) group.have++;
      else group.lack.push(path);
    }
    for (const { have, lack } of groups.values()) {
      if (have < 2 || have < lack.length) continue;
      for (const path of lack) yield { path, title: "The file has no doc-sync header", key: path };
    }
  },
};
