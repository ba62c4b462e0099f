/**
 * The pages as the service sends them: a frame that can be read before, and without, the program. It is
 * painted with `first.css` alone: a stylesheet in the body holds up only what stands after it.
 */

interface Shell {
  readonly title: string;
  /** What it shows. */
  readonly about: string;
  /** Commands that say the same without a browser; undefined for a page that needs no program. */
  readonly instead?: readonly string[];
}

const SHELLS: Readonly<Record<string, Shell>> = {
  pipeline: {
    title: "Pipeline Flow",
    about: "What needs you, what is broken, what works and waits, and how roles follow each other.",
    instead: ["svc tickets list", "svc trust", "svc scores"],
  },
  tickets: {
    title: "Tickets",
    about:
      "All tickets: where they stand, what they ask, and the way to find, write and move them.",
    instead: ["svc tickets list", "svc tickets new --title '…'"],
  },
  orchestration: {
    title: "Orchestration",
    about: "How work is dispatched, how roles are joined, what was decided and why.",
    instead: ["svc explain", "svc tickets list"],
  },
  roles: {
    title: "Role Health",
    about: "How well each role does, how sure that is, and how far it is trusted.",
    instead: ["svc scores", "svc trust"],
  },
  throughput: {
    title: "Throughput",
    about: "What is done an hour, how long it takes, and what it costs.",
    instead: ["svc scores --json", "svc tickets list --json"],
  },
  debug: {
    title: "Debug",
    about: "What happened: events, jobs with their traces, webhooks, errors.",
    instead: ["svc doctor", "svc explain"],
  },
  evolution: {
    title: "Evolution History",
    about: "What changed about the agents, and which failures return.",
    instead: ["svc trust", "git log .harness"],
  },
  job: {
    title: "Job",
    about: "One job: its turns, what it changed, its checks, and why it ran.",
    instead: ["svc tickets list", "git branch --list 'svc/*'"],
  },
  ticket: {
    title: "Ticket",
    about: "One ticket: what it asks, where it stands, what was done for it.",
    instead: ["svc tickets show T-0001"],
  },
  lost: {
    title: "No such page",
    about: "Nothing is at this address. Choose one of the pages of svc.",
  },
  login: {
    title: "Log in",
    about: "What the agents do and the controls are for people who know the control secret.",
    instead: ["svc tickets list"],
  },
};

const NAV = ["pipeline", "tickets", "orchestration", "roles", "throughput", "debug", "evolution"];
const NAV_NAMES: Readonly<Record<string, string>> = {
  pipeline: "Pipeline",
  roles: "Roles",
  evolution: "Evolution",
};

/** What the dashboard's script and styles need: the flag v of patterns, `light-dark()`, `:has()` (caniuse.com). */
const BROWSERS = "Chrome or Edge 123, Firefox 121, Safari 17.5";

/** The program takes the place of all this as soon as it runs. */
const withoutScript = (instead: readonly string[]) => `
        <p class="late">
          Nothing has come for ten seconds. This page needs ${BROWSERS} or newer, and a service that
          answers. In a terminal: <code>${instead[0]}</code>
        </p>
        <noscript>
          <div class="shell">
            <p>
              This page follows a living service and needs JavaScript for it. Turn it on for this
              address and load the page again; the program comes from this service alone.
            </p>
            <p>In a terminal, without a browser:</p>
            <pre class="command">${instead.join("\n")}</pre>
          </div>
        </noscript>`;

function shellOf(page: string, { title, about, instead }: Shell): string {
  const links = NAV.map((name) => {
    const here = name === page ? ' aria-current="page"' : "";
    const text = NAV_NAMES[name] ?? SHELLS[name]!.title;
    return `          <a href="/${name}"${here}><span>${text}</span></a>`;
  });
  // Behind a reverse proxy nothing else is there without a session.
  const files = page === "login" || page === "lost" ? "/login" : "/assets";
  const script = instead && `\n    <script type="module" src="${files}/app.js"></script>`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title} · svc</title>
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="${files}/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${files}/first.css">${script ?? ""}
  </head>
  <body>
    <div id="app">
      <header class="top">
        <a class="brand" href="/pipeline">svc</a>
        <nav class="nav" aria-label="Pages">
${links.join("\n")}
        </nav>
      </header>
      <main id="main">
        <h1>${title}</h1>
        <p class="lead">${about}</p>${instead === undefined ? "" : withoutScript(instead)}
      </main>
    </div>
    <link rel="stylesheet" href="${files}/app.css">
  </body>
</html>
`;
}

/** Paths below `assets/dashboard/` with their texts. */
export function dashboardShells(): { readonly path: string; readonly text: string }[] {
  return Object.entries(SHELLS).map(([page, shell]) => ({
    path: `${page}.html`,
    text: shellOf(page, shell),
  }));
}
