// A button that copies a program; of a console or a doctest, what one types there, without the prompts.
const prompt = /^(\$|>>>|\.\.\.)( |$)/;
for (const block of document.querySelectorAll(
  ":is(.highlight-python, .highlight-ipython3, .highlight-console, .doctest) pre",
)) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.onclick = async () => {
    const lines = block.innerText.split(/(?<!\\)\n/); // a command goes on behind a backslash
    const typed = lines.filter((line) => prompt.test(line));
    const shown = typed.map((line) => line.replace(prompt, ""));
    await navigator.clipboard.writeText((typed.length ? shown : lines).join("\n"));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  block.parentElement.append(button);
}
