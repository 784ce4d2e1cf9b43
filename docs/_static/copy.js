// A button that copies a program, or the commands of a console, without their prompts.
for (const block of document.querySelectorAll(
  ".highlight-python pre, .highlight-ipython3 pre, .highlight-console pre",
)) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.onclick = async () => {
    const text = block.innerText;
    const commands = text.split("\n").filter((line) => line.startsWith("$ "));
    const shown = commands.map((line) => line.slice(2)).join("\n") || text;
    await navigator.clipboard.writeText(shown);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  block.parentElement.append(button);
}
