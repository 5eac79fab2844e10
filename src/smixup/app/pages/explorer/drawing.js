// Canvases: a graph, links between two graphs, the assignment, a scale.

const LEVELS = 24;
const PER_DOUBLING = 4;
const MARGIN = 16;
const STRIP = 7;
const TALLEST = 0.8;
const MANY_EDGES = 60;
const HAIRLINE = 0.95;
const GAP = 3;
const PALE = 0.28;
const RING = 1.8;
const LEAST_WITH_SYMBOL = 5.5;
const MANY_LINKS = 40;

// Match the pixels of a canvas to its size on the screen and return a clean context that counts in CSS pixels.
function contextOf(canvas, height = canvas.clientHeight) {
  const ratio = canvas.fineness ?? (window.devicePixelRatio || 1);
  const [width, tall] = [canvas.clientWidth, height];
  const context = canvas.getContext("2d");
  const pixels = [Math.round(width * ratio), Math.round(tall * ratio)];
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, tall);
  return { context, width, height: tall };
}

function placesOn(canvas, side) {
  const half = canvas.clientWidth / 2 - MARGIN;
  return side.places.map(([x, y]) => [MARGIN + half * (1 + x), MARGIN + half * (1 - y)]);
}

// Nodes with a symbol are large enough to read it; where there is no room for that, symbols are left out.
function radiusOn(canvas, side) {
  const room = canvas.clientWidth / Math.sqrt(Math.max(side.places.length, 1));
  return showsSymbols(canvas, side) ? Math.min(9, 0.16 * room) : Math.max(2.8, Math.min(7, 0.11 * room));
}

function showsSymbols(canvas, { places, symbols }) {
  return symbols !== null && (0.16 * canvas.clientWidth) / Math.sqrt(places.length) >= LEAST_WITH_SYMBOL;
}

// Draw a graph and return how many edges were heavy enough to be seen. Nodes without counterpart are hollow in G1 and on its
// nodes, pale in G2, where they are dropped with their edges.
function drawGraph(canvas, graph, colours, { threshold, inks, halos, dropped, symbols }) {
  const { context } = contextOf(canvas);
  const places = placesOn(canvas, graph.side);
  const radius = radiusOn(canvas, graph.side);
  const alone = graph.side.matched.map((matched) => !matched);
  const shown = drawEdges(context, graph, places, threshold, inks, radius, dropped ? alone : []);
  drawNodes(context, places, colours, radius, inks, dropped ? [] : alone, dropped ? alone : []);
  if (symbols && showsSymbols(canvas, graph.side)) drawSymbols(context, places, symbols, colours, radius, inks, dropped ? [] : alone, dropped ? alone : []);
  drawHalos(context, places, halos, radius, inks);
  return shown;
}

// The lightest first, so that heavy ones lie above. One stroke per edge, and no wider than a pixel where there are many:
// browsers draw that faster than one long path that crosses itself. Edges of one level look alike but for their colour.
function drawEdges(context, { edges, weights, origins }, places, threshold, inks, radius, pale) {
  const levels = new Map();
  let shown = 0;
  weights.forEach((weight, index) => {
    if (!(weight > 0 && weight >= threshold)) return;
    const strength = pale[edges.row[index]] || pale[edges.column[index]] ? PALE * Math.min(weight, 1) : weight;
    const level = strength > 1 ? LEVELS + Math.ceil(Math.log2(strength) * PER_DOUBLING) : Math.ceil(strength * LEVELS);
    if (!levels.has(level)) levels.set(level, { first: [], second: [], both: [] });
    levels.get(level)[origins[index]].push(index);
    shown += 1;
  });
  const thin = thinness(shown);
  for (const level of [...levels.keys()].sort((a, b) => a - b)) {
    const weight = level > LEVELS ? 2 ** ((level - LEVELS) / PER_DOUBLING) : level / LEVELS;
    context.globalAlpha = edgeAlpha(weight);
    context.lineWidth = edgeWidth(weight, radius, thin);
    for (const [origin, indices] of Object.entries(levels.get(level))) {
      context.strokeStyle = inks.origins[origin];
      for (const index of indices) drawLine(context, places[edges.row[index]], places[edges.column[index]]);
    }
  }
  context.globalAlpha = 1;
  return shown;
}

function thinness(shown) {
  return Math.min(1, Math.sqrt(MANY_EDGES / Math.max(shown, 1)));
}

function edgeAlpha(weight) {
  return Math.min(weight, 1);
}

// Beyond weight 1 an edge grows by as much again for every doubling: nothing is cut off.
function edgeWidth(weight, radius, thin = 1) {
  const finest = HAIRLINE / (window.devicePixelRatio || 1);
  const factor = weight > 1 ? 0.4 * (1 + 0.8 * Math.log2(weight)) : 0.12 + 0.28 * weight;
  return Math.max(finest, radius * factor * thin);
}

function drawLine(context, start, end) {
  context.beginPath();
  context.moveTo(start[0], start[1]);
  context.lineTo(end[0], end[1]);
  context.stroke();
}

function drawNodes(context, places, colours, radius, inks, hollow, pale) {
  places.forEach(([x, y], node) => {
    context.lineWidth = hollow[node] ? RING : 1.2;
    context.strokeStyle = hollow[node] ? css(colours[node]) : inks.ground;
    context.fillStyle = hollow[node] ? inks.ground : css(colours[node]);
    context.globalAlpha = pale[node] ? PALE : 1;
    context.beginPath();
    context.arc(x, y, hollow[node] ? radius - RING / 2 : radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  });
  context.globalAlpha = 1;
}

function drawSymbols(context, places, symbols, colours, radius, inks, hollow, pale) {
  context.font = `600 ${(1.2 * radius).toFixed(1)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  places.forEach(([x, y], node) => {
    context.globalAlpha = pale[node] ? PALE : 1;
    context.fillStyle = hollow[node] ? inks.ink : readableOn(colours[node]);
    context.fillText(symbols[node], x, y + 0.5);
  });
  context.globalAlpha = 1;
  context.textBaseline = "alphabetic";
}

// Lines between matched nodes of two graphs, on a canvas that lies behind both; those of a lit node stand out.
function drawLinks(canvas, first, second, pair, lit, inks) {
  const { context } = contextOf(canvas);
  const ends = [placesWithin(first, pair.left), placesWithin(second, pair.right)];
  const chosen = new Set(counterparts(pair, lit));
  const others = 0.55 * Math.min(1, Math.sqrt(MANY_LINKS / pair.links.length)) * (chosen.size ? 0.35 : 1);
  context.strokeStyle = inks.mark;
  for (const link of [...pair.links].sort((a, b) => chosen.has(a) - chosen.has(b))) {
    context.globalAlpha = chosen.has(link) ? 1 : others;
    context.lineWidth = chosen.has(link) ? 2.2 : 1;
    drawLine(context, ends[0][link[0]], ends[1][link[1]]);
  }
  context.globalAlpha = 1;
}

// Places on the ground that a canvas stands on.
function placesWithin(canvas, side) {
  const [left, top] = [canvas.offsetLeft + canvas.clientLeft, canvas.offsetTop + canvas.clientTop];
  return placesOn(canvas, side).map(([x, y]) => [left + x, top + y]);
}

// A ring around every lit node, the fainter the smaller its share; a node that is lit fully shows its number.
function drawHalos(context, places, halos, radius, inks) {
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "center";
  for (const { node, share } of halos) {
    const [x, y] = places[node];
    context.globalAlpha = Math.min(1, share);
    context.strokeStyle = inks.ink;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(x, y, radius + 3.5, 0, 2 * Math.PI);
    context.stroke();
    if (share >= 1) drawNumber(context, node, x, y, radius, inks);
  }
  context.globalAlpha = 1;
}

function drawNumber(context, node, x, y, radius, inks) {
  const height = y - radius - 9 > 12 ? y - radius - 9 : y + radius + 18;
  context.lineWidth = 4;
  context.strokeStyle = inks.ground;
  context.strokeText(String(node), x, height);
  context.fillStyle = inks.ink;
  context.fillText(String(node), x, height);
}

function nodeAt(canvas, side, x, y) {
  const reach = Math.max(12, radiusOn(canvas, side) * 2);
  let [best, found] = [reach, null];
  placesOn(canvas, side).forEach(([left, top], node) => {
    const distance = Math.hypot(left - x, top - y);
    if (distance < best) [best, found] = [distance, node];
  });
  return found;
}

// Where the cells of the heat map are: nodes of G1 downwards, nodes of G2 to the right, strips of colour before them.
function gridOn(canvas, pair) {
  const [rows, columns] = [pair.left.order.length, pair.right.order.length];
  const start = STRIP + GAP;
  const across = (canvas.clientWidth - start) / columns;
  const down = Math.min(Math.max(across, (0.45 * canvas.clientWidth) / rows), (TALLEST * canvas.clientWidth) / rows);
  return { start, across, down, height: start + down * rows };
}

function mapAlpha(share) {
  return 0.05 + 0.95 * Math.sqrt(share);
}

function drawMap(canvas, pair, colours, lit, inks) {
  const grid = gridOn(canvas, pair);
  canvas.style.height = `${grid.height}px`;
  const { context } = contextOf(canvas, grid.height);
  const mark = fromHex(inks.mark);
  pair.left.order.forEach((row, down) => {
    pair.right.order.forEach((column, across) => {
      context.fillStyle = css(mark, mapAlpha(pair.assignment[row][column]));
      fillCell(context, grid, down, across);
    });
  });
  drawStrips(context, pair, colours, grid);
  drawCross(context, pair, lit, grid, inks);
}

function edgesOfCell(start, size, place) {
  const first = Math.round(start + size * place);
  return [first, Math.round(start + size * (place + 1)) - first];
}

function fillCell(context, grid, down, across) {
  const [top, height] = edgesOfCell(grid.start, grid.down, down);
  const [left, width] = edgesOfCell(grid.start, grid.across, across);
  const seam = Math.min(width, height) > 6 ? 1 : 0;
  context.fillRect(left, top, width - seam, height - seam);
}

function drawStrips(context, pair, colours, grid) {
  pair.left.order.forEach((node, place) => {
    const [top, height] = edgesOfCell(grid.start, grid.down, place);
    context.fillStyle = css(colours.left[node]);
    context.fillRect(0, top, STRIP, height);
  });
  pair.right.order.forEach((node, place) => {
    const [left, width] = edgesOfCell(grid.start, grid.across, place);
    context.fillStyle = css(colours.right[node]);
    context.fillRect(left, 0, width, STRIP);
  });
}

function drawCross(context, pair, lit, grid, inks) {
  const { row, column } = lit;
  const [rows, columns] = [pair.left.order.length, pair.right.order.length];
  context.strokeStyle = inks.ink;
  context.lineWidth = row !== null && column !== null ? 1 : 1.5;
  const top = grid.start + grid.down * pair.left.order.indexOf(row);
  const left = grid.start + grid.across * pair.right.order.indexOf(column);
  if (row !== null) context.strokeRect(grid.start, top, grid.across * columns - 1, grid.down);
  if (column !== null) context.strokeRect(left, grid.start, grid.across, grid.down * rows - 1);
  if (row === null || column === null) return;
  context.lineWidth = 3;
  context.strokeRect(left, top, grid.across, grid.down);
}

function cellAt(canvas, pair, x, y) {
  const grid = gridOn(canvas, pair);
  const down = Math.floor((y - grid.start) / grid.down);
  const across = Math.floor((x - grid.start) / grid.across);
  return { row: pair.left.order[down] ?? null, column: pair.right.order[across] ?? null };
}

function drawScale(canvas, inks) {
  const { context, width, height } = contextOf(canvas);
  const mark = fromHex(inks.mark);
  for (let x = 0; x < width; x += 1) {
    context.fillStyle = css(mark, mapAlpha(x / (width - 1)));
    context.fillRect(x, 0, 1, height);
  }
}
