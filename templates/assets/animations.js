// Plays an animation when its reader asks for that. Without this script, the page of its image leads to the moving one.
(() => {
  const words = document.currentScript.dataset;

  /** Puts a button into a place that plays and stops the animation of a picture there. */
  function addButton(image, place) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "play", textContent: `▶ ${words.play}` });
    const parts = [image, ...image.parentElement.querySelectorAll(":scope > source")];
    const stills = parts.map(({ srcset }) => srcset);
    const { src } = image;
    let plays = false;
    button.addEventListener("click", () => {
      plays = !plays;
      image.src = plays ? image.dataset.animation : src;
      for (const [at, part] of parts.entries())
        if (stills[at] !== "") part.srcset = plays ? image.dataset.animation : stills[at];
      button.textContent = plays ? `■ ${words.stop}` : `▶ ${words.play}`;
    });
    place.classList.add("playable");
    place.append(button);
  }

  for (const image of document.querySelectorAll(":is(.prose, .stage, .tiles) img[data-animation]"))
    addButton(image, image.closest("li, figure, p, div"));

  globalThis.stillpressPlayable = addButton;
})();
