// A button that copies a command; where the browser does not let a page copy, the text is selected.
// Lines of a command break between words alone, not within `--option`.
for (const block of document.querySelectorAll("pre")) {
  const code = block.querySelector("code");
  const command = code.textContent;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-label", "Copy the command");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const words = command.split(/(\s+)/).map((text) => {
    const word = document.createElement("span");
    return Object.assign(word, { className: text.trim() ? "word" : "", textContent: text });
  });
  code.replaceChildren(...words);
  block.append(button);
}
