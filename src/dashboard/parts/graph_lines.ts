/** Computes coordinates and SVG paths of a placed graph for a width in pixels. Pure. */
import { type GraphLink, place, type Spot } from "./graph_layout.ts";

interface LabelledLink extends GraphLink {
  readonly words: string;
}

interface NodeBox {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

interface LineLabel {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
}

export interface GraphLine extends GraphLink {
  readonly path: string;
  readonly label: LineLabel;
}

interface GraphDrawing {
  readonly width: number;
  readonly height: number;
  readonly node: { readonly width: number; readonly height: number };
  readonly boxes: readonly NodeBox[];
  readonly lines: readonly GraphLine[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const NODE_HEIGHT = 54;
const NODE_WIDEST = 168;
const LAYER_GAP = 52;
const GAP = 20;
/** Width of an edge that passes a layer, as a share of a node's. */
const PASS = 0.45;
const LANE = 16;
const EDGE = 2;
const BEND = 10;
/** Average width of a letter of a label, in pixels. */
const LETTER = 5.7;

function centresOf(layers: readonly (readonly Spot[])[], room: number) {
  const weight = (spot: Spot) => spot.id === "" ? PASS : 1;
  const sum = (spots: readonly Spot[]) => spots.reduce((all, spot) => all + weight(spot), 0);
  const nodeWidth = Math.min(
    NODE_WIDEST,
    ...layers.map((spots) => Math.floor((room - GAP * (spots.length - 1)) / sum(spots))),
  );
  const centres = new Map<Spot, Point>();
  layers.forEach((spots, on) => {
    let x = EDGE + (room - sum(spots) * nodeWidth - GAP * (spots.length - 1)) / 2;
    for (const spot of spots) {
      const own = weight(spot) * nodeWidth;
      const y = EDGE + on * (NODE_HEIGHT + LAYER_GAP) + NODE_HEIGHT / 2;
      centres.set(spot, { x: x + own / 2, y });
      x += own + GAP;
    }
  });
  return { centres, nodeWidth };
}

export function draw(
  width: number,
  nodes: readonly string[],
  routes: readonly LabelledLink[],
): GraphDrawing {
  const placed = place(nodes, routes);
  const lanes = placed.back.length === 0 ? 0 : placed.back.length * LANE + BEND;
  const room = width - lanes - 2 * EDGE;
  const { centres, nodeWidth } = centresOf(placed.layers, room);
  const at = new Map([...centres].filter(([{ id }]) => id !== "").map(([{ id }, p]) => [id, p]));
  const half = NODE_HEIGHT / 2;
  const wide = ({ from, to }: GraphLink) =>
    (routes.find((one) => one.from === from && one.to === to)?.words.length ?? 0) * LETTER;
  const down = downLines(placed.down, centres, nodeWidth, wide);
  const back = placed.back.map((link, nth): GraphLine => {
    const lane = EDGE + room + BEND + nth * LANE;
    const [a, b] = [at.get(link.from)!, at.get(link.to)!];
    const self = link.from === link.to;
    const leaves = placed.back.filter((one) => one.from === link.from).indexOf(link);
    const arrives = placed.back.filter((one) => one.to === link.to).indexOf(link);
    const [y1, y2] = [a.y + 4 + leaves * 12, b.y - (self ? 14 : 4) - arrives * 12];
    const right = nodeWidth / 2;
    const turn = Math.min(8, Math.abs(y1 - y2) / 2) * (y2 < y1 ? -1 : 1);
    const r = Math.abs(turn);
    const start = b.x + right + 10;
    const fits = start + wide(link) < width;
    return {
      from: link.from,
      to: link.to,
      path: `M${a.x + right} ${y1}H${lane - r}Q${lane} ${y1} ${lane} ${y1 + turn}V${y2 - turn}` +
        `Q${lane} ${y2} ${lane - r} ${y2}H${b.x + right + 1}`,
      label: fits
        ? { x: start, y: y2 - 5, anchor: "start" }
        : { x: width - EDGE, y: b.y - half - 5, anchor: "end" },
    };
  });
  return {
    width,
    height: placed.layers.length * (NODE_HEIGHT + LAYER_GAP) - LAYER_GAP + 2 * EDGE,
    node: { width: nodeWidth, height: NODE_HEIGHT },
    boxes: [...at].map(([id, { x, y }]) => ({ id, x: x - nodeWidth / 2, y: y - half })),
    lines: [...down, ...back],
  };
}

type Path = readonly Spot[];

function downLines(
  paths: readonly Path[],
  centres: ReadonlyMap<Spot, Point>,
  nodeWidth: number,
  wide: (link: GraphLink) => number,
): GraphLine[] {
  const ends = lineEndsOf(paths, centres, nodeWidth);
  return paths.map((path): GraphLine => {
    const points = path.map((spot) => centres.get(spot)!);
    const { out, into, rank } = ends.get(path)!;
    const start = { x: out, y: points[0]!.y + NODE_HEIGHT / 2 };
    const end = { x: into, y: points.at(-1)!.y - NODE_HEIGHT / 2 };
    const way = [start, ...points.slice(1, -1), end];
    const link = { from: path[0]!.id, to: path.at(-1)!.id };
    const middle = (way.at(-2)!.x + end.x) / 2;
    const words = wide(link);
    // Labels of the first and the last of several lines are outside of them.
    const side: LineLabel["anchor"] = rank === 0 ? "middle" : rank < 0 ? "end" : "start";
    const anchor = side === "end" && middle - words < EDGE ? "start" : side;
    const x = side === "end" && anchor === "start" ? EDGE : middle + 7 * rank;
    const label = { x: anchor === "middle" ? Math.max(x, words / 2 + EDGE) : x, anchor };
    return { ...link, path: smooth(way), label: { ...label, y: end.y - LAYER_GAP / 2 + 4 } };
  });
}

interface EdgeEnds {
  out: number;
  into: number;
  /** Among the lines that arrive at the same node: -1 leftmost, 1 rightmost, else 0. */
  rank: number;
}

function lineEndsOf(paths: readonly Path[], centres: ReadonlyMap<Spot, Point>, nodeWidth: number) {
  const ends = new Map<Path, EdgeEnds>(paths.map((path) => [path, { out: 0, into: 0, rank: 0 }]));
  const spread = (
    spotsOf: (path: Path) => [Spot, Spot],
    set: (end: EdgeEnds, x: number, rank: number) => void,
  ) => {
    for (const spot of new Set(paths.map((path) => spotsOf(path)[0]))) {
      const own = paths.filter((path) => spotsOf(path)[0] === spot)
        .sort((a, b) => centres.get(spotsOf(a)[1])!.x - centres.get(spotsOf(b)[1])!.x);
      const step = Math.min(28, nodeWidth / (own.length + 1));
      own.forEach((path, nth) => {
        const rank = own.length === 1 ? 0 : nth === 0 ? -1 : nth === own.length - 1 ? 1 : 0;
        set(ends.get(path)!, centres.get(spot)!.x + (nth - (own.length - 1) / 2) * step, rank);
      });
    }
  };
  spread((path) => [path[0]!, path[1]!], (end, x) => end.out = x);
  spread((path) => [path.at(-1)!, path.at(-2)!], (end, x, rank) => {
    end.into = x;
    end.rank = rank;
  });
  return ends;
}

/** A path that starts and ends vertically, so that arrows point down. */
function smooth(points: readonly Point[]): string {
  return points.slice(1).reduce((path, { x, y }, nth) => {
    const from = points[nth]!;
    const bend = (y - from.y) / 2;
    return `${path}C${from.x} ${from.y + bend} ${x} ${y - bend} ${x} ${y}`;
  }, `M${points[0]!.x} ${points[0]!.y}`);
}
