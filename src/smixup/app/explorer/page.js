// Pairs of graphs, mixed while the slider moves (Eq. 5): everything is linear in lambda.

const data = JSON.parse(document.getElementById("data").textContent);
const elements = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const NOBODY = { row: null, column: null };
const state = { place: data.first, way: 0, lam: data.lam, colouring: "", lit: NOBODY };
const pairNow = () => data.pairs[state.place];
const wayNow = () => pairNow().ways[state.way];
const mixed = (first, second) => state.lam * first + (1 - state.lam) * second;

// Graphs --------------------------------------------------------------------------------------------------------------

const SECOND = 104; // where the right one of two panels begins
const PANELS = {
  first: { svg: "originals", left: 0, side: "left", title: "G1" },
  second: { svg: "originals", left: SECOND, side: "right", title: "G2" },
  carried: { svg: "mixes", left: 0, side: "left", title: "G2 carried onto G1" },
  mix: { svg: "mixes", left: SECOND, side: "left", title: "The mix" },
};
const FAINTEST = 0.02;

// Edges of a panel: rows, columns, weights, and which graph each is from.
function edgesOf(name) {
  if (name === "first" || name === "second") {
    const [rows, columns, weights] = pairNow()[PANELS[name].side].edges;
    return { rows, columns, weights, origins: weights.map(() => name) };
  }
  const [rows, columns, own, carried, brought] = wayNow().edges;
  const weights = name === "mix" ? own.map((weight, edge) => mixed(weight, carried[edge])) : carried;
  const origins = brought.map((weight, edge) => originOf(name === "mix" ? own[edge] : carried[edge] - weight, weight));
  return { rows, columns, weights, origins };
}

function originOf(first, second) {
  if (second < 0.1 * first) return "first";
  return first < 0.1 * second ? "second" : "both";
}

function radiusOf(side) {
  const room = 100 / Math.sqrt(Math.max(side.places.length, 1));
  return side.symbols ? Math.min(4.5, 0.16 * room) : Math.max(1.1, Math.min(3.2, 0.11 * room));
}

function placesOf(name) {
  const { side, left } = PANELS[name];
  return pairNow()[side].places.map(([x, y]) => [left + 50 + 44 * x, 50 - 44 * y]);
}

function add(parent, kind, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

function line(parent, [x1, y1], [x2, y2], kind) {
  return add(parent, "line", { x1, y1, x2, y2, class: kind });
}

// Lines and circles of the four graphs, so that a move of the slider only changes how they look.
let drawn = {};

function drawPair() {
  drawn = {};
  for (const svg of [elements.originals, elements.mixes]) svg.replaceChildren();
  for (const [name, { svg, left }] of Object.entries(PANELS))
    add(elements[svg], "rect", { x: left, y: 0, width: 100, height: 100, rx: 3, class: `frame ${name}` });
  const links = linksNow();
  const ends = [placesOf("first"), placesOf("second")];
  const lines = links.map(([row, column]) => line(elements.originals, ends[0][row], ends[1][column], "link"));
  for (const name of Object.keys(PANELS)) drawn[name] = drawGraph(name);
  drawn.links = { links, lines };
}

function drawGraph(name) {
  const { svg, side } = PANELS[name];
  const [own, places, edges] = [pairNow()[side], placesOf(name), edgesOf(name)];
  const parent = add(elements[svg], "g");
  const alone = aloneIn(side);
  const lines = edges.rows.map((row, edge) => {
    const dropped = name === "second" && (alone[row] || alone[edges.columns[edge]]);
    return line(parent, places[row], places[edges.columns[edge]], `of-${edges.origins[edge]}${dropped ? " pale" : ""}`);
  });
  const look = name === "second" ? "pale" : "hollow";
  const circles = places.map(([cx, cy], node) => {
    const circle = add(parent, "circle", { cx, cy, r: radiusOf(own), class: `node${alone[node] ? ` ${look}` : ""}` });
    if (own.symbols && svg === "originals") {
      const text = add(parent, "text", { x: cx, y: cy, "font-size": 1.2 * radiusOf(own), class: "symbol" });
      text.textContent = own.symbols[node];
    }
    return circle;
  });
  return { lines, circles };
}

function renderGraph(name) {
  const { weights } = edgesOf(name);
  const { lines, circles } = drawn[name];
  const side = pairNow()[PANELS[name].side];
  const radius = radiusOf(side);
  lines.forEach((element, edge) => {
    const weight = weights[edge];
    element.style.display = weight < FAINTEST ? "none" : "";
    element.style.strokeOpacity = Math.min(weight, 1) ** 0.8;
    element.style.strokeWidth = radius * (weight > 1 ? 0.4 * (1 + 0.8 * Math.log2(weight)) : 0.14 + 0.26 * weight);
  });
  const colours = coloursOf(name);
  circles.forEach((circle, node) => (circle.style.fill = colours[node]));
  const edges = counted(weights.filter((weight) => weight > 0).length, "edge");
  const total = weights.reduce((sum, weight) => sum + weight, 0).toFixed(1);
  const about = PANELS[name].svg === "originals"
    ? `#${side.graph}, ${labelInWords(side.y)}: ${counted(side.places.length, "node")}, ${edges}`
    : `${edges}, total weight ${total}`;
  elements[`${name}-about`].textContent = about;
  drawn[name].about = `${PANELS[name].title}, ${about}.`;
  for (const svg of ["originals", "mixes"]) {
    const shown = Object.keys(PANELS).filter((panel) => PANELS[panel].svg === svg);
    elements[svg].setAttribute("aria-label", shown.map((panel) => drawn[panel].about ?? "").join(" "));
  }
}

// The alignment -------------------------------------------------------------------------------------------------------

function isSoft() {
  return wayNow().kind === "soft";
}

function linksNow() {
  if (isSoft()) return [];
  return wayNow().share.flatMap((row, first) => row.flatMap((share, second) => (share ? [[first, second]] : [])));
}

function sharesOf(side, node) {
  return side === "left" ? wayNow().share[node] : wayNow().share.map((row) => row[node]);
}

function aloneIn(side) {
  return pairNow()[side].places.map((_, node) => sharesOf(side, node).every((share) => share < 5e-4));
}

function largest(shares) {
  return shares.reduce((best, share, place) => (share > shares[best] ? place : best), 0);
}

function drawMap() {
  const { share, orders: [rows, columns] } = wayNow();
  elements.map.setAttribute("viewBox", `-1 -1 ${columns.length + 1} ${rows.length + 1}`);
  elements.map.style.aspectRatio = Math.max(1, Math.min(2, columns.length / rows.length));
  elements.map.replaceChildren();
  const strips = [[rows, coloursOf("first")], [columns, coloursOf("second")]];
  strips.forEach(([order, colours], across) =>
    order.forEach((node, place) => {
      const [x, y] = across ? [place, -0.9] : [-0.9, place];
      add(elements.map, "rect", { x, y, width: across ? 1 : 0.6, height: across ? 0.6 : 1, fill: colours[node] });
    }),
  );
  rows.forEach((row, y) =>
    columns.forEach((column, x) => {
      if (share[row][column] < 0.005) return;
      const look = { width: 0.94, height: 0.94, class: "cell", "fill-opacity": 0.05 + 0.95 * Math.sqrt(share[row][column]) };
      add(elements.map, "rect", { x, y, ...look });
    }),
  );
}

// Mark a node of G1 (row) or G2 (column), or both; what goes to it is marked, too.
function light(lit) {
  state.lit = lit;
  const { row, column } = lit;
  const { share, orders } = wayNow();
  const marked = { left: new Set(), right: new Set() };
  if (row !== null) marked.left.add(row);
  if (column !== null) marked.right.add(column);
  const [side, node, other] = row === null ? ["right", column, "left"] : ["left", row, "right"];
  if (node !== null && (row === null || column === null)) {
    const shares = sharesOf(side, node);
    const least = Math.max(5e-4, 0.5 * Math.max(...shares));
    shares.forEach((value, place) => value >= least && marked[other].add(place));
  }
  for (const [name, { side: own }] of Object.entries(PANELS))
    drawn[name].circles.forEach((circle, place) => circle.classList.toggle("lit", marked[own].has(place)));
  drawn.links.lines.forEach((element, place) => {
    const [first, second] = drawn.links.links[place];
    element.classList.toggle("lit", first === row || second === column);
  });
  elements.map.querySelectorAll(".lit").forEach((element) => element.remove());
  const [height, width] = [share.length, share[0]?.length ?? 0];
  if (row !== null) add(elements.map, "rect", { x: 0, y: orders[0].indexOf(row), width, height: 1, class: "lit" });
  if (column !== null) add(elements.map, "rect", { x: orders[1].indexOf(column), y: 0, width: 1, height, class: "lit" });
  elements.readout.textContent = litInWords(lit);
}

function litInWords({ row, column }) {
  if (row === null && column === null) return "Point at a cell, or at a node of a graph, to see which node goes where.";
  const { share } = wayNow();
  const [side, node] = row === null ? ["right", column] : ["left", row];
  const name = row === null ? `Node ${column} of G2` : `Node ${row} of G1`;
  const shares = sharesOf(side, node);
  const best = row !== null && column !== null ? column : largest(shares);
  const other = `node ${best} of ${row === null ? "G1" : "G2"}`;
  if (isSoft()) return `${name} and ${other} share ${shares[best].toFixed(2)}${best === column ? "" : ", its largest share"}.`;
  if (row !== null && column !== null) return `${name} and ${other} are ${share[row][column] ? "" : "not "}matched.`;
  if (!shares[best]) return row === null ? `${name} finds no place in G1 and is dropped.` : `${name} has no counterpart in G2.`;
  return `${name} is matched with ${other}.`;
}

// Colours of nodes ----------------------------------------------------------------------------------------------------

const { palette } = data;
const blend = (one, other, share) => `color-mix(in srgb, ${one} ${(100 * share).toFixed(1)}%, ${other})`;
const dot = (name, fill) => ({ name, shape: { kind: "circle", cx: 12, cy: 7, r: 6, fill } });
const placeColour = ([x, y]) => `hsl(${(150 + 130 * x).toFixed(0)} 60% ${(52 + 16 * y).toFixed(0)}%)`;
const kindColour = (kind) => (kind < 0 ? palette.other : palette.kinds[kind % palette.kinds.length]);

const COLOURINGS = {
  motif: {
    title: "motif or base",
    suits: ({ left, right }) => left.motif && right.motif,
    of: (name, side) => side.motif.map((marked) => (marked ? palette.motif : palette.base)),
    key: () => [dot("motif node", palette.motif), dot("base node", palette.base)],
    note: () => "G2′ and the mix show the motif of G1, whose nodes they have.",
  },
  alignment: {
    title: "alignment",
    suits: () => true,
    of: (name, side) => {
      if (name !== "second") return side.places.map(placeColour);
      return side.places.map((_, node) => {
        const shares = sharesOf("right", node);
        const best = largest(shares);
        return shares[best] < 5e-4 ? palette.other : placeColour(pairNow().left.places[best]);
      });
    },
    key: () => [],
    note: () => "A node of G1 has a colour by its place. A node of G2 has that of the node of G1 that takes most of it, and is grey without one.",
  },
  feature: {
    title: `largest ${data.feature}`,
    suits: () => data.feature,
    of: (name, side) => {
      if (name === "carried") return wayNow().kinds.map(kindColour);
      if (name !== "mix") return side.kinds.map(kindColour);
      return side.kinds.map((kind, node) => blend(kindColour(kind), kindColour(wayNow().kinds[node]), state.lam));
    },
    key: ({ left, right }) => {
      const kinds = [...new Set([...left.kinds, ...right.kinds])].sort((a, b) => a - b);
      return kinds.map((kind) => dot(kind < 0 ? "none" : `${data.feature} ${kind}`, kindColour(kind)));
    },
    note: () => "The largest entry of a node's features. In the mix, colours are mixed as the features are.",
  },
};

function coloursOf(name) {
  return COLOURINGS[state.colouring].of(name, pairNow()[PANELS[name].side]);
}

// Words and controls --------------------------------------------------------------------------------------------------

function counted(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function labelInWords(y) {
  const parts = y.map((share, place) => [share, data.classes[place]]).filter(([share]) => share > 0.0005);
  parts.sort((one, other) => other[0] - one[0]);
  return parts.length === 1 ? parts[0][1] : parts.map(([share, name]) => `${share.toFixed(2)} ${name}`).join(" + ");
}

function pairInWords({ left, right }, place) {
  const [one, other] = [left, right].map(({ y }) => labelInWords(y));
  return `${place + 1}. #${left.graph}${one === other ? "" : ` ${one}`} + #${right.graph}${one === other ? "," : ""} ${other}`;
}

function keyItem({ name, shape: { kind, ...look } }) {
  const item = document.createElement("li");
  add(add(item, "svg", { viewBox: "0 0 24 14" }), kind, look);
  item.append(name);
  return item;
}

function renderKey() {
  const stroke = (kind) => ({ kind: "line", x1: 0, y1: 7, x2: 24, y2: 7, "stroke-width": 3, class: kind });
  const number = (side) => aloneIn(side).filter(Boolean).length;
  const origins = new Set(Object.keys(PANELS).flatMap((name) => edgesOf(name).origins));
  const items = [...COLOURINGS[state.colouring].key(pairNow())];
  for (const [origin, name] of [["first", "edge of G1"], ["second", "edge of G2"], ["both", "edge of both"]])
    if (origins.has(origin)) items.push({ name, shape: stroke(`of-${origin}`) });
  if (drawn.links.links.length) items.push({ name: "matched nodes", shape: { ...stroke(""), stroke: "var(--mark)", "stroke-width": 1 } });
  const alone = [["left", "no counterpart in G2", "hollow"], ["right", "no place in G1, dropped", "pale"]];
  for (const [side, words, look] of alone)
    if (number(side)) items.push({ name: `${words}: ${counted(number(side), "node")}`, shape: { ...dot("", "gray").shape, class: look } });
  elements.key.replaceChildren(...items.map(keyItem));
  elements.note.textContent = COLOURINGS[state.colouring].note(pairNow());
}

// What a move of the slider changes.
function renderMix() {
  const y = pairNow().left.y.map((share, place) => mixed(share, pairNow().right.y[place]));
  elements.lam.value = state.lam;
  elements.lam.setAttribute("aria-valuetext", `${state.lam.toFixed(2)}: ${labelInWords(y)}`);
  elements.ratio.textContent = state.lam.toFixed(2);
  elements.label.textContent = `Label: ${labelInWords(y)}`;
  [...elements.bar.children].forEach((part, place) => (part.style.flex = `${y[place]} 0 0`));
  renderGraph("mix");
  history.replaceState(null, "", `#pair=${state.place + 1}&way=${data.ways[state.way].name}&lam=${state.lam.toFixed(2)}`);
}

function render() {
  const known = Object.keys(COLOURINGS).filter((name) => COLOURINGS[name].suits(pairNow()));
  if (!known.includes(state.colouring)) state.colouring = known[0];
  elements.colouring.replaceChildren(...known.map((name) => new Option(COLOURINGS[name].title, name)));
  elements.colouring.value = state.colouring;
  elements.pair.value = state.place;
  [...elements.switch.children].forEach((button, way) => button.setAttribute("aria-pressed", way === state.way));
  const kept = wayNow().motif_kept;
  elements.kept.textContent = kept === null ? "" : `Motif kept: ${Math.round(100 * kept)} %`;
  elements.kind.textContent = wayNow().kind;
  drawPair();
  ["first", "second", "carried"].forEach(renderGraph);
  renderMix();
  renderKey();
  drawMap();
  light(NOBODY);
}

// What somebody chooses; numbers beyond the end begin anew.
function choose(changes) {
  Object.assign(state, changes);
  state.place = (state.place + data.pairs.length) % data.pairs.length;
  state.way = (state.way + data.ways.length) % data.ways.length;
  render();
}

function chooseLam(lam) {
  state.lam = Math.min(1, Math.max(0, Math.round(100 * lam) / 100));
  renderMix();
}

function nextColouring() {
  const names = [...elements.colouring.options].map(({ value }) => value);
  choose({ colouring: names[(names.indexOf(state.colouring) + 1) % names.length] });
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

// Hands and keys ------------------------------------------------------------------------------------------------------

function placeIn(svg, event) {
  const [box, view] = [svg.getBoundingClientRect(), svg.viewBox.baseVal];
  return [view.x + (view.width * (event.clientX - box.left)) / box.width, view.y + (view.height * (event.clientY - box.top)) / box.height];
}

function lightNode(event) {
  const [x, y] = placeIn(event.currentTarget, event);
  const name = Object.keys(PANELS).find((panel) => elements[PANELS[panel].svg] === event.currentTarget && (x > 102) === (PANELS[panel].left > 0));
  const distances = placesOf(name).map(([left, top]) => Math.hypot(left - x, top - y));
  const nearest = distances.indexOf(Math.min(...distances));
  const node = distances[nearest] < 6 ? nearest : null;
  light(name === "second" ? { row: null, column: node } : { row: node, column: null });
}

function lightCell(event) {
  const [x, y] = placeIn(elements.map, event).map(Math.floor);
  const { orders } = wayNow();
  light({ row: orders[0][y] ?? null, column: orders[1][x] ?? null });
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function stepInMap(step) {
  const [row, column] = wayNow().orders.map((order, axis) => {
    const place = order.indexOf([state.lit.row, state.lit.column][axis]);
    return order[place < 0 ? 0 : Math.min(order.length - 1, Math.max(0, place + step[axis]))];
  });
  light({ row, column });
}

const KEYS = {
  ArrowLeft: (event) => chooseLam(state.lam - (event.shiftKey ? 0.1 : 0.01)),
  ArrowRight: (event) => chooseLam(state.lam + (event.shiftKey ? 0.1 : 0.01)),
  p: () => choose({ place: state.place - 1 }),
  n: () => choose({ place: state.place + 1 }),
  a: () => choose({ way: state.way + 1 }),
  c: nextColouring,
  t: toggleTheme,
  Escape: () => light(NOBODY),
};

document.addEventListener("keydown", (event) => {
  const inMap = document.activeElement === elements.map && event.key in STEPS;
  const act = inMap ? () => stepInMap(STEPS[event.key]) : KEYS[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLSelectElement && event.key.startsWith("Arrow")) return;
  event.preventDefault();
  act(event);
});

for (const kind of ["pointermove", "pointerdown"]) {
  for (const svg of [elements.originals, elements.mixes]) svg.addEventListener(kind, lightNode);
  elements.map.addEventListener(kind, lightCell);
}
elements.lam.addEventListener("input", () => chooseLam(elements.lam.valueAsNumber));
elements.pair.addEventListener("change", () => choose({ place: Number(elements.pair.value) }));
elements.colouring.addEventListener("change", () => choose({ colouring: elements.colouring.value }));
elements.previous.addEventListener("click", KEYS.p);
elements.next.addEventListener("click", KEYS.n);
elements.theme.addEventListener("click", toggleTheme);

// Beginning -----------------------------------------------------------------------------------------------------------

elements.pair.append(...data.pairs.map((pair, place) => new Option(pairInWords(pair, place), place)));
data.ways.forEach(({ title, about, colour }, way) => {
  const button = Object.assign(document.createElement("button"), { type: "button", title: about });
  const mark = document.createElement("i");
  mark.style.background = colour;
  button.append(mark, title);
  button.addEventListener("click", () => choose({ way }));
  elements.switch.append(button);
});
elements["kept-note"].hidden = !data.pairs.some(COLOURINGS.motif.suits);
data.classes.forEach((_, place) => {
  const part = document.createElement("div");
  part.style.background = kindColour(place);
  elements.bar.append(part);
});

// The address says what is shown, so that it can be sent to somebody; what makes no sense in it is passed over.
const asked = new URLSearchParams(location.hash.slice(1));
const place = Number(asked.get("pair")) - 1;
if (place in data.pairs) state.place = place;
state.way = Math.max(0, data.ways.findIndex(({ name }) => name === asked.get("way")));
if (asked.has("lam") && asked.get("lam") >= 0 && asked.get("lam") <= 1) state.lam = Number(asked.get("lam"));
render();
