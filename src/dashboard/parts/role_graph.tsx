/** The graph of roles and the routes between them, with the state of each role. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RepoBoard } from "svc/runtime/views/repo_boards.ts";
import type { RoleNode, RouteEdge } from "svc/runtime/views/role_graph.ts";
import { connection } from "svc/dashboard/state/events.ts";
import { jobHref } from "svc/dashboard/state/place.ts";
import { spoken } from "svc/dashboard/state/words.ts";
import { draw, type GraphLine } from "./graph_lines.ts";

interface RouteBundle {
  readonly from: string;
  readonly to: string;
  words: string;
  taken: number;
}

/** Routes between the same two roles become one line with several words. */
function bundled(routes: readonly RouteEdge[]): RouteBundle[] {
  const found = new Map<string, RouteBundle>();
  for (const { from, to, disposition, taken } of routes) {
    if (to === null) continue;
    const key = JSON.stringify([from, to]);
    const bundle = found.get(key) ?? { from, to, words: "", taken: 0 };
    bundle.words += `${bundle.words === "" ? "" : ", "}${spoken(disposition)}`;
    bundle.taken += taken;
    found.set(key, bundle);
  }
  return [...found.values()];
}

/** Narrower boxes, in pixels, tell no name: some 25 roles side by side have them on a wide page. */
const NARROWEST_NODE = 40;

const STATE_TONES = { idle: "plain", queued: "waiting", running: "working", paused: "paused" };

function stateWords({ state, samples, score }: RoleNode, lost: boolean): string {
  const now = lost && state !== "idle" ? `was ${state}` : state;
  return score === null ? `${now} · ${samples} of 5 runs` : `${now} · score ${Math.round(score)}`;
}

function Node(
  { role, x, y, width, height }: {
    readonly role: RoleNode;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  },
) {
  const lost = connection.value.state === "lost";
  const letters = Math.max(6, Math.floor((width - 34) / 7.4));
  const name = role.role.length > letters ? `${role.role.slice(0, letters - 1)}…` : role.role;
  const body = (
    <g class={`node tone-${STATE_TONES[role.state]}`} transform={`translate(${x} ${y})`}>
      <title>{`${role.role}: ${stateWords(role, lost)}, ${role.trust}`}</title>
      <rect width={width} height={height} rx="7" />
      <rect class="node-bar" width="3" height={height - 16} x="8" y="8" rx="1.5" />
      <text class="node-name" x="19" y="22">{name}</text>
      <text class="node-state" x="19" y="40">{stateWords(role, lost)}</text>
      {role.trust === "observer" && (
        <text class="node-trust" x={width - 10} y="22" text-anchor="end">obs</text>
      )}
    </g>
  );
  return role.job_id === null ? body : <a href={jobHref(role.job_id)}>{body}</a>;
}

function Edge({ line, of, lit }: { line: GraphLine; of: RouteBundle; lit: boolean }) {
  return (
    <g class={`edge${of.taken > 0 ? " taken" : ""}${lit ? " lit" : ""}`}>
      <path d={line.path} marker-end="url(#arrow)" />
      <text x={line.label.x} y={line.label.y} text-anchor={line.label.anchor}>
        {of.words}
        {of.taken > 0 && <tspan class="edge-count">{` ${of.taken}×`}</tspan>}
      </text>
    </g>
  );
}

export function RoleGraph({ board }: { readonly board: RepoBoard }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const element = frame.current!;
    const measure = () => width.value = Math.floor(element.clientWidth);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const bundles = bundled(board.routes);
  const shape = JSON.stringify([
    board.roles.map(({ role }) => role),
    bundles.map((b) => [b.from, b.to]),
  ]);
  const drawing = useMemo(
    () =>
      width.value < 120
        ? undefined
        : draw(width.value, board.roles.map(({ role }) => role), bundles),
    [shape, width.value],
  );
  const fits = drawing !== undefined && drawing.node.width >= NARROWEST_NODE;
  const running = new Set(
    board.roles.filter(({ state }) => state === "running").map((r) => r.role),
  );
  return (
    <div class="graph" ref={frame}>
      {drawing !== undefined && !fits && (
        <p class="dim">{board.roles.length} roles are too many to be drawn here</p>
      )}
      {drawing !== undefined && fits && (
        <svg
          width={drawing.width}
          height={drawing.height}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
          role="group"
          aria-label={`Roles of ${board.basename} and the routes between them; the table below says the same`}
        >
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M1 1 7 4 1 7" />
            </marker>
          </defs>
          {drawing.lines.map((line) => {
            const of = bundles.find(({ from, to }) => from === line.from && to === line.to)!;
            return (
              <Edge
                key={`${line.from}\n${line.to}`}
                line={line}
                of={of}
                lit={running.has(line.from)}
              />
            );
          })}
          {drawing.boxes.map((box) => (
            <Node
              key={box.id}
              role={board.roles.find(({ role }) => role === box.id)!}
              x={box.x}
              y={box.y}
              {...drawing.node}
            />
          ))}
        </svg>
      )}
    </div>
  );
}
