// The arrow keys turn the page. Everything works without this script.
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.defaultPrevented || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    // Players, scrolling tables and fields use these keys themselves, as does an open viewer.
    if (event.target.closest("video, audio, .scroll, details, input, select, [contenteditable]"))
      return;
    if (document.querySelector("dialog[open]") !== null) return;
    var forward = (event.key === "ArrowRight") === (document.dir !== "rtl");
    var rel = forward ? "next" : "prev";
    // On an image's page, those of the gallery that the reader comes from.
    var position = document.querySelector(".positions :target");
    var link = (position ?? document.head).querySelector(`[rel="${rel}"]`);
    if (link !== null) location.href = link.href;
  });
})();
