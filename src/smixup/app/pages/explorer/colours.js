// Colours are [red, green, blue]; a colouring says which colour every node of a graph has, and explains itself.

const FEATURE_TITLES = { label: "node label", degree: "degree as a feature", feature: "largest feature" };
const RAMP = ["#3b4f8a", "#2a9d8f", "#f2c14e"].map(fromHex);

function fromHex(text) {
  return [1, 3, 5].map((start) => Number.parseInt(text.slice(start, start + 2), 16));
}

function css(colour, alpha = 1) {
  return `rgb(${colour.map(Math.round).join(" ")} / ${alpha})`;
}

function between(first, second, share) {
  return first.map((value, place) => value + share * (second[place] - value));
}

// Black or white, whichever is read on a colour.
function readableOn([red, green, blue]) {
  return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? "#111" : "#fff";
}

function onRamp(share) {
  const place = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const below = Math.min(Math.floor(place), RAMP.length - 2);
  return between(RAMP[below], RAMP[below + 1], place - below);
}

// Nodes of G1 that lie near each other look alike: from blue over green to yellow across, darker below and lighter above.
function placeColour([x, y]) {
  return between(onRamp((1 + x) / 2), y > 0 ? [255, 255, 255] : [16, 20, 26], 0.45 * Math.abs(y));
}

// By how much a model's output falls without a node: for it, or against it.
function colouringByImportance({ palette }) {
  const [against, neither, speaksFor] = [palette.against, palette.neither, palette.motif].map(fromHex);
  const largest = (side) => Math.max(1e-9, ...side.importance.map(Math.abs));
  return {
    name: "importance",
    title: "importance to the model",
    suits: (pair) => pair.left.importance !== null && pair.right.importance !== null,
    colours: (pair, graph) => {
      const most = largest(graph.side);
      return graph.side.importance.map((value) => between(neither, value > 0 ? speaksFor : against, Math.abs(value) / most));
    },
    key: () => [{ name: "against it to for it", ramp: [against, neither, speaksFor] }],
    note: (pair) =>
      `The model says ${pair.left.predicted} of G1, and ${pair.right.predicted} of G2. Orange nodes speak for that, blue ones against ` +
      `it: without the strongest, the model's output changes by ${largest(pair.left).toFixed(2)} for G1 and ` +
      `${largest(pair.right).toFixed(2)} for G2. G2′ and the mix show the colours of G1.`,
  };
}

function colouringByMotif({ palette }) {
  const [motif, base] = [palette.motif, palette.base].map(fromHex);
  return {
    name: "motif",
    title: "motif or base",
    suits: (pair) => pair.left.motif !== null && pair.right.motif !== null,
    colours: (pair, graph) => graph.side.motif.map((marked) => (marked ? motif : base)),
    key: () => [{ name: "motif node", colour: motif }, { name: "base node", colour: base }],
    note: () => "G2′ and the mix show the motif of G1, whose nodes they have.",
  };
}

function colouringByAlignment({ palette }) {
  const other = fromHex(palette.other);
  const ofRight = (pair) =>
    pair.right.places.map((_, column) => {
      const shares = columnOf(pair.assignment, column);
      const row = placeOfLargest(shares);
      if (!pair.right.matched[column]) return other;
      return between(other, placeColour(pair.left.places[row]), 0.25 + 0.75 * Math.min(1, shares[row] * 2));
    });
  return {
    name: "alignment",
    title: "alignment",
    suits: (pair) => pair.left.places.length > 0,
    colours: (pair, graph) => (graph.side === pair.right ? ofRight(pair) : pair.left.places.map(placeColour)),
    key: () => [],
    note: (pair) =>
      isWhole(pair)
        ? "A node of G1 has a colour by its place. A node of G2 has the colour of its counterpart, and is grey without one."
        : "A node of G1 has a colour by its place. A node of G2 has the colour of the node of G1 that takes most of it, " +
          "greyer where that is less than half.",
  };
}

function colouringByFeature({ palette, feature }) {
  const [other, ...kinds] = [palette.other, ...palette.kinds].map(fromHex);
  const ranked = (pair) => {
    const counts = new Map();
    for (const graph of [PANELS.first(pair), PANELS.second(pair)])
      for (const column of largestFeatures(graph)) counts.set(column, (counts.get(column) ?? 0) + 1);
    counts.delete(-1);
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([column]) => column);
  };
  const someHaveNone = (pair) => Object.values(PANELS).some((panel) => largestFeatures(panel(pair, 0.5)).includes(-1));
  return {
    name: "feature",
    title: FEATURE_TITLES[feature],
    suits: () => feature !== "",
    colours: (pair, graph) => {
      const order = ranked(pair);
      return Array.from(largestFeatures(graph), (column) => kinds[order.indexOf(column)] ?? other);
    },
    key: (pair) => {
      const order = ranked(pair);
      const named = order.slice(0, kinds.length).map((column, place) => ({ column, colour: kinds[place] }));
      named.sort((a, b) => a.column - b.column);
      const shown = named.map(({ column, colour }) => ({ name: `${feature} ${column}`, colour }));
      return order.length > kinds.length || someHaveNone(pair) ? [...shown, { name: "another, or none", colour: other }] : shown;
    },
    note: () => "The largest entry of a node's features. In G2′ features are carried along M, in the mix they are mixed as edges are.",
  };
}

function colouringByDegree() {
  const largest = (pair) =>
    ["first", "second", "carried"].reduce((most, name) => Math.max(most, ...degrees(PANELS[name](pair))), 1e-9);
  return {
    name: "degree",
    title: "weighted degree",
    suits: () => true,
    colours: (pair, graph) => {
      const most = largest(pair);
      return Array.from(degrees(graph), (degree) => onRamp(Math.sqrt(degree / most)));
    },
    key: (pair) => [{ name: `0 to ${Number(largest(pair).toFixed(1))}`, ramp: RAMP }],
    note: () => "The sum of the weights of a node's edges, hidden ones too; colours follow its square root.",
  };
}

function colouringsOf(data) {
  return [colouringByImportance, colouringByMotif, colouringByAlignment, colouringByFeature, colouringByDegree].map((make) => make(data));
}
