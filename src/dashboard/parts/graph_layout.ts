/** Places a small directed graph's nodes in layers (Sugiyama, Tagawa and Toda, 1981). Pure. */

export interface GraphLink {
  readonly from: string;
  readonly to: string;
}

interface PlacedGraph {
  /** Spots of each layer from left to right. */
  readonly layers: readonly (readonly Spot[])[];
  /** Edges that lead down, as the spots that they pass, including both ends. */
  readonly down: readonly (readonly Spot[])[];
  /** Edges that lead back up or stay on their layer. */
  readonly back: readonly GraphLink[];
}

export interface Spot {
  /** Id of the node; "" where an edge passes the layer. */
  readonly id: string;
  readonly layer: number;
  at: number;
}

const SWEEPS = 6;

/** Edges back to a node on the current path of a depth-first search, in the order of `nodes`. */
function backEdges(nodes: readonly string[], links: readonly GraphLink[]): Set<GraphLink> {
  const back = new Set<GraphLink>();
  const state = new Map<string, "open" | "done">();
  const visit = (node: string) => {
    state.set(node, "open");
    for (const link of links) {
      if (link.from !== node) continue;
      const seen = state.get(link.to);
      if (seen === "open") back.add(link);
      else if (seen === undefined) visit(link.to);
    }
    state.set(node, "done");
  };
  // Nodes without an incoming edge come first, so that a circle is entered where work enters it.
  const fed = new Set(links.filter(({ from, to }) => from !== to).map(({ to }) => to));
  const order = [...nodes.filter((node) => !fed.has(node)), ...nodes];
  for (const node of order) if (!state.has(node)) visit(node);
  return back;
}

function layersOf(nodes: readonly string[], down: readonly GraphLink[]): Map<string, number> {
  const layer = new Map(nodes.map((node) => [node, 0]));
  // Without circles the longest path has fewer steps than there are nodes.
  for (let round = 0; round < nodes.length; round++) {
    for (const { from, to } of down) {
      layer.set(to, Math.max(layer.get(to)!, layer.get(from)! + 1));
    }
  }
  return layer;
}

const mean = (numbers: readonly number[], otherwise: number) =>
  numbers.length === 0 ? otherwise : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

function settle(layers: Spot[][], paths: readonly (readonly Spot[])[]): void {
  const above = new Map<Spot, Spot[]>();
  const below = new Map<Spot, Spot[]>();
  const add = (map: Map<Spot, Spot[]>, key: Spot, spot: Spot) =>
    map.set(key, [...map.get(key) ?? [], spot]);
  for (const path of paths) {
    path.slice(1).forEach((spot, nth) => {
      add(above, spot, path[nth]!);
      add(below, path[nth]!, spot);
    });
  }
  // Positions are shares of the layer's width, since layers differ in size.
  const share = ({ layer, at }: Spot) => (at + 0.5) / layers[layer]!.length;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const near = sweep % 2 === 0 ? above : below;
    const order = sweep % 2 === 0 ? layers : layers.toReversed();
    for (const spots of order) {
      const pull = new Map(
        spots.map((spot) => [spot, mean((near.get(spot) ?? []).map(share), share(spot))]),
      );
      spots.sort((a, b) => pull.get(a)! - pull.get(b)! || a.at - b.at);
      spots.forEach((spot, at) => spot.at = at);
    }
  }
}

export function place(nodes: readonly string[], links: readonly GraphLink[]): PlacedGraph {
  const known = links.filter(({ from, to }) => nodes.includes(from) && nodes.includes(to));
  const back = backEdges(nodes, known);
  const down = known.filter((link) => !back.has(link));
  const layer = layersOf(nodes, down);
  const layers: Spot[][] = Array.from(
    { length: nodes.length === 0 ? 0 : Math.max(...layer.values()) + 1 },
    () => [],
  );
  const put = (id: string, on: number): Spot => {
    const spot = { id, layer: on, at: layers[on]!.length };
    layers[on]!.push(spot);
    return spot;
  };
  const spots = new Map(nodes.map((node) => [node, put(node, layer.get(node)!)]));
  const paths = down.map(({ from, to }) => {
    const [start, end] = [spots.get(from)!, spots.get(to)!];
    const passed: Spot[] = [];
    for (let on = start.layer + 1; on < end.layer; on++) passed.push(put("", on));
    return [start, ...passed, end];
  });
  settle(layers, paths);
  return { layers, down: paths, back: [...back] };
}
