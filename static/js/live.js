/* A run that is being recorded: what has arrived is asked for every two seconds, mostly to hear that nothing has; the
   clock of its limit runs in between. Without this module the page reads itself anew. */
const box = document.querySelector("[data-live]")
const told = document.querySelector("[data-live-told]")
let tag = box.dataset.tag
let read = performance.now()

const two = (number) => String(number).padStart(2, "0")
const tick = () => {
  const left = box.querySelector("[data-seconds]")
  if (!left) return
  const seconds = Math.max(0, Math.ceil(left.dataset.seconds - (performance.now() - read) / 1000))
  left.textContent = `${Math.floor(seconds / 60)}:${two(seconds % 60)}`
}

const ask = async () => {
  try {
    const answer = await fetch(box.dataset.live, { headers: { "if-none-match": tag }, cache: "no-store", redirect: "error" })
    if (answer.status === 200) {
      const part = new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild
      const before = box.firstElementChild.dataset
      if (part.dataset.told !== before.told) told.textContent = part.dataset.told
      const state = before.state
      tag = answer.headers.get("etag")
      read = performance.now()
      box.replaceChildren(document.adoptNode(part))
      if (part.dataset.state !== state && !["registered", "recording"].includes(part.dataset.state)) {
        location.reload()
        return
      }
    }
  } catch {
    /* The next question may be answered. */
  }
  setTimeout(ask, 2000)
}
setInterval(tick, 1000)
setTimeout(ask, 2000)
