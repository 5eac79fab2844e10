// What the page says.

function labelInWords(y) {
  const parts = y.map((value, place) => ({ value, name: data.class_names[place] })).filter(({ value }) => value > 0.0005);
  parts.sort((a, b) => b.value - a.value);
  return parts.length === 1 ? parts[0].name : parts.map(({ value, name }) => `${value.toFixed(2)} ${name}`).join(" + ");
}

function counted(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function pairName(pair, place) {
  const [left, right] = [pair.left, pair.right].map((side) => ({ graph: `#${side.graph}`, label: labelInWords(side.y) }));
  const alike = left.label === right.label;
  const sides = alike ? `${left.graph} + ${right.graph}, ${left.label}` : `${left.graph} ${left.label} + ${right.graph} ${right.label}`;
  return `${place + 1}. ${sides}`;
}

const MAP_TITLES = {
  "one-to-one": "the one-to-one assignment: a cell is full where two nodes are matched",
  "many-to-one": "the many-to-one assignment: a cell is full where a node of G2 goes to a node of G1",
  soft: "the soft assignment: how much of a node of G2 goes to a node of G1",
};

const KIND_NOTES = {
  "one-to-one": "The alignment is one-to-one: a node has one counterpart, or none.",
  "many-to-one": "The alignment is many-to-one: a node of G2 goes to one node of G1, and several may go to the same one.",
  soft: "The alignment is soft: a node of G2 is spread over nodes of G1.",
};

function aloneInWords(pair) {
  const { name, keeps_features, keeps_edges } = pair.transport;
  const scale = name === "balanced" ? " G2′ is scaled by the ratio of nodes, n1 / n2." : "";
  const [left, right] = [without(pair.left), without(pair.right)];
  const lost = right ? " A node of G2 that finds no place (faint) is dropped with its edges." : "";
  if (keeps_features && !isWhole(pair))
    return ` Where a node of G1 takes less than one node of G2 in all, its own features${keeps_edges ? " and edges" : ""} fill up the rest.${lost}`;
  if (!left) return scale + lost;
  const kept = keeps_edges ? "keeps its features and edges in G2′, so that they are whole in the mix" : "keeps its features; its edges have the weight λ in the mix";
  return ` A node of G1 without counterpart (hollow) ${keeps_features ? kept : "gets nothing from G2: in G2′ it has neither features nor edges"}.${scale}${lost}`;
}

function litInWords(pair, lit) {
  const { row, column } = lit;
  if (row === null && column === null) return "Point at a cell, or at a node of a graph, to see which node goes where.";
  return isWhole(pair) ? matchInWords(pair, lit) : shareInWords(pair, lit);
}

function matchInWords(pair, { row, column }) {
  if (row !== null && column !== null) {
    const matched = pair.assignment[row][column] > 0;
    return `Node ${row} of G1 and node ${column} of G2 are ${matched ? "" : "not "}matched.`;
  }
  const found = counterparts(pair, { row, column });
  if (column !== null)
    return found.length ? `Node ${column} of G2 goes to node ${found[0][0]} of G1.` : `Node ${column} of G2 finds no place in G1 and is dropped.`;
  if (!found.length) return `Node ${row} of G1 has no counterpart in G2.`;
  return `Node ${row} of G1 is matched with ${found.length > 1 ? "nodes" : "node"} ${found.map(([, node]) => node).join(", ")} of G2.`;
}

function shareInWords(pair, { row, column }) {
  if (row === null) {
    const shares = columnOf(pair.assignment, column);
    const best = placeOfLargest(shares);
    return `Node ${column} of G2 goes to node ${best} of G1 by ${shares[best].toFixed(2)}, the largest share.`;
  }
  const shares = pair.assignment[row];
  if (column !== null) return `Node ${row} of G1 takes ${shares[column].toFixed(2)} of node ${column} of G2.`;
  const best = placeOfLargest(shares);
  return `Node ${row} of G1 takes ${sum(shares).toFixed(2)} nodes of G2 in all, most of it from node ${best}: ${shares[best].toFixed(2)}.`;
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

// Most data has no motif, and nothing is said of it there.
function motifKnown({ left, right }) {
  return left.motif !== null && right.motif !== null;
}

// The numbers of a pair along an alignment; null where there is none, with the reason.
function figuresOf(pair) {
  const { motif_kept, distortion, error, least, most, detour } = pair.figures;
  const oneClass = pair.left.y.every((value, place) => value === pair.right.y[place]);
  const unknown = oneClass ? "no motif is known" : "only for two graphs of one class";
  const unmeasured = "not measured";
  const proved = error !== null && most - least > 0.005 ? ` (${least.toFixed(2)} to ${most.toFixed(2)})` : "";
  const figures = [
    { name: "motif kept", value: motif_kept === null ? null : percent(motif_kept), none: unknown },
    { name: "distortion", value: distortion.toFixed(2) },
    { name: "interpolation error", value: error === null ? null : error.toFixed(2) + proved, none: unmeasured },
    { name: "detour", value: detour === null ? null : detour.toFixed(2), none: unmeasured },
  ];
  return motifKnown(pair) ? figures : figures.slice(1);
}

const MEANINGS = {
  "motif kept": "The share of the weight of G1’s motif edges on which motif edges of G2 land. It is measured for two graphs of one class.",
  distortion: "How far G2′ is from G2, from 0 (every node has a place of its own) to 1 (all are spread evenly). It does not look at G1: if nodes go one by one to the wrong places, the distortion is low although the alignment is wrong.",
  "interpolation error": "By how much the mix at λ = LAM misses its place between G1 and G2, in edit distances: |ε − λ|, with ε = d(G′, G2) / (d(G′, G1) + d(G′, G2)). Where the distances are not exact, the brackets give what is proved. Graphs of more than 40 nodes are not measured.",
  detour: "(d(G′, G1) + d(G′, G2)) / d(G1, G2) for the same mix: 1 if the mix lies on a shortest way from one graph to the other. A mix that is far from both graphs may have no interpolation error, but it has a detour.",
};

function drawnInWords({ low, high, median, words }) {
  return `The bar below the slider shows the range from which training draws λ: ${low} to ${high}. Training takes ${words}, so that half of the draws lie above ${median}.`;
}
