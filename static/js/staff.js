/* Comfort for the staff pages: the error summary takes the focus; a second press of a button is not a second decision;
   an upload shows how far it is; a running verification is asked for its progress. */

document.querySelector("[data-focus]")?.focus()

for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => {
    // After the values are gathered: a disabled button would not be sent.
    setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true })
  })
}
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const button of document.querySelectorAll("form[data-once] button")) button.disabled = false
})

const size = (bytes) => {
  const language = document.documentElement.lang
  for (const [unit, step] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (bytes >= step) {
      return (bytes / step).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) + "\u00a0" + unit
    }
  }
  return bytes + "\u00a0bytes"
}

function show(box, done, total, label) {
  const bar = box.querySelector("progress")
  if (total) {
    bar.max = total
    bar.value = done
  }
  const count = box.querySelector("[data-progress-count]")
  if (count) count.textContent = total ? `${size(done)} / ${size(total)}` : size(done)
  const words = box.querySelector("[data-progress-label]")
  if (words && label) words.textContent = label
}

/* <form data-upload="id of a .progress">: the same POST, with a bar. The answer replaces the page, wherever it led. */
for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", (event) => {
    const box = document.getElementById(form.dataset.upload)
    if (!box) return
    event.preventDefault()
    box.hidden = false
    const request = new XMLHttpRequest()
    request.open("POST", form.action)
    request.upload.addEventListener("progress", (sent) => {
      show(box, sent.loaded, sent.lengthComputable ? sent.total : 0, box.dataset.sending)
      if (sent.loaded === sent.total) show(box, sent.loaded, sent.total, box.dataset.sent)
    })
    request.addEventListener("load", () => {
      if (request.responseURL && request.responseURL !== form.action && request.status < 400) {
        location.assign(request.responseURL)
        return
      }
      const page = new DOMParser().parseFromString(request.responseText, "text/html")
      document.replaceChild(document.adoptNode(page.documentElement), document.documentElement)
      document.querySelector("[data-focus]")?.focus()
    })
    request.addEventListener("error", () => { show(box, 0, 0, box.dataset.cut) })
    request.send(new FormData(form))
  })
}

/* .progress[data-progress="address"]: JSON {done, total, label, finished}, asked once a second; at the end the page is read anew. */
for (const box of document.querySelectorAll("[data-progress]")) {
  const ask = async () => {
    try {
      const answer = await fetch(box.dataset.progress, { headers: { accept: "application/json" } })
      if (answer.ok) {
        const state = await answer.json()
        if (state.finished) {
          location.reload()
          return
        }
        show(box, state.done, state.total, state.label)
      }
    } catch {
      /* The next question may be answered. */
    }
    setTimeout(ask, 1000)
  }
  setTimeout(ask, 1000)
}
