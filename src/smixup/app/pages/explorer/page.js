// The page: what is chosen, what follows from it, and who may change it.

const data = JSON.parse(document.getElementById("data").textContent);
const colourings = colouringsOf(data);
const elements = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const NOTHING = { row: null, column: null };
const state = { place: data.first, way: 0, lam: data.lam, threshold: data.threshold, colouring: colourings[0], linked: true, lit: NOTHING };

// Views are made when they are first looked at, and kept.
const views = data.pairs.map((pair) => pair.ways.map(() => null));
const pairNow = () => (views[state.place][state.way] ??= viewOf(data.pairs[state.place], state.way));
const suiting = () => colourings.filter((each) => each.suits(pairNow()));
const inksNow = () => {
  const style = getComputedStyle(document.documentElement);
  const [ground, ink, soft, mark, box, line, first, second, both] = [
    ...["--ground", "--ink", "--soft", "--mark", "--box", "--line", "--of-first", "--of-second", "--of-both"],
  ].map((name) => style.getPropertyValue(name).trim());
  return { ground, ink, soft, mark, box, line, origins: { first, second, both } };
};
let inks = inksNow();

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
  const { graph, shown, soft, halos } = paintGraph(name, elements[name]);
  elements[name].dataset.lit = halos.map(({ node }) => node).join(" ");
  describe(name, graph, shown, soft);
}

// Draw a graph of the pair on any canvas.
function paintGraph(name, canvas) {
  const pair = pairNow();
  const graph = PANELS[name](pair, state.lam);
  const soft = name === "carried" || name === "mix";
  const halos = halosOf(name, pair, state.lit);
  const colours = state.colouring.colours(pair, graph);
  const symbols = soft ? null : graph.side.symbols; // a mix has parts of atoms
  const look = { threshold: soft ? state.threshold : 0, inks, halos, dropped: name === "second", symbols };
  const shown = drawGraph(canvas, graph, colours, look);
  return { graph, shown, soft, halos };
}

function describe(name, graph, shown, soft) {
  const y = { first: () => graph.side.y, second: () => graph.side.y, carried: () => pairNow().right.y, mix: () => mixedLabel(pairNow(), state.lam) };
  const all = graph.weights.filter((weight) => weight > 0).length;
  const seen = shown === all ? counted(shown, "edge") : `${shown} of ${counted(all, "edge")} shown`;
  const edges = soft ? `${seen}, total weight ${sum(graph.weights).toFixed(1)}` : counted(shown, "edge");
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
  const items = [...state.colouring.key(pair), ...originKey(pair), ...matchKey(pair), ...weightKey()];
  elements.key.replaceChildren(...items.map(keyItem));
  elements["key-note"].textContent = state.colouring.note(pair);
  elements["map-about"].textContent = MAP_TITLES[pair.kind];
  elements["alignment-note"].textContent = KIND_NOTES[pair.kind] + aloneInWords(pair);
}

function originKey(pair) {
  const there = new Set(Object.values(pair.origins).flat());
  const names = { first: "edge of G1", second: "edge of G2", both: "edge of both" };
  return Object.keys(names)
    .filter((name) => there.has(name))
    .map((name) => ({ name: names[name], line: { width: 3, alpha: 1, colour: `var(--of-${name})` } }));
}

// How weights look in the mix: a quarter, one, and the heaviest if it is heavier.
function weightKey() {
  const graphs = ["first", "second", "carried", "mix"].map((name) => PANELS[name](pairNow(), state.lam));
  const heaviest = Math.max(1, ...graphs.flatMap(({ weights }) => weights));
  const radius = radiusOn(elements.mix, pairNow().left);
  const weights = heaviest > 1.05 ? [0.25, 1, heaviest] : [0.25, 1];
  return weights.map((weight) => ({
    name: `weight ${weight > 1 ? `${Number(weight.toPrecision(3))}, the heaviest` : weight}`,
    line: { width: Math.max(1, edgeWidth(weight, radius)), alpha: edgeAlpha(weight), colour: "var(--of-both)" },
  }));
}

function renderSwitch() {
  [...elements.switch.children].forEach((button, place) => button.setAttribute("aria-pressed", String(place === state.way)));
  elements.figures.replaceChildren(
    ...figuresOf(pairNow()).map(({ name, value, none }) => {
      const [row, term, told] = ["div", "dt", "dd"].map((kind) => document.createElement(kind));
      term.textContent = name;
      told.textContent = value ?? none;
      told.className = value === null ? "none" : "";
      told.title = MEANINGS[name].replace("LAM", String(data.lam));
      row.append(term, told);
      return row;
    }),
  );
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

function keyItem({ name, colour, ramp, mark, line }) {
  const item = document.createElement("li");
  const dot = document.createElement("i");
  dot.className = ramp ? "ramp" : line ? "line" : (mark ?? "");
  if (line) {
    dot.style.cssText = `height: ${line.width.toFixed(1)}px; opacity: ${line.alpha}; background: ${line.colour}`;
    item.append(dot, name);
    return item;
  }
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
  renderSwitch();
  renderLabel();
  Object.keys(PANELS).forEach(renderGraph);
  renderLinks();
  renderMap();
  renderKey();
  drawScale(elements.scale, inks);
  writeAddress();
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
  writeAddress();
}

function chooseThreshold(threshold) {
  state.threshold = threshold;
  elements["threshold-value"].textContent = threshold.toFixed(2);
  elements.threshold.value = String(threshold);
  renderGraph("carried");
  renderGraph("mix");
  writeAddress();
}

function chooseWay(place) {
  const number = data.ways.length;
  state.way = ((place % number) + number) % number;
  renderAll();
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
  writeAddress();
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
  for (const [place, button] of [...elements.switch.children].entries()) button.firstChild.style.color = data.ways[place].colour;
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
  a: () => chooseWay(state.way + 1),
  s: savePicture,
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

// The map and the slider for weights have arrow keys of their own. A list keeps those that walk through it, so that all
// others go on working after it was used.
function hasKeysOfItsOwn(target, key) {
  if (target === elements.map || target === elements.threshold) return key.startsWith("Arrow");
  return target instanceof HTMLSelectElement && ["ArrowUp", "ArrowDown", "Escape"].includes(key);
}

function onPageKey(event) {
  const way = Number(event.key) - 1;
  const act = PAGE_KEYS[event.key] ?? (way in data.ways ? () => chooseWay(way) : undefined);
  if (!act || event.ctrlKey || event.metaKey || event.altKey || hasKeysOfItsOwn(event.target, event.key)) return;
  event.preventDefault();
  act(event);
}

// The address -------------------------------------------------------------------------------------------------------------

// What is shown stands behind the # of the address, so that it can be sent to somebody, and is there again after a reload.
// Browsers allow so many changes in a second, so it is written when the hand rests.
let addressToWrite;

function writeAddress() {
  clearTimeout(addressToWrite);
  addressToWrite = setTimeout(writeAddressNow, 120);
}

function writeAddressNow() {
  const dark = document.documentElement.dataset.theme;
  const parts = {
    pair: state.place + 1,
    way: data.ways[state.way].name,
    lam: state.lam.toFixed(2),
    hide: state.threshold.toFixed(2),
    colour: state.colouring.name,
    ...(state.linked ? {} : { links: "off" }),
    ...(dark ? { theme: dark } : {}),
  };
  const address = `#${new URLSearchParams(parts)}`;
  if (address !== location.hash) history.replaceState(null, "", address);
}

const READ = {
  pair: (text) => within(Number(text) - 1, data.pairs.length) && ((state.place = Number(text) - 1), true),
  way: (text) => found(data.ways, text, (place) => (state.way = place)),
  lam: (text) => isShare(text) && ((state.lam = Math.round(100 * Number(text)) / 100), true),
  hide: (text) => isShare(text) && ((state.threshold = Number(text)), true),
  colour: (text) => found(suiting(), text, (place) => (state.colouring = suiting()[place])),
  links: (text) => ["on", "off"].includes(text) && ((state.linked = text === "on"), true),
  theme: (text) => ["light", "dark"].includes(text) && ((document.documentElement.dataset.theme = text), true),
};

function within(place, number) {
  return Number.isInteger(place) && place >= 0 && place < number;
}

function isShare(text) {
  return text.trim() !== "" && Number(text) >= 0 && Number(text) <= 1;
}

function found(list, name, choose) {
  const place = list.findIndex((each) => each.name === name);
  if (place >= 0) choose(place);
  return place >= 0;
}

// Take over what the address says, and say what of it makes no sense on this page.
function readAddress() {
  const asked = [...new URLSearchParams(location.hash.slice(1))];
  const order = Object.keys(READ);
  asked.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other)); // the pair comes before its colours
  const wrong = asked.filter(([name, text]) => !(name in READ && READ[name](text))).map((pair) => pair.join("="));
  if (!state.colouring.suits(pairNow())) state.colouring = suiting()[0];
  elements.notice.hidden = !wrong.length;
  elements.notice.textContent = `This page has no ${wrong.join(", ")}; the address is shown without ${wrong.length > 1 ? "them" : "it"}.`;
  state.lit = NOTHING;
}

// Beginning -----------------------------------------------------------------------------------------------------------------

function fillSwitch() {
  data.ways.forEach(({ title, about }, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = about;
    button.append(document.createElement("i"), title);
    button.addEventListener("click", () => chooseWay(place));
    elements.switch.append(button);
  });
  elements.switch.hidden = data.ways.length < 2;
  elements.drawn.style.cssText = `--low: ${data.drawn.low}; --high: ${data.drawn.high}`;
  elements["drawn-note"].textContent = drawnInWords(data.drawn);
  const known = data.pairs.some(motifKnown);
  for (const [name, text] of Object.entries(MEANINGS)) {
    if (name === "motif kept" && !known) continue;
    const [term, told] = ["dt", "dd"].map((kind) => document.createElement(kind));
    term.textContent = name;
    told.textContent = text.replace("LAM", String(data.lam));
    elements.meanings.append(term, told);
  }
}

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
  elements.export.addEventListener("click", savePicture);
  window.addEventListener("hashchange", () => {
    readAddress();
    renderTheme();
  });
  elements.map.addEventListener("keydown", onMapKey);
  elements.map.addEventListener("focus", () => elements.map.matches(":focus-visible") && stepInMap(0, 0));
  document.addEventListener("keydown", onPageKey);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", renderTheme);
  lightByPointer(elements.map, (x, y) => cellAt(elements.map, pairNow(), x, y));
  Object.keys(PANELS).forEach((name) => lightByPointer(elements[name], findNode(name)));
  new ResizeObserver(renderAll).observe(document.querySelector(".graphs"));
}

fillLists();
fillSwitch();
elements.help.open = window.matchMedia("(min-width: 62rem)").matches;
state.colouring = suiting()[0];
readAddress();
listen();
renderTheme();
