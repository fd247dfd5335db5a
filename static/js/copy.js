/* Copy buttons appear only where copying works; without this module the page lacks nothing else. */
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false
    const word = button.textContent
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy)
      } catch {
        return
      }
      button.textContent = button.dataset.copied
      button.setAttribute("aria-live", "polite")
      setTimeout(() => { button.textContent = word }, 2000)
    })
  }
}
