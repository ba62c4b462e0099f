/** One repo on the board: its branch, modes, tickets by state, roles, routes, and what waits. Pure. */
import { statesOf } from "svc/core/machine.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import type { RepoFacts, RoleFacts, ServiceFacts } from "./board_facts.ts";
import { short } from "./card.ts";
import { roleNodes, routeEdges } from "./role_graph.ts";
import type { RepoBoard } from "./shapes.ts";

function waitsOf({ settlements }: RepoFacts): string[] {
  return settlements.map(({ ticket_id, merge_from, waits_for }) => {
    const what = ticket_id ?? merge_from ?? "a move";
    return short(`${what} waits for ${waits_for ?? "its merge or move to be made"}`);
  });
}

/** @param problem what the service itself says is wrong with it */
export function repoBoard(
  service: ServiceFacts,
  repo: RepoFacts,
  roles: RoleFacts,
  problem: string | undefined,
): RepoBoard {
  const { view: { manifest, branch, problem: fault }, tickets, unread } = repo.files;
  const counts = statesOf(ticketMachine).map((state) => [
    state,
    tickets.filter((ticket) => ticket.state === state).length,
  ]);
  return {
    id: repo.id,
    basename: repo.name,
    branch,
    mode: manifest?.dispatch.mode ?? null,
    merge: manifest?.dispatch.merge ?? null,
    problem: fault ?? unread ?? problem ?? null,
    tickets: Object.fromEntries(counts),
    roles: manifest === undefined ? [] : roleNodes(manifest, service, repo, roles),
    routes: manifest === undefined ? [] : routeEdges(manifest, roles),
    waits: waitsOf(repo),
  };
}
