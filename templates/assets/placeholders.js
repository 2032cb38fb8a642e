// Draws a placeholder of each picture near the window until it is there. Everything works without this script.
(() => {
  const bytesOf = (hash) => Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0));

  function show(image, box) {
    if (image.complete) return;
    const ratio = image.getAttribute("width") / image.getAttribute("height");
    const part = (ratio * box.height) / box.width;
    const bound = getComputedStyle(image).objectFit === "cover" ? Math.max : Math.min;
    const [width, height] = [part, 1 / part].map((of) => `${bound(1, of) * 100}%`);
    image.style.background = `url(${globalThis.thumbHashToDataURL(bytesOf(image.dataset.hash))}) center / ${width} ${height} no-repeat`;
    const hide = () => {
      image.style.background = "";
    };
    // A picture that has arrived is not seen before it is decoded.
    image.addEventListener("load", () => image.decode().then(hide, hide), { once: true });
    image.addEventListener("error", hide, { once: true });
  }

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        // One after the other, so that the page answers its reader in between.
        setTimeout(show, 0, target, boundingClientRect);
      }
    },
    { rootMargin: "50%" },
  );
  for (const image of document.querySelectorAll("img[data-hash]")) {
    if (!image.complete) observer.observe(image);
  }
})();
