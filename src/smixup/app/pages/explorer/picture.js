// The four graphs, their captions, key and figures as one picture, twice as fine as the screen.

const PICTURE = { panel: 420, gap: 24, margin: 32, scale: 2, font: "system-ui, sans-serif" };

function pictureName(pair) {
  const dataset = document.title.replace(/^.* of /, "").replace(/[^\w.-]+/g, "-");
  return `${dataset}-${pair.left.graph}-${pair.right.graph}-${data.ways[state.way].name}-lambda-${state.lam.toFixed(2)}.png`;
}

// A canvas that is on no page has no size of its own; what draws asks for the size of an element.
function sheet(width, height) {
  const canvas = document.createElement("canvas");
  Object.defineProperties(canvas, { clientWidth: { value: width }, clientHeight: { value: height } });
  canvas.fineness = PICTURE.scale;
  [canvas.width, canvas.height] = [width * PICTURE.scale, height * PICTURE.scale];
  return canvas;
}

function drawPicture() {
  const { panel, gap, margin, scale, font } = PICTURE;
  const pair = pairNow();
  const items = [...state.colouring.key(pair), ...originKey(pair), ...matchKey(pair), ...weightKey()];
  const [width, top] = [2 * margin + 4 * panel + 3 * gap, margin + 112];
  const canvas = sheet(width, top + panel + 130);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, width, canvas.clientHeight);
  const write = (text, x, y, look = "", ink = inks.ink) => {
    context.font = `${look || "15px"} ${font}`;
    context.fillStyle = ink;
    context.fillText(text, x, y);
  };
  const way = data.ways[state.way];
  write(`${document.title}: ${way.title}, λ = ${state.lam.toFixed(2)}`, margin, margin + 18, "600 22px");
  const told = figuresOf(pair).filter(({ value }) => value !== null).map(({ name, value }) => `${name} ${value}`);
  write(`Label ${labelInWords(mixedLabel(pair, state.lam))}.   ${told.join("   ")}`, margin, margin + 46, "", inks.soft);
  const titles = { first: "G1", second: "G2", carried: "G2′, G2 carried onto G1", mix: "G′, the mix" };
  if (state.linked) drawPictureLinks(context, pair, top);
  Object.keys(PANELS).forEach((name, place) => {
    const left = margin + place * (panel + gap);
    write(titles[name], left, top - 32, "600 16px");
    write(elements[`${name}-about`].textContent, left, top - 12, "13px", inks.soft);
    const drawn = sheet(panel, panel);
    paintGraph(name, drawn);
    context.drawImage(drawn, left, top, panel, panel);
    context.strokeStyle = name === "mix" ? inks.mark : inks.line;
    context.strokeRect(left, top, panel, panel);
  });
  drawPictureKey(context, items, margin, top + panel + 36, width - margin, write);
  return canvas;
}

// Behind the first two panels, as on the page.
function drawPictureLinks(context, pair, top) {
  const { panel, gap, margin } = PICTURE;
  const [first, second] = [pair.left, pair.right].map((side) => placesOn({ clientWidth: panel }, side));
  context.strokeStyle = inks.mark;
  context.globalAlpha = 0.55;
  context.lineWidth = 1;
  for (const [one, other] of pair.links)
    drawLine(context, [margin + first[one][0], top + first[one][1]], [margin + panel + gap + second[other][0], top + second[other][1]]);
  context.globalAlpha = 1;
}

// The key in lines, as many as it needs.
function drawPictureKey(context, items, left, top, right, write) {
  let [x, y] = [left, top];
  for (const { name, colour, ramp, mark, line } of items) {
    context.font = `15px ${PICTURE.font}`;
    const length = 44 + context.measureText(name).width + 24;
    if (x + length > right) [x, y] = [left, y + 28];
    if (line) drawKeyLine(context, x, y - 5, line);
    else if (ramp) ramp.forEach((each, place) => drawDisc(context, x + 8 + 12 * place, y - 5, css(each)));
    else if (mark === "link") drawKeyLine(context, x, y - 5, { width: 2, alpha: 1, colour: "var(--mark)" });
    else if (mark) drawDisc(context, x + 14, y - 5, mark === "hollow" ? null : inks.soft, mark === "pale" ? PALE : 1);
    else drawDisc(context, x + 14, y - 5, css(colour));
    write(name, x + 44, y);
    x += length;
  }
}

function drawKeyLine(context, x, y, { width, alpha, colour }) {
  context.globalAlpha = alpha;
  context.lineWidth = width;
  context.strokeStyle = colour.startsWith("var(") ? getComputedStyle(document.documentElement).getPropertyValue(colour.slice(4, -1)).trim() : colour;
  drawLine(context, [x, y], [x + 32, y]);
  context.globalAlpha = 1;
}

function drawDisc(context, x, y, fill, alpha = 1) {
  context.globalAlpha = alpha;
  context.beginPath();
  context.arc(x, y, 6, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.fillStyle = fill ?? inks.ground;
  context.strokeStyle = fill ?? inks.soft;
  context.fill();
  context.stroke();
  context.globalAlpha = 1;
}

function savePicture() {
  const link = document.createElement("a");
  link.download = pictureName(pairNow());
  drawPicture().toBlob((blob) => {
    link.href = URL.createObjectURL(blob);
    link.click();
    URL.revokeObjectURL(link.href);
  }, "image/png");
}
