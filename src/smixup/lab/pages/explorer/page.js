// The page: what is chosen, what follows from it, and who may change it.

const data = JSON.parse(document.getElementById("data").textContent);
const colourings = colouringsOf(data);
const elements = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const NOTHING = { row: null, column: null };
const state = { place: 0, lam: data.lam, threshold: data.threshold, colouring: colourings[0], linked: true, lit: NOTHING };

const pairNow = () => data.pairs[state.place];
const suiting = () => colourings.filter((each) => each.suits(pairNow()));
const inksNow = () => {
  const style = getComputedStyle(document.documentElement);
  const [ground, ink, soft, mark] = ["--ground", "--ink", "--soft", "--mark"].map((name) => style.getPropertyValue(name).trim());
  return { ground, ink, edge: soft, mark };
};
let inks = inksNow();

// Words ---------------------------------------------------------------------------------------------------------------

function labelInWords(y) {
  const parts = y.map((value, place) => ({ value, name: data.class_names[place] })).filter(({ value }) => value > 0.0005);
  parts.sort((a, b) => b.value - a.value);
  return parts.length === 1 ? parts[0].name : parts.map(({ value, name }) => `${value.toFixed(2)} ${name}`).join(" + ");
}

function counted(number, thing) {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function pairName(pair, place) {
  const sides = [pair.left, pair.right].map((side) => `#${side.graph} ${labelInWords(side.y)}`);
  return `${place + 1}. ${sides.join(" + ")}`;
}

const MAP_TITLES = {
  "one-to-one": "the one-to-one assignment: a cell is full where two nodes are matched",
  "many-to-one": "the many-to-one assignment: a cell is full where a node of G2 goes to a node of G1",
  soft: "the soft assignment: how much of a node of G2 goes to a node of G1",
};

const KIND_NOTES = {
  "one-to-one": "The alignment is one-to-one: a node has one counterpart, or none.",
  "many-to-one": "The alignment is many-to-one: a node of G2 goes to one node of G1, which may be that of others too.",
  soft: "The alignment is soft: a node of G2 is spread over nodes of G1.",
};

function aloneInWords(pair) {
  const { name, keeps_features, keeps_edges } = pair.transport;
  const scale = name === "balanced" ? " G2′ is scaled by the ratio of nodes, n1 / n2." : "";
  const [left, right] = [without(pair.left), without(pair.right)];
  const lost = right ? " A node of G2 that finds no place (pale) is dropped with its edges." : "";
  if (keeps_features && !isWhole(pair))
    return ` Where a node of G1 takes less than one node of G2 in all, its own features${keeps_edges ? " and edges" : ""} fill up the rest.${lost}`;
  if (!left) return scale + lost;
  const kept = keeps_edges ? "keeps its features and edges in G2′, so that they are whole in the mix" : "keeps its features; its edges have the weight λ in the mix";
  return ` A node of G1 without counterpart (hollow) ${keeps_features ? kept : "gets nothing from G2: in G2′ it has neither features nor edges"}.${scale}${lost}`;
}

function litInWords(pair, lit) {
  const { row, column } = lit;
  if (row === null && column === null) return "Point at a cell, or at a node of a graph, to see who goes where.";
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

// Drawing what was chosen -----------------------------------------------------------------------------------------------

function halosOf(name, pair, { row, column }) {
  const [own, other] = name === "second" ? [column, row] : [row, column];
  if (own !== null) return [{ node: own, share: 1 }];
  if (other === null) return [];
  if (isWhole(pair)) return counterparts(pair, { row, column }).map((link) => ({ node: link[name === "second" ? 1 : 0], share: 1 }));
  const shares = name === "second" ? pair.assignment[other] : columnOf(pair.assignment, other);
  return shares.map((share, node) => ({ node, share: 0.95 * Math.sqrt(share) })).filter(({ share }) => share > 0.1);
}

function renderGraph(name) {
  const pair = pairNow();
  const graph = PANELS[name](pair, state.lam);
  const soft = name === "carried" || name === "mix";
  const halos = halosOf(name, pair, state.lit);
  const colours = state.colouring.colours(pair, graph);
  const symbols = soft ? null : graph.side.symbols; // a mix has parts of atoms
  const look = { threshold: soft ? state.threshold : 0, inks, halos, dropped: name === "second", symbols };
  const shown = drawGraph(elements[name], graph, colours, look);
  elements[name].dataset.lit = halos.map(({ node }) => node).join(" ");
  describe(name, graph, shown, soft);
}

function describe(name, graph, shown, soft) {
  const y = { first: () => graph.side.y, second: () => graph.side.y, carried: () => pairNow().right.y, mix: () => mixedLabel(pairNow(), state.lam) };
  const edges = soft ? `${counted(shown, "edge")} shown, weight ${sum(graph.weights).toFixed(1)}` : counted(shown, "edge");
  const size = soft ? edges : `${counted(graph.size, "node")}, ${edges}`;
  const about = soft ? size : `#${graph.side.graph}, ${labelInWords(graph.side.y)}: ${size}`;
  elements[`${name}-about`].textContent = about;
  const title = { first: "G1", second: "G2", carried: "G2 carried onto G1", mix: `The mix at lambda ${state.lam.toFixed(2)}` }[name];
  elements[name].setAttribute("aria-label", `${title}, ${labelInWords(y[name]())}: ${size}`);
}

function renderLinks() {
  const pair = pairNow();
  const shown = state.linked ? pair : { ...pair, links: [] };
  drawLinks(elements.links, elements.first, elements.second, shown, state.lit, inks);
  elements.links.dataset.drawn = String(shown.links.length);
  elements.links.dataset.lit = counterparts(shown, state.lit).map((link) => link.join("-")).join(" ");
}

function renderLabel() {
  const y = mixedLabel(pairNow(), state.lam);
  [...elements.bar.children].forEach((part, place) => (part.style.flexGrow = String(y[place])));
  [...elements["bar-key"].children].forEach((item, place) => {
    item.hidden = pairNow().left.y[place] === 0 && pairNow().right.y[place] === 0;
    item.querySelector("output").textContent = y[place].toFixed(2);
  });
  elements.bar.setAttribute("aria-label", `Label of the mix: ${labelInWords(y)}`);
  elements["lam-value"].textContent = state.lam.toFixed(2);
  elements.lam.value = String(state.lam);
  elements.lam.setAttribute("aria-valuetext", `${state.lam.toFixed(2)}: ${labelInWords(y)}`);
}

function renderMap() {
  const pair = pairNow();
  const colours = {
    left: state.colouring.colours(pair, PANELS.first(pair)),
    right: state.colouring.colours(pair, PANELS.second(pair)),
  };
  drawMap(elements.map, pair, colours, state.lit, inks);
  const words = litInWords(pair, state.lit);
  elements.readout.textContent = words;
  const size = `${counted(pair.left.places.length, "row")} for the nodes of G1, ${counted(pair.right.places.length, "column")} for those of G2`;
  elements.map.setAttribute("aria-label", `Assignment M: ${size}. Arrow keys move from cell to cell.`);
}

function renderKey() {
  const pair = pairNow();
  elements.key.replaceChildren(...[...state.colouring.key(pair), ...matchKey(pair)].map(keyItem));
  elements["key-note"].textContent = state.colouring.note(pair);
  elements["map-about"].textContent = MAP_TITLES[pair.kind];
  elements["alignment-note"].textContent = KIND_NOTES[pair.kind] + aloneInWords(pair);
}

// What links, rings and pale nodes mean, as far as there are any.
function matchKey(pair) {
  const items = [
    { name: "matched nodes", mark: "link", number: pair.links.length },
    { name: `no counterpart in G2: ${counted(without(pair.left), "node")} of G1`, mark: "hollow", number: without(pair.left) },
    { name: `no place in G1, dropped: ${counted(without(pair.right), "node")} of G2`, mark: "pale", number: without(pair.right) },
  ];
  return items.filter(({ number }) => number > 0);
}

function keyItem({ name, colour, ramp, mark }) {
  const item = document.createElement("li");
  const dot = document.createElement("i");
  dot.className = ramp ? "ramp" : (mark ?? "");
  if (!mark) dot.style.background = ramp ? `linear-gradient(to right, ${ramp.map((each) => css(each)).join(", ")})` : css(colour);
  item.append(dot, name);
  return item;
}

function renderControls() {
  elements.pair.value = String(state.place);
  const options = suiting().map(({ name, title }) => new Option(title, name));
  elements.colouring.replaceChildren(...options);
  elements.colouring.value = state.colouring.name;
  elements.threshold.value = String(state.threshold);
  elements["threshold-value"].textContent = state.threshold.toFixed(2);
  elements.linked.checked = state.linked;
  elements["linked-control"].hidden = !pairNow().links.length;
  elements.previous.disabled = elements.next.disabled = data.pairs.length < 2;
}

function renderAll() {
  renderControls();
  renderLabel();
  Object.keys(PANELS).forEach(renderGraph);
  renderLinks();
  renderMap();
  renderKey();
  drawScale(elements.scale, inks);
}

// Choosing --------------------------------------------------------------------------------------------------------------

function choosePair(place) {
  const number = data.pairs.length;
  state.place = ((place % number) + number) % number;
  state.lit = NOTHING;
  if (!state.colouring.suits(pairNow())) state.colouring = suiting()[0];
  renderAll();
}

// A move of the slider is answered before the next frame; how long that took can be read as the measure "redraw".
function chooseLam(lam) {
  const start = performance.now();
  state.lam = Math.min(1, Math.max(0, Math.round(lam * 100) / 100));
  renderLabel();
  renderGraph("mix");
  performance.clearMeasures("redraw");
  performance.measure("redraw", { start });
}

function chooseThreshold(threshold) {
  state.threshold = threshold;
  elements["threshold-value"].textContent = threshold.toFixed(2);
  renderGraph("carried");
  renderGraph("mix");
}

function chooseColouring(name) {
  state.colouring = colourings.find((each) => each.name === name);
  renderAll();
}

function nextColouring() {
  const known = suiting();
  chooseColouring(known[(known.indexOf(state.colouring) + 1) % known.length].name);
}

function light(lit) {
  if (lit.row === state.lit.row && lit.column === state.lit.column) return;
  state.lit = lit;
  Object.keys(PANELS).forEach(renderGraph);
  renderLinks();
  renderMap();
}

function chooseLinked(linked) {
  state.linked = linked;
  elements.linked.checked = linked;
  renderLinks();
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  renderTheme();
}

function renderTheme() {
  inks = inksNow();
  elements.theme.textContent = isDark() ? "Light" : "Dark";
  renderAll();
}

// Hands and keys ----------------------------------------------------------------------------------------------------------

function pointOn(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left - canvas.clientLeft, event.clientY - box.top - canvas.clientTop];
}

function lightByPointer(canvas, find) {
  const follow = (event) => light(find(...pointOn(canvas, event)));
  canvas.addEventListener("pointermove", follow);
  canvas.addEventListener("pointerdown", follow);
  canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && light(NOTHING));
}

function findNode(name) {
  return (x, y) => {
    const side = name === "second" ? pairNow().right : pairNow().left;
    const node = nodeAt(elements[name], side, x, y);
    return name === "second" ? { row: null, column: node } : { row: node, column: null };
  };
}

function stepInMap(down, across) {
  const { left, right } = pairNow();
  const step = (order, node, by) => {
    const place = node === null ? 0 : order.indexOf(node) + by;
    return order[Math.min(order.length - 1, Math.max(0, place))];
  };
  light({ row: step(left.order, state.lit.row, down), column: step(right.order, state.lit.column, across) });
}

const MAP_KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function onMapKey(event) {
  if (!(event.key in MAP_KEYS)) return;
  event.preventDefault();
  stepInMap(...MAP_KEYS[event.key]);
}

const PAGE_KEYS = {
  ArrowLeft: (event) => chooseLam(state.lam - (event.shiftKey ? 0.1 : 0.01)),
  ArrowRight: (event) => chooseLam(state.lam + (event.shiftKey ? 0.1 : 0.01)),
  n: () => choosePair(state.place + 1),
  p: () => choosePair(state.place - 1),
  c: nextColouring,
  l: () => chooseLinked(!state.linked),
  t: toggleTheme,
  Escape: () => light(NOTHING),
  "?": () => {
    elements.help.open = !elements.help.open;
    if (elements.help.open) elements.help.scrollIntoView({ block: "nearest" });
  },
};

function hasKeysOfItsOwn(target, key) {
  if (target === elements.map || target === elements.threshold) return key.startsWith("Arrow");
  return target instanceof HTMLSelectElement;
}

function onPageKey(event) {
  const act = PAGE_KEYS[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey || hasKeysOfItsOwn(event.target, event.key)) return;
  event.preventDefault();
  act(event);
}

// Beginning -----------------------------------------------------------------------------------------------------------------

function fillLists() {
  elements.pair.append(...data.pairs.map((pair, place) => new Option(pairName(pair, place), String(place))));
  const kinds = data.palette.kinds.map(fromHex);
  data.class_names.forEach((name, place) => {
    const colour = kinds[place % kinds.length];
    const part = document.createElement("div");
    part.style.cssText = `flex: 0 0 0; background: ${css(colour)}`;
    elements.bar.append(part);
    const item = keyItem({ name: `${name} `, colour });
    item.append(document.createElement("output"));
    elements["bar-key"].append(item);
  });
}

function listen() {
  elements.lam.addEventListener("input", () => chooseLam(elements.lam.valueAsNumber));
  elements.threshold.addEventListener("input", () => chooseThreshold(elements.threshold.valueAsNumber));
  elements.pair.addEventListener("change", () => choosePair(Number(elements.pair.value)));
  elements.colouring.addEventListener("change", () => chooseColouring(elements.colouring.value));
  elements.linked.addEventListener("change", () => chooseLinked(elements.linked.checked));
  elements.previous.addEventListener("click", () => choosePair(state.place - 1));
  elements.next.addEventListener("click", () => choosePair(state.place + 1));
  elements.theme.addEventListener("click", toggleTheme);
  elements.map.addEventListener("keydown", onMapKey);
  elements.map.addEventListener("focus", () => elements.map.matches(":focus-visible") && stepInMap(0, 0));
  document.addEventListener("keydown", onPageKey);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", renderTheme);
  lightByPointer(elements.map, (x, y) => cellAt(elements.map, pairNow(), x, y));
  Object.keys(PANELS).forEach((name) => lightByPointer(elements[name], findNode(name)));
  new ResizeObserver(renderAll).observe(document.querySelector(".graphs"));
}

fillLists();
elements.help.open = window.matchMedia("(min-width: 62rem)").matches;
state.colouring = suiting()[0];
listen();
renderTheme();
