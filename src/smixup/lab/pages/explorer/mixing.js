// Eq. (5). Everything that is mixed is linear in lambda, so the page computes it anew at every move.

function mixed(entries, lam) {
  const [first, second] = entries.values;
  return first.map((value, place) => lam * value + (1 - lam) * second[place]);
}

function mixedLabel(pair, lam) {
  return pair.left.y.map((value, place) => lam * value + (1 - lam) * pair.right.y[place]);
}

// One graph as it is drawn: a side of the pair that lends its nodes, weights of edges, values of features.
const PANELS = {
  first: (pair) => graphOf(pair.left, pair.edges, pair.edges.values[0], pair.features, pair.features.values[0]),
  second: (pair) =>
    graphOf(pair.right, pair.right_edges, pair.right_edges.values[0], pair.right_features, pair.right_features.values[0]),
  carried: (pair) => graphOf(pair.left, pair.edges, pair.edges.values[1], pair.features, pair.features.values[1]),
  mix: (pair, lam) =>
    graphOf(pair.left, pair.edges, mixed(pair.edges, lam), pair.features, mixed(pair.features, lam)),
};

function graphOf(side, edges, weights, features, values) {
  return { side, edges, weights, features, values, size: side.places.length };
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
