// Eq. (5). Everything that is mixed is linear in lambda, so the page computes it anew at every move.

function mixed(entries, lam) {
  const [first, second] = entries.values;
  return first.map((value, place) => lam * value + (1 - lam) * second[place]);
}

function mixedLabel(pair, lam) {
  return pair.left.y.map((value, place) => lam * value + (1 - lam) * pair.right.y[place]);
}

// A pair along one of its alignments: A1 beside A2′ and X1 beside X2′ at the same places, M row by row.
function viewOf(pair, place) {
  const way = pair.ways[place];
  const side = (own, which) => ({ ...own, matched: way.matched[which], order: way.orders[which] });
  const [left, right] = [side(pair.left, 0), side(pair.right, 1)];
  const assignment = way.assignment ?? fromLinks(way.links, left.places.length, right.places.length);
  const edges = beside(left.edges, way.edges);
  const came = brought(assignment, right);
  const own = edges.row.map((row, index) => came[row][edges.column[index]]);
  return {
    ...way,
    left,
    right,
    edges,
    features: beside(left.features, way.features),
    assignment,
    origins: {
      first: left.edges.values.map(() => "first"),
      second: right.edges.values.map(() => "second"),
      carried: own.map((value, index) => origin(Math.max(0, edges.values[1][index] - value), value)),
      mix: own.map((value, index) => origin(edges.values[0][index], value)),
    },
  };
}

// Two matrices of one shape at the places where either is not zero.
function beside(first, second) {
  const found = new Map();
  [first, second].forEach((entries, which) =>
    entries.values.forEach((value, index) => {
      const key = `${entries.row[index]},${entries.column[index]}`;
      if (!found.has(key)) found.set(key, [entries.row[index], entries.column[index], 0, 0]);
      found.get(key)[2 + which] = value;
    }),
  );
  const rows = [...found.values()];
  return { row: rows.map((each) => each[0]), column: rows.map((each) => each[1]), values: [2, 3].map((which) => rows.map((each) => each[which])) };
}

function fromLinks(links, rows, columns) {
  const found = Array.from({ length: rows }, () => new Array(columns).fill(0));
  for (const [row, column] of links) found[row][column] = 1;
  return found;
}

// What of the edges of G2 arrives on the nodes of G1: M A2 Mᵀ. G2′ may have edges that G1 keeps besides.
function brought(assignment, right) {
  const n1 = assignment.length;
  const half = Array.from({ length: n1 }, () => new Float64Array(right.places.length));
  right.edges.values.forEach((weight, index) => {
    const [one, other] = [right.edges.row[index], right.edges.column[index]];
    for (let node = 0; node < n1; node += 1) {
      half[node][other] += assignment[node][one] * weight;
      half[node][one] += assignment[node][other] * weight;
    }
  });
  return half.map((row) => assignment.map((shares) => shares.reduce((total, share, node) => (share ? total + row[node] * share : total), 0)));
}

const HARDLY = 0.1;

// Which graph an edge is from, by what each of them brings.
function origin(first, second) {
  if (second < HARDLY * first) return "first";
  return first < HARDLY * second ? "second" : "both";
}

// One graph as it is drawn: a side of the pair that lends its nodes, weights of edges and where they are from, values of features.
const PANELS = {
  first: (pair) => graphOf(pair.left, pair.left.edges, pair.left.edges.values, pair.origins.first, pair.left.features, pair.left.features.values),
  second: (pair) =>
    graphOf(pair.right, pair.right.edges, pair.right.edges.values, pair.origins.second, pair.right.features, pair.right.features.values),
  carried: (pair) => graphOf(pair.left, pair.edges, pair.edges.values[1], pair.origins.carried, pair.features, pair.features.values[1]),
  mix: (pair, lam) =>
    graphOf(pair.left, pair.edges, mixed(pair.edges, lam), pair.origins.mix, pair.features, mixed(pair.features, lam)),
};

function graphOf(side, edges, weights, origins, features, values) {
  return { side, edges, weights, origins, features, values, size: side.places.length };
}

function degrees(graph) {
  const found = new Float64Array(graph.size);
  graph.weights.forEach((weight, place) => {
    found[graph.edges.row[place]] += weight;
    found[graph.edges.column[place]] += weight;
  });
  return found;
}

// The column of the largest feature of every node, -1 where all are zero.
function largestFeatures(graph) {
  const best = new Float64Array(graph.size);
  const found = new Int32Array(graph.size).fill(-1);
  graph.values.forEach((value, place) => {
    const node = graph.features.row[place];
    if (value > best[node]) {
      best[node] = value;
      found[node] = graph.features.column[place];
    }
  });
  return found;
}

// Where nodes of G2 go as a whole, or nowhere, a link can say where.
function isWhole(pair) {
  return pair.kind !== "soft";
}

// The counterparts of a node of one side of the pair; a node of G1 may have several if they are many to one.
function counterparts(pair, { row, column }) {
  return pair.links.filter(([first, second]) => first === row || second === column);
}

function without(side) {
  return side.matched.filter((matched) => !matched).length;
}

function columnOf(assignment, column) {
  return assignment.map((row) => row[column]);
}

function placeOfLargest(values) {
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
