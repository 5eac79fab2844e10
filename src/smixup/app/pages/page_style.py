"""How pages look, light or dark, wide or narrow; and the few lines of script that copy commands."""

from __future__ import annotations

LIGHT = (
    "--ground: #fdfdfb; --ink: #22262b; --soft: #5b626b; --line: #d9dce0; --box: #f2f3f1; --mark: "
    "#0b6e4f;"
)
DARK = (
    "--ground: #16191d; --ink: #e4e6e8; --soft: #a0a7b0; --line: #363b42; --box: #1f2329; --mark: "
    "#58c9a0;"
)
COLOURS = f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
"""
STYLE = """
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 74rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0 0.25rem; }
.whole { white-space: nowrap; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
p { margin: 0.6rem 0; }
p, pre, nav, figcaption, caption { max-width: 52rem; }
a { color: var(--mark); }
.subtitle, figcaption, caption, footer { color: var(--soft); font-size: 0.9rem; }
.lead > p { font-size: 1.1rem; }
.lead > figure { margin: 0.6rem 0; }
nav { font-size: 0.92rem; margin: 1rem 0; }
nav ul { margin: 0.3rem 0; padding-left: 1.2rem; columns: 2; column-gap: 2rem; }
.wide { overflow-x: auto; margin: 0.8rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { padding: 0.35rem 0.9rem 0.35rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 8rem; }
figure { margin: 1rem 0; }
.side { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: flex-start; }
.side > div { flex: 1 1 19rem; max-width: min(30rem, var(--most)); }
.side > div:only-child { max-width: var(--most); }
.lead .side > div:only-child { max-width: min(34rem, var(--most)); }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin-top: 0.4rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 0.7rem 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 0.85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; position: relative; }
pre.copied-from { padding-right: 4.6rem; }
pre .word { display: inline-block; max-width: 100%; }
.copy { position: absolute; top: 0.35rem; right: 0.35rem; font: 0.85rem/1.4 system-ui, sans-serif; color: var(--ink); background: var(--ground);
  border: 1px solid var(--line); border-radius: 6px; padding: 0.25rem 0.6rem; cursor: pointer; min-height: 1.9rem; }
.copy:hover { border-color: var(--soft); }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; border-radius: 4px; }
footer { margin-top: 3rem; }
tbody th, tbody td { vertical-align: top; }
tbody th { color: inherit; }
td small { color: var(--soft); }
.words th, .words td { text-align: left; white-space: normal; vertical-align: top; }
details { margin: 0.3rem 0; }
summary { cursor: pointer; font-size: 0.92rem; }
@media (max-width: 40rem) {
  nav ul { columns: 1; }
  .side { overflow-x: auto; background:
      linear-gradient(to right, var(--ground) 40%, transparent) left / 2.2rem 100% no-repeat local,
      linear-gradient(to left, var(--ground) 40%, transparent) right / 2.2rem 100% no-repeat local,
      linear-gradient(to right, var(--shade), transparent) left / 0.7rem 100% no-repeat scroll,
      linear-gradient(to left, var(--shade), transparent) right / 0.7rem 100% no-repeat scroll;
    --shade: color-mix(in srgb, var(--ink) 30%, transparent); }
  .side > div { min-width: var(--least, 0); }
}
"""  # noqa: E501
LISTED = """
  SCOPE { overflow-x: visible; }
  SCOPE :is(table, caption, tbody, tr, th, td) { display: block; text-align: left; white-space: normal; min-width: 0; }
  SCOPE thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  SCOPE tr { border-bottom: 1px solid var(--line); padding: 0.45rem 0; }
  SCOPE tbody :is(th, td) { border: 0; padding: 0.08rem 0; }
  SCOPE tbody :is(th, td):first-child { font-weight: 600; color: var(--ink); }
  SCOPE td[data-label] { display: grid; grid-template-columns: minmax(6rem, 9rem) minmax(0, 1fr); gap: 0.8rem; }
  SCOPE td[data-label]:empty { display: none; }
  SCOPE td[data-label]::before { content: attr(data-label); color: var(--soft); }
  SCOPE.two tr { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0.8rem; }
  SCOPE.two td[data-label] { display: block; }
  SCOPE.two td[data-label]::before { display: none; }
  SCOPE.two thead { position: static; width: auto; height: auto; clip-path: none; display: block; }
"""  # noqa: E501
NARROW = (
    f"@media (max-width: 40rem) {{ {LISTED.replace('SCOPE', '.wide')} }}\n"
    f"@media (max-width: 60rem) {{ {LISTED.replace('SCOPE', '.wide.many')} }}"
)
"""Rows as lists: on a phone all tables, on half a screen those of many columns."""
MANY = 6
"""A table of more columns is too wide for half a screen."""
INK = "figure svg { color: var(--soft); }"
"""Pictures are written in the colour that the page has for it, light or dark."""
COPY = """
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  const words = block.innerText;
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-label", "Copy the command");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(words);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(block.querySelector("code"));
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const code = block.querySelector("code");
  const pieces = code.textContent.split(/(\\s+)/).map((text) => {
    const piece = document.createElement("span");
    return Object.assign(piece, { className: text.trim() ? "word" : "", textContent: text });
  });
  code.replaceChildren(...pieces);
  block.classList.add("copied-from");
  block.append(button);
}
"""
"""Adds a button to every command, and lets lines break between words alone, not within `--option`.
Where the browser does not let a page copy, the text is selected.
"""
