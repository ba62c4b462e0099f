/** Breaks of the listeners, the pages and the keys. */
import type { Break } from "./break.ts";

export const SECTION_4_1_2_4: readonly Break[] = [
  {
    ids: ["4.1:dashboard-listener:page-and-login-shells"],
    file: "src/http/pages.ts",
    find: 'assets(`${name}.html`) ?? assets("index.html") ?? bareShell(title)',
    put: "bareShell(title)",
  },
  {
    ids: ["4.1:dashboard-listener:embedded-assets"],
    file: "src/http/pages.ts",
    find: 'plain && !name.endsWith(".html") ? assets(name)',
    put: "!plain ? assets(name)",
  },
  {
    ids: ["4.1:dashboard-listener:controls-and-reads"],
    file: "src/http/dashboard.ts",
    find: "    ...readRoutes(plan.reads),\n",
    put: "",
  },
  {
    ids: ["4.1:control-listener:code-host-webhooks"],
    file: "src/http/webhook_routes.ts",
    find: 'idHeader: "x-github-delivery"',
    put: 'idHeader: "x-delivery"',
  },
  {
    ids: ["4.1:control-listener:issue-tracker-webhooks"],
    file: "src/http/webhook_routes.ts",
    find: 'idHeader: "linear-delivery"',
    put: 'idHeader: "linear-id"',
  },
  {
    ids: ["4.1:trusted-origin:environment"],
    file: "src/cli/service/flags.ts",
    find: 'env.get("SVC_DASHBOARD_TRUSTED_ORIGIN")',
    put: 'env.get("SVC_TRUSTED_ORIGIN")',
  },
  {
    ids: ["4.1:trusted-origin:forwarded-headers-ignored"],
    file: "src/http/request_head.ts",
    find: "if (host === null || !hosts.includes(host) || !url.startsWith(`http://${host}/`)) {",
    put: 'if (host === null || !hosts.includes(headers.get("x-forwarded-host") ?? host)) {',
  },
  {
    ids: ["4.2:pipeline:page"],
    file: "src/dashboard/app.tsx",
    find: '  "/pipeline": PipelinePage,',
    put: '  "/pipeline": RolesPage,',
  },
  {
    ids: ["4.2:roles:page"],
    file: "src/dashboard/app.tsx",
    find: '  "/roles": RolesPage,',
    put: '  "/roles": PipelinePage,',
  },
  {
    ids: ["4.2:throughput:page"],
    file: "src/dashboard/app.tsx",
    find: '  "/throughput": ThroughputPage,',
    put: '  "/throughput": RolesPage,',
  },
  {
    ids: ["4.2:evolution:page"],
    file: "src/dashboard/app.tsx",
    find: '  "/evolution": EvolutionPage,',
    put: '  "/evolution": RolesPage,',
  },
  {
    ids: ["4.2:debug:page"],
    file: "src/dashboard/app.tsx",
    find: '  "/debug": DebugPage,',
    put: '  "/debug": RolesPage,',
  },
  {
    ids: ["4.4:keys:pause-or-resume"],
    file: "src/terminal/key_actions.ts",
    find: "  await service.resume();\n",
    put: "",
  },
  {
    ids: ["4.4:keys:graceful-stop"],
    file: "src/terminal/key_actions.ts",
    find: "    void this.#service.stop();\n",
    put: "",
  },
  {
    ids: ["4.4:keys:help"],
    file: "src/terminal/key_actions.ts",
    find: "    this.#help = !this.#help;\n",
    put: "",
  },
];
