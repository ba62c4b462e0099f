import assert from "node:assert/strict";
import fc from "fast-check";
import { place } from "svc/dashboard/parts/graph_layout.ts";
import { draw } from "svc/dashboard/parts/graph_lines.ts";

const link = (from: string, to: string) => ({ from, to });

Deno.test("place puts each role below what leads to it, and keeps ways back aside", () => {
  const links = [
    link("ceo", "orchestrator"),
    link("orchestrator", "engineer"),
    link("engineer", "qa"),
    link("qa", "engineer"),
    link("qa", "orchestrator"),
    link("gardener", "qa"),
  ];
  const { layers, down, back } = place(
    ["ceo", "orchestrator", "engineer", "qa", "gardener"],
    links,
  );
  const ids = layers.map((spots) => spots.map(({ id }) => id).sort());
  assert.deepEqual(ids, [["ceo", "gardener"], ["", "orchestrator"], ["", "engineer"], ["qa"]]);
  assert.deepEqual(back, [link("qa", "engineer"), link("qa", "orchestrator")]);
  assert.deepEqual(down.find(([first]) => first!.id === "gardener")!.map(({ id }) => id), [
    "gardener",
    "",
    "",
    "qa",
  ]);
});

Deno.test("place takes a graph without nodes, a circle, a role that follows itself and one that is unknown", () => {
  assert.deepEqual(place([], []), { layers: [], down: [], back: [] });
  const circle = place(["a", "b"], [
    link("a", "b"),
    link("b", "a"),
    link("a", "a"),
    link("a", "x"),
  ]);
  assert.equal(circle.layers.length, 2);
  assert.deepEqual(circle.back, [link("b", "a"), link("a", "a")]);
});

const graphs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 30 }).map((pairs) =>
  pairs.map(([from, to]) => ({ from: `r${from}`, to: `r${to}`, words: "submitted" }))
);
const nodes = Array.from({ length: 10 }, (_, nth) => `r${nth}`);

Deno.test("place and draw hold for any graph: down is down, nothing shares a place, all is inside", () => {
  fc.assert(fc.property(graphs, fc.integer({ min: 320, max: 900 }), (routes, width) => {
    const placed = place(nodes, routes);
    for (const path of placed.down) {
      path.slice(1).forEach((spot, nth) => assert.equal(spot.layer, path[nth]!.layer + 1));
    }
    for (const spots of placed.layers) {
      assert.deepEqual(spots.map(({ at }) => at), spots.map((_, at) => at));
    }
    assert.equal(placed.down.length + placed.back.length, routes.length);
    const drawing = draw(width, nodes, routes);
    assert.equal(drawing.boxes.length, nodes.length);
    assert.doesNotMatch(drawing.lines.map(({ path }) => path).join(), /NaN|Infinity/);
    for (const { y } of drawing.boxes) assert.ok(y >= 0 && y < drawing.height);
  }));
});
