/* Passkeys need a script and a browser that knows them: their buttons are shown only then, and a failure is told in words. */

for (const part of document.querySelectorAll("[data-with-script]")) {
  part.hidden = !window.PublicKeyCredential
}
for (const part of document.querySelectorAll("[data-without-script]")) {
  part.hidden = Boolean(window.PublicKeyCredential)
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault()
  const told = document.querySelector("[data-passkey-failed]")
  if (told) told.hidden = false
})
