// Reloads a page of a preview when another version of it is there.

(() => {
  const { changes, version } = document.currentScript.dataset;
  let source;
  // A browser holds six connections to a server at most, so that a page nobody looks at must not keep one.
  const listen = () => {
    source?.close();
    if (document.hidden) return;
    source = new EventSource(`${changes}?shown=${version}`);
    source.onmessage = () => {
      source.close();
      location.reload();
    };
  };
  document.addEventListener("visibilitychange", listen);
  listen();
})();
