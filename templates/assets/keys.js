// The arrow keys turn the page. Everything works without this script.
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.defaultPrevented || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    // Players, scrolling tables and fields use these keys themselves.
    if (event.target.closest("video, audio, .scroll, details, input, select, [contenteditable]"))
      return;
    var forward = (event.key === "ArrowRight") === (document.dir !== "rtl");
    var link = document.querySelector(forward ? 'link[rel="next"]' : 'link[rel="prev"]');
    if (link !== null) location.href = link.href;
  });
})();
