/* A page that waits asks once a second how far it is, and is read anew at the end. Without this module it reads itself anew. */
for (const box of document.querySelectorAll("[data-waiting]")) {
  const bar = box.querySelector("progress")
  const ask = async () => {
    try {
      const answer = await fetch(box.dataset.waiting, { headers: { accept: "application/json" } })
      if (answer.ok) {
        const state = await answer.json()
        if (state.finished) {
          location.reload()
          return
        }
        if (state.total) {
          bar.max = state.total
          bar.value = state.done
        }
      }
    } catch {
      /* The next question may be answered. */
    }
    setTimeout(ask, 1000)
  }
  setTimeout(ask, 1000)
}
