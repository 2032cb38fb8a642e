// The arrow keys lead from image to image, "/" leads to the search, and a link that Tab comes to is seen as a whole. All pages work
// without this script.
(() => {
  // These use the keys themselves: fields, players, and what scrolls.
  const others = "input, select, textarea, [contenteditable], video, audio, details, .scroll, pre";

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.defaultPrevented || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    if (event.target.closest?.(others)) return;
    if (document.querySelector(".image-page") === null) return;
    const forward = (event.key === "ArrowRight") === (document.dir !== "rtl");
    const rel = forward ? "next" : "prev";
    // On an image's page, those of the gallery that the reader comes from.
    const position = document.querySelector(".positions :target");
    const link = (position ?? document.head).querySelector(`[rel="${rel}"]`);
    if (link !== null) location.href = link.href;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    const field = document.querySelector("input[type=search]");
    if (field === null || event.target.closest?.("input, select, textarea, [contenteditable]"))
      return;
    event.preventDefault();
    field.select();
  });

  // A browser leaves a link that is seen in part where it is.
  document.addEventListener("focusin", ({ target }) => {
    if (!target.matches(".scroll :focus-visible")) return;
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  // A new address would take the place of the one that names the reader's gallery.
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    const content = document.querySelector(event.currentTarget.hash);
    if (content === null) return;
    event.preventDefault();
    content.focus();
    content.scrollIntoView();
  });
})();
